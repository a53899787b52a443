"""What the work at hand is about, so that every line written in its course says so, whoever writes it.

It follows the work through tasks and threads as context variables do. Nothing is logged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_ABOUT: ContextVar[Mapping[str, str | int]] = ContextVar("recalibrate_log_about")


@contextmanager
def about(
    *, delivery: str = "", task: str = "", repository: str = "", run: int = 0, attempt: int = 0
) -> Iterator[None]:
    """Until the end of the block lines are about this; what is empty stays as it was around the block."""
    given: Mapping[str, str | int] = {
        "delivery": delivery,
        "task": task,
        "repository": repository,
        "run": run,
        "attempt": attempt,
    }
    token = _ABOUT.set({**present(), **{name: value for name, value in given.items() if value}})
    try:
        yield
    finally:
        _ABOUT.reset(token)


def present() -> Mapping[str, str | int]:
    """What lines written now are about."""
    return _ABOUT.get({})
