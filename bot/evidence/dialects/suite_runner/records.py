"""Single lines of the suite runner's log, recognised by their exact form.

A line's text may follow unfinished output of a test ("glued"): the runner ends no line it did not
begin. Whether a recognised line is the runner's own, or a test that prints the same form, is not
decided here. Every pattern is anchored or bounded, so that no line costs more than its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.domain import Outcome

_NUMBER = rb"(\d{1,12}(?:\.\d{1,12})?)"
_HEADER = re.compile(
    rb"Hardware: (\S{1,64})  Suite: (\S{1,200})(?:  Cadence: (\S{1,64}))?(?:  [^:]{1,40}: \S{1,40}){0,4}"
    rb"  Partition: (?:full|(\d{1,6})/(\d{1,6}) \(0-based id=(\d{1,6})\))$"
)
_ENABLED = re.compile(rb"Enabled (\d{1,6}) test\(s\) \(est total \d{1,12}s\):$")
_PLANNED = re.compile(rb"  - (\S{1,512}) \(est_time=" + _NUMBER + rb"s\)( \[implicit\])?$")
_DISABLED = re.compile(rb"  - (\S{1,512}) \(reason: ")
_BRACKET = re.compile(rb"(Begin|End) \((\d{1,6})/(\d{1,6})\):$")
_TIMING = re.compile(
    rb"filename=(?:'([^'\s]{1,512})'|\"([^\"\s]{1,512})\"), elapsed=(\d{1,7}), _estimated_time=" + _NUMBER + rb"$"
)
_STATUS = re.compile(
    rb"\[(\d{1,6})/(\d{1,6})\] (\S{1,512})  (PASS|FAIL|TIMEOUT)  elapsed=(\d{1,7})s"
    rb"(?: exit=(-?\d{1,6}))?(?: timeout_after=\d{1,7}s)?(?: retry_of=attempt=\d{1,3})?$"
)
_SUMMARY = re.compile(rb"Test Summary: (\d{1,6})/(\d{1,6}) passed$")
_ITEM = re.compile(rb"  (\S{1,512})(?: \((.{1,200})\))?$")
_STATUS_WINDOW = 640  # a status line is at most so long

IN_FLIGHT_NEEDLES = (b"_estimated_time=", b"  elapsed=")  # while a test runs; the timing's stands first
NEEDLES = (*IN_FLIGHT_NEEDLES, b"Test Summary: ")  # between tests: any summary before is a test's own
RULE = b"=" * 60
STEP = b"##[group]Run "
SESSION = b"Running: pytest "
NO_TESTS = b"No tests to run. Exiting with success."


class Section(StrEnum):
    """The lists of a summary."""

    PASSED = "PASSED:"
    FAILED = "FAILED:"
    RETRIED = "RETRIED:"


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a plan. `partition_id` is zero-based; one partition where the log says `full`."""

    backend: str
    suite: str
    cadence: str
    partition_id: int
    partition_size: int


@dataclass(frozen=True, slots=True)
class Bracket:
    """`Begin (i/n-1):` or `End (i/n-1):`; both numbers count from zero."""

    begins: bool
    index: int
    last: int
    glued: bool


@dataclass(frozen=True, slots=True)
class Timing:
    """The line that follows an End bracket."""

    path: str
    elapsed_s: int
    est_s: float
    glued: bool


@dataclass(frozen=True, slots=True)
class StatusLine:
    """`[i/n] path  PASS  elapsed=…s`; both numbers count from one, the seconds are truncated."""

    number: int
    total: int
    path: str
    outcome: Outcome
    elapsed_s: int
    exit_code: int | None
    glued: bool


def text(raw: bytes) -> str:
    """Bytes of a log as text; what is not UTF-8 is replaced, and so never equals a planned path."""
    return raw.decode("utf-8", "replace")


def header(line: bytes) -> Header | None:
    """A plan's first line, None for any other line and for one whose numbers disagree."""
    found = _HEADER.match(line)
    place = partition(found) if found else None
    if not found or not place:
        return None
    return Header(text(found[1]).lower(), text(found[2]), text(found[3] or b""), *place)


def partition(found: re.Match[bytes]) -> tuple[int, int] | None:
    """(zero-based id, size) from a header's groups 4 to 6; one partition where it says `full`, None for nonsense."""
    if found[4] is None:
        return 0, 1
    number, size, index = (int(found[i]) for i in (4, 5, 6))
    return (index, size) if number == index + 1 and number <= size else None


def enabled(line: bytes) -> int | None:
    """The number of files that `Enabled N test(s)` announces."""
    found = _ENABLED.match(line)
    return int(found[1]) if found else None


def planned(line: bytes) -> tuple[str, float, bool] | None:
    """(path, estimate in seconds, implicit) of one planned file."""
    found = _PLANNED.match(line)
    return (text(found[1]), float(found[2]), found[3] is not None) if found else None


def disabled(line: bytes) -> str | None:
    """The path of one file that the plan skips. Each partition lists those of its whole suite."""
    found = _DISABLED.match(line)
    return text(found[1]) if found else None


def bracket(line: bytes) -> Bracket | None:
    """A Begin or End bracket, at the line's end."""
    found = _BRACKET.search(line)
    if not found:
        return None
    return Bracket(found[1] == b"Begin", int(found[2]), int(found[3]), found.start() > 0)


def timing(line: bytes) -> Timing | None:
    """A timing, at the line's end."""
    start = line.rfind(b"filename=")
    found = _TIMING.match(line, start) if start >= 0 else None
    if not found:
        return None
    return Timing(text(found[1] or found[2]), int(found[3]), float(found[4]), start > 0)


def status(line: bytes) -> StatusLine | None:
    """A status line, at the line's end."""
    offset = max(0, len(line) - _STATUS_WINDOW)
    found = _STATUS.search(line, offset)
    if not found:
        return None
    exit_code = None if found[6] is None else int(found[6])
    return StatusLine(
        int(found[1]),
        int(found[2]),
        text(found[3]),
        Outcome(text(found[4])),
        int(found[5]),
        exit_code,
        found.start() > 0,
    )


def summary(line: bytes) -> tuple[int, int] | None:
    """(passed, total) of a summary's first line. A test's own `4/4 combos passed` is not one."""
    found = _SUMMARY.match(line)
    return (int(found[1]), int(found[2])) if found else None


def section(line: bytes) -> Section | None:
    """The header of one list of a summary."""
    return next((one for one in Section if line == one.value.encode()), None)


def item(line: bytes) -> tuple[str, str] | None:
    """(path, reason) of one line of such a list; the reason is "" under `PASSED:`."""
    found = _ITEM.match(line)
    return (text(found[1]), text(found[2] or b"")) if found else None
