"""Names of what we put on GitHub: branches, markers, trailers. Other Apps' markers are recognised here.

Every text of ours carries `<!-- recalibrate app=<id> key=<key> -->`. A text with another id is
another App's and is never touched. Branches: `recalibrate/<base>` rolls, `recalibrate/evidence`
only grows.
"""

from __future__ import annotations

import re

EVIDENCE_BRANCH = "recalibrate/evidence"
PROPOSALS_TRAILER = "Recalibrate-Proposals"
CONTENT_TRAILER = "Recalibrate-Content"
ROLLING_KEY = "rolling"

_MARKER = re.compile(r"<!-- recalibrate app=(\d{1,20}) key=([A-Za-z0-9:._/-]{1,200}) -->")
_TRAILER = re.compile(r"^(Recalibrate-[A-Za-z]+): ([0-9a-f]{64})$", re.MULTILINE)


def rolling_branch(base: str) -> str:
    """The one branch that carries proposals for a base branch."""
    return f"recalibrate/{base}"


def saved_branches(tip: str) -> tuple[str, ...]:
    """Names under which a person's tip may be saved, the first that is free, or is at that tip, to be taken."""
    return tuple(f"recalibrate/saved/{tip[:digits]}" for digits in (7, 12, 40))


def marker(app_id: int, key: str) -> str:
    """What a text of ours is found by."""
    return f"<!-- recalibrate app={app_id} key={key} -->"


def app_of(text: str, key: str) -> int | None:
    """The App whose marker of this key a text carries; None without one. The last one counts."""
    found = [int(match[1]) for match in _MARKER.finditer(text) if match[2] == key]
    return found[-1] if found else None


def trailer_of(message: str, name: str) -> str | None:
    """The value of a commit message's trailer; None without one."""
    found = [value for key, value in _TRAILER.findall(message) if key == name]
    return found[-1] if found else None
