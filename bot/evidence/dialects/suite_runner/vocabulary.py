"""What a suite runner's lines look like, as far as the scan asks: a module of recognisers.

`records` is the one of the present runner. Each function looks at one line's payload and gives None
for any other line; none raises, none costs more than the line's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.evidence.dialects.suite_runner.records import Bracket, Header, Section, StatusLine, Timing


class Vocabulary(Protocol):
    """The recognisers of one runner."""

    @property
    def IN_FLIGHT_NEEDLES(self) -> Sequence[bytes]:  # noqa: N802 - a module's constant
        """Texts of lines that matter while a test runs; the timing's stands first."""
        ...

    @property
    def NEEDLES(self) -> Sequence[bytes]:  # noqa: N802 - a module's constant
        """Texts of lines that matter between tests, those in flight first."""
        ...

    @property
    def NO_TESTS(self) -> bytes:  # noqa: N802 - a module's constant
        """The line that says that nothing was selected."""
        ...

    def header(self, line: bytes) -> Header | None:
        """The suite of a plan."""
        ...

    def enabled(self, line: bytes) -> int | None:
        """How many files a plan announces."""
        ...

    def planned(self, line: bytes) -> tuple[str, float, bool] | None:
        """(path, estimate in seconds, implicit) of one planned file."""
        ...

    def disabled(self, line: bytes) -> str | None:
        """The path of a file that a plan skips."""
        ...

    def bracket(self, line: bytes) -> Bracket | None:
        """The begin or end of a try."""
        ...

    def timing(self, line: bytes) -> Timing | None:
        """A timing."""
        ...

    def status(self, line: bytes) -> StatusLine | None:
        """How a try ended."""
        ...

    def summary(self, line: bytes) -> tuple[int, int] | None:
        """(passed, total) of a summary."""
        ...

    def section(self, line: bytes) -> Section | None:
        """The head of a list of a summary."""
        ...

    def item(self, line: bytes) -> tuple[str, str] | None:
        """(path, reason) of one line of such a list."""
        ...
