"""Tables and queries, the same on SQLite and Postgres."""
