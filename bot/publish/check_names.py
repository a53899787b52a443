"""Names of check runs, and what their external id says: the work a press of a button is about. Pure.

The external id is written by us and comes back in the payload of a check run's events. One task has
one external id, so that a repeated step finds its check run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.domain import CheckAction, TaskRequest
from bot.publish.ports.checks import CheckButton

NIGHTLY_CHECK = "recalibrate / nightly"
REGISTRATIONS_CHECK = "recalibrate / registrations"
REEVALUATE = CheckButton("Re-evaluate", "Judge again by what is known now", CheckAction.REEVALUATE.value)
OPEN_PULL_REQUEST = CheckButton("Open pull request", "Propose these changes", CheckAction.OPEN_PULL_REQUEST.value)

_LONGEST_BASE = 150  # characters; GitHub says nothing of an external id's length, so ours stays below 255
_NIGHTLY = re.compile(r"nightly:([0-9]{1,18}):([0-9]{1,6}):[0-9A-Za-z-]{0,64}")
_REGISTRATIONS = re.compile(r"registrations:([0-9]{1,10}):[0-9A-Za-z-]{0,64}:(\S{1,150})")


@dataclass(frozen=True, slots=True)
class About:
    """What a check run is about: a run attempt, or a pull request with its base branch."""

    run_id: int = 0
    attempt: int = 0
    number: int = 0
    base: str = ""


def nightly_identity(request: TaskRequest) -> str:
    """The external id of a nightly's check run."""
    return f"nightly:{request.run_id}:{request.attempt}:{_again(request)}"


def registrations_identity(request: TaskRequest) -> str:
    """The external id of a pull request's check run. A very long base is left out: such a check has no buttons."""
    base = request.base if len(request.base) <= _LONGEST_BASE else ""
    return f"registrations:{request.number}:{_again(request)}:{base}"


def about(identity: str) -> About | None:
    """What an external id of ours says; None for any other text."""
    nightly, pull = _NIGHTLY.fullmatch(identity), _REGISTRATIONS.fullmatch(identity)
    if nightly:
        return About(run_id=int(nightly[1]), attempt=int(nightly[2]))
    return About(number=int(pull[1]), base=pull[2]) if pull else None


def _again(request: TaskRequest) -> str:
    """The delivery, where the same run or head is looked at once more."""
    return request.delivery if request.delivery and request.key.endswith(f":{request.delivery}") else ""
