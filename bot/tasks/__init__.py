"""The durable unit of work. Read pipeline.py first."""
