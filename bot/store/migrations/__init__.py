"""Schema revisions, run by `bot.store.migrate`."""
