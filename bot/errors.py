"""The three kinds of failure: what a person can fix, what can be retried, what is our bug.

Nothing here decides what to do about a failure; the edges (command line, webhook, task) do.
"""

from __future__ import annotations


class RecalibrateError(Exception):
    """Base of every error this program raises on purpose."""


class UserError(RecalibrateError):
    """Something a person can fix: the message names the place and the remedy. Exit status 2."""


class RetryableError(RecalibrateError):
    """Something that may work later, such as a server that is busy.

    `after_s` is the wait the server asked for, in seconds, or None where it asked for none.
    """

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class InternalError(RecalibrateError):
    """A broken promise of our own code. Exit status 1."""


class GoneError(UserError):
    """What was asked for is not there, or not any more."""
