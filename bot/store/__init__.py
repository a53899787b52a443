"""Tables and queries, the same on SQLite and Postgres. The way in is `bot.store.open.Store`.

Plain values in, plain values out; nothing here decides anything. SQLAlchemy stays in this package.
Every write may run twice.
"""
