"""Receives deliveries: verify, note, route to a task request, answer 202. Calls nobody."""
