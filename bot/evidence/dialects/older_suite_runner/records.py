"""Single lines of the older suite runner's log, recognised by their exact form.

What differs from the present runner: a table for a header, a mark before `Enabled` and before the
lists of the summary, `estimated_time=` without its underscore, and no status lines at all.
"""

from __future__ import annotations

import re

from bot.evidence.dialects.suite_runner.records import (
    Header,
    Section,
    StatusLine,
    Timing,
    bracket,
    disabled,
    item,
    partition,
    summary,
    text,
)

__all__ = [
    "IN_FLIGHT_NEEDLES",
    "NEEDLES",
    "NO_TESTS",
    "bracket",
    "disabled",
    "enabled",
    "header",
    "item",
    "planned",
    "section",
    "status",
    "summary",
    "timing",
]

_NUMBER = rb"(\d{1,12}(?:\.\d{1,12})?)"
_MARK = rb"(?:[^\x00-\x7f]{1,12} {1,2})?"  # a tick, a cross, a warning sign
_HEADER = re.compile(
    rb"\| (\S{1,64}) {1,64}\| (\S{1,200}) {1,200}\| (True|False) {1,64}"
    rb"\| (?:full|(\d{1,6})/(\d{1,6}) \(0-based id=(\d{1,6})\)) {1,64}\|$"
)
_ENABLED = re.compile(_MARK + rb"Enabled (\d{1,6}) test\(s\) \(est total \d{1,12}(?:\.\d{1,12})?s\):$")
_PLANNED = re.compile(rb"  - (\S{1,512}) \(est_time=" + _NUMBER + rb"s?\)(?: \[[^\]]{1,80}\])?$")
_TIMING = re.compile(
    rb"filename=(?:'([^'\s]{1,512})'|\"([^\"\s]{1,512})\"), elapsed=(\d{1,7}), _?estimated_time=" + _NUMBER + rb"$"
)
_SECTION = re.compile(_MARK + rb"(PASSED|FAILED|RETRIED):$")

IN_FLIGHT_NEEDLES = (b"estimated_time=", b"Test Summary:")  # a killed test may leave no End record
NEEDLES = IN_FLIGHT_NEEDLES
NO_TESTS = b"This is expected during incremental migration. Skipping."


def header(line: bytes) -> Header | None:
    """The row of the plan's table; None for its title row, and where the numbers disagree."""
    found = _HEADER.match(line)
    place = partition(found) if found else None
    if not found or not place:
        return None
    cadence = "nightly" if found[3] == b"True" else ""
    return Header(text(found[1]).lower(), text(found[2]), cadence, *place)


def enabled(line: bytes) -> int | None:
    """The number of files that `Enabled N test(s)` announces."""
    found = _ENABLED.match(line)
    return int(found[1]) if found else None


def planned(line: bytes) -> tuple[str, float, bool] | None:
    """(path, estimate in seconds, False) of one planned file: this runner knows no implicit ones."""
    found = _PLANNED.match(line)
    return (text(found[1]), float(found[2]), False) if found else None


def timing(line: bytes) -> Timing | None:
    """A timing, at the line's end."""
    start = line.rfind(b"filename=")
    found = _TIMING.match(line, start) if start >= 0 else None
    if not found:
        return None
    return Timing(text(found[1] or found[2]), int(found[3]), float(found[4]), start > 0)


def status(line: bytes) -> StatusLine | None:  # noqa: ARG001 - the vocabulary's signature
    """This runner writes none."""
    return None


def section(line: bytes) -> Section | None:
    """The header of one list of a summary, with or without its mark."""
    found = _SECTION.match(line)
    return Section(f"{text(found[1])}:") if found else None
