"""What is remembered between runs, as frozen values: handed to the store and got back from it.

No I/O here. What one evaluation computes is in `bot.domain`; how rows are kept is the store's part.
Times carry their zone.
"""
