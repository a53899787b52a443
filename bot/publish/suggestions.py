"""Review suggestions on literal lines of a pull request: which lines may carry one, and their text. Pure.

GitHub takes a review comment on a line only where the pull request's diff shows it, and a suggestion
replaces whole lines. So a value is suggested where its line is in a hunk and can be written down
exactly; everywhere else the table of the answer has to do.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain import CommitSha, Proposal, TestPath
from bot.publish.body_changes import arrow
from bot.publish.evidence_csv import number
from bot.publish.markdown import plural
from bot.publish.names import marker
from bot.publish.ports.reviews import ChangedFile, LineComment, NewReview
from bot.publish.visible import visible

MOST_SUGGESTIONS = 30  # of one review; the table names all
_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_TICKS = re.compile("`+")
_LINE_LIMIT = 1000  # characters of a line that is still suggested


@dataclass(frozen=True, slots=True)
class Replacement:
    """A proposed literal and the whole line it stands in afterwards, None where that cannot be written down."""

    proposal: Proposal
    line: str | None


def shown_lines(patch: str | None) -> frozenset[int]:
    """The lines (1-based) of the new file that a patch shows; none for a patch GitHub leaves out."""
    found: set[int] = set()
    at = 0
    for line in (patch or "").split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            at = int(hunk[1])
        elif line.startswith(("+", " ")) and at:
            found.add(at)
            at += 1
    return frozenset(found)


def line_text(raw: bytes, line: int) -> str | None:
    """One line (1-based) as a suggestion can hold it: UTF-8, nothing invisible, LF at its end; None for any other."""
    lines = raw.split(b"\n")
    if not 1 <= line <= len(lines):
        return None
    try:
        text = lines[line - 1].decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError:
        return None
    return text if text == visible(text) and len(text) <= _LINE_LIMIT else None


def suggestions(replacements: Iterable[Replacement], files: Sequence[ChangedFile]) -> tuple[LineComment, ...]:
    """One comment for each literal whose line the diff shows, by path and line."""
    shown: Mapping[str, frozenset[int]] = {file.path: shown_lines(file.patch) for file in files}
    found = [
        LineComment(_path(one), one.proposal.registration.est_line, _body(one, one.line))
        for one in replacements
        if one.line is not None and one.proposal.registration.est_line in shown.get(_path(one), frozenset())
    ]
    return tuple(sorted(found, key=lambda one: (one.path, one.line)))[:MOST_SUGGESTIONS]


def review(comments: tuple[LineComment, ...], head_sha: CommitSha, app_id: int) -> NewReview:
    """The review that carries the comments. The same ones on the same head are one review, whoever asks again."""
    digest = hashlib.sha256(repr((head_sha, comments)).encode()).hexdigest()[:16]
    mark = marker(app_id, f"suggest:{digest}")
    said = f"{plural(len(comments), 'value')} measured by the nightlies, as {_suggestions(len(comments))}."
    return NewReview(mark, head_sha, f"{mark}\n{said}\n", comments)


def _suggestions(count: int) -> str:
    return "a suggestion" if count == 1 else "suggestions"


def _path(one: Replacement) -> TestPath:
    return one.proposal.registration.file


def _body(one: Replacement, line: str) -> str:
    """A sentence and the suggestion; its fence is longer than any run of backticks in the line."""
    proposal = one.proposal
    estimate = proposal.estimate
    longest = max((len(found) for found in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return (
        f"`est_time` {number(proposal.registration.est_time)} → {proposal.after}: slowest pass "
        f"{estimate.max_elapsed_s} s of {plural(estimate.n, 'pass', 'passes')} in {plural(estimate.nights, 'night')}; "
        f"timeout limit {arrow(str(proposal.timeout_before_s), str(proposal.timeout_after_s), ' s')}.\n\n"
        f"{fence}suggestion\n{line}\n{fence}\n"
    )
