"""Recalibrate: keeps the time estimates of registered test files true."""

__version__ = "0.1.0"
