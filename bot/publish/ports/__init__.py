"""What this stage needs from the outside; each module here holds one port and the values it takes and gives.

Fulfilled by `bot.forge` (GitHub). All methods are synchronous and may be called twice: a write is
either found before it is made, or carries the value it expects to replace. Unless a method says
otherwise, all of them raise `UserError` for what a person must change (a missing permission, a
name that is not there) and `RetryableError` for what may work later.
"""
