"""What the older suite runner's log means: paths of the repository, and tries judged by the summary.

Without status lines only the final summary says how a file ended, and only for its last try. A file
that was tried several times is settled where the summary counts as many tries as the log has End
records: then the last one is the one that passed or failed. Anything else is left unsettled.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from bot.domain import Contradiction, Outcome
from bot.evidence.dialects.paths import Roots
from bot.evidence.dialects.suite_runner.files import Files
from bot.evidence.dialects.suite_runner.found import Found, SummaryBlock
from bot.evidence.dialects.suite_runner.records import Section

_ATTEMPTS: Final = re.compile(r"(\d{1,3}) attempts")


def made_relative(found: Found, roots: Roots) -> Found:
    """The same lines with every path that `roots` explain as one of the repository."""
    for plan in found.plans:
        plan.files = [(roots.relative(path), *rest) for path, *rest in plan.files]  # type: ignore[misc] # the same four
        plan.disabled = tuple(map(roots.relative, plan.disabled))
    found.timings = [(line, end, replace(one, path=roots.relative(one.path))) for line, end, one in found.timings]
    for summary in found.summaries:
        for section, items in summary.lists.items():
            summary.lists[section] = [(roots.relative(path), reason, line) for path, reason, line in items]
    return found


def by_summary(files: Files, summary: SummaryBlock | None) -> None:
    """Give every file's tries their outcome, as far as the summary tells it."""
    if summary is None:
        return
    passed = {path for path, _, _ in summary.lists.get(Section.PASSED, [])}
    failed = {path: reason for path, reason, _ in summary.lists.get(Section.FAILED, [])}
    retried = {path: reason for path, reason, _ in summary.lists.get(Section.RETRIED, [])}
    for path, grown in files.grown.items():
        counted = _ATTEMPTS.match(retried.get(path, "1 attempts"))
        if not grown.tries or (path in passed) == (path in failed):
            continue
        if counted is None or int(counted[1]) != len(grown.tries):
            grown.contradiction = grown.contradiction or Contradiction.TRIES_DIFFER
            continue
        last = Outcome.PASS if path in passed else _failure(failed[path])
        outcomes = [*([Outcome.FAIL] * (len(grown.tries) - 1)), last]
        grown.tries = [replace(one, outcome=outcome) for one, outcome in zip(grown.tries, outcomes, strict=True)]


def _failure(reason: str) -> Outcome:
    """`timeout after 1200s`, or `exit code 1`."""
    return Outcome.TIMEOUT if reason.startswith("timeout ") else Outcome.FAIL
