"""The log dialect of radixark/miles' suite runner (tests/ci/run_suite.py and ci_utils.py).

The runner prints, in this order: a plan (once by `--list-only`, once before it executes); for each
try of each file a group title, `Begin (i/n-1):`, `End (i/n-1):` followed by
`filename='…', elapsed=…, _estimated_time=…`, and `[i/n] path  PASS|FAIL|TIMEOUT  elapsed=…s`; at the
end `Test Summary: k/n passed` with the files under `PASSED:` and `FAILED:`. Plan, groups and status
lines are stdout, all else is stderr, and the Actions runner does not keep the two in order.

`records` recognises single lines, `scan` finds them in a stream, `resolve` judges which of them
are the runner's own. What a record means for a file is `bot.evidence.classify`'s part.
"""

from __future__ import annotations

from typing import Final

from bot.evidence.dialects.port import NOTHING_TOLD, Told
from bot.evidence.dialects.suite_runner.examples import EXAMPLES
from bot.evidence.dialects.suite_runner.scan import SuiteScanner

__all__ = ["EXAMPLES", "NAME", "OVERRIDES", "markers", "scanner"]

NAME: Final = "suite_runner"
OVERRIDES: Final[tuple[str, ...]] = ()
_MARKERS: Final = (b" test(s) (est total ", b"No tests to run. Exiting with success.", b"tests/ci/run_suite.py")


def markers(told: Told) -> tuple[bytes, ...]:  # noqa: ARG001 - the protocol's signature
    """A plan's announcement, the runner's name, or its word that there is nothing to run."""
    return _MARKERS


def scanner(told: Told = NOTHING_TOLD) -> SuiteScanner:  # noqa: ARG001 - the protocol's signature
    """A fresh reader for one log."""
    return SuiteScanner()
