"""The log dialect of the older suite runner, that of sgl-project/sglang (test/run_suite.py, test/ci/ci_utils.py).

It prints a table with the suite, `Enabled N test(s)` with a tick, for each try `Begin (i/n-1):` and
`End (i/n-1):` followed by `filename='…', elapsed=…, estimated_time=…`, and at the end
`Test Summary: k/n passed` with the files under marked `PASSED:`, `FAILED:` and `RETRIED:`. Files
are named by absolute paths. There are no status lines: the summary alone says what passed.

Lines are found as those of the present runner are (`suite_runner.scan`), in words of its own
(`records`); `settle` says what they mean.
"""

from __future__ import annotations

from typing import Final

from bot.domain import ParsedLog
from bot.evidence.dialects.older_suite_runner import records
from bot.evidence.dialects.older_suite_runner.examples import EXAMPLES
from bot.evidence.dialects.older_suite_runner.settle import by_summary, made_relative
from bot.evidence.dialects.paths import roots_of
from bot.evidence.dialects.port import NOTHING_TOLD, Told
from bot.evidence.dialects.suite_runner.resolve import resolve
from bot.evidence.dialects.suite_runner.scan import SuiteScanner

__all__ = ["EXAMPLES", "NAME", "OVERRIDES", "OlderScanner", "markers", "scanner"]

NAME: Final = "older_suite_runner"
OVERRIDES: Final[tuple[str, ...]] = ()
MARKERS: Final = (b"| Hardware   | Suite", b"\xe2\x9c\x85 Enabled ", b", estimated_time=")


class OlderScanner(SuiteScanner):
    """One log's reader."""

    def __init__(self, told: Told, more_needles: tuple[bytes, ...] = ()) -> None:
        super().__init__(records, more_needles)
        self._told = told

    def finish(self) -> ParsedLog:
        """What the log said."""
        found = made_relative(self.found, roots_of(self.found.head.checkouts, self._told))
        return resolve(found, NAME, by_summary)


def markers(told: Told) -> tuple[bytes, ...]:  # noqa: ARG001 - the protocol's signature
    """The table's title, a plan's announcement, or a timing."""
    return MARKERS


def scanner(told: Told = NOTHING_TOLD) -> OlderScanner:
    """A fresh reader for one log."""
    return OlderScanner(told)
