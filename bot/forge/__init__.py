"""Adapters of the ports: GitHub over HTTP, and git on disk."""
