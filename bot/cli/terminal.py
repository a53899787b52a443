"""What a command says: results on standard output, all else on standard error.

Progress is shown on a terminal, and nowhere else.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TextIO

from bot.publish.visible import visible


def say(text: str) -> None:
    """A result, there as soon as it is known."""
    print(text, flush=True)


def tell(text: str) -> None:
    """Something beside the result. Whatever a foreign name in it holds, it moves no cursor."""
    print(visible(text), file=sys.stderr)


class Progress:
    """One line that is written over, on `stream` (None: standard error). Leaving the context clears the line."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def tell(self, line: str) -> None:
        """Show `line` in the place of the one before."""
        if self._stream.isatty():
            self._shown = True
            self._stream.write(f"\r\x1b[K{line[:100]}")
            self._stream.flush()
