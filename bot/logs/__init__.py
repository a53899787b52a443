"""The service's log: what a line is about, how it looks, and what must never stand in it."""
