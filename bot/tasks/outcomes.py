"""How a task can end: one name each, stored and shown where a person looks for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.publish.plan import PublishPlan


class OutcomeName(StrEnum):
    """Every way in which a task ends."""

    PUBLISHED = "published"  # a new commit, and the pull request opened or updated
    REFRESHED = "refreshed"  # the same proposals: evidence and body are newer, the branch is as it was
    WITHDRAWN = "withdrawn"  # nothing left to change: our pull request was closed
    NOTHING_TO_CHANGE = "nothing_to_change"
    REPORT_ONLY = "report_only"
    OBSERVED = "observed"
    PAUSED = "paused"
    DECLINED = "declined"
    NOT_DUE = "not_due"  # the schedule of the pull request allows no update yet
    QUESTION_ASKED = "question_asked"  # whole suites moved together: an issue asks a person
    BRANCH_OF_A_PERSON = "branch_of_a_person"
    BRANCH_OF_ANOTHER_APP = "branch_of_another_app"
    BRANCH_PROTECTED = "branch_protected"
    NOT_SAVED = "not_saved"  # a rebuild whose first half, saving a person's commits, was refused
    GATE_REFUSED = "gate_refused"  # the tree about to be published is not the base's with the planned literals
    PULL_REQUEST_FORBIDDEN = "pull_request_forbidden"
    BASE_KEEPS_MOVING = "base_keeps_moving"
    ARCHIVED = "archived"
    NOT_A_NIGHTLY = "not_a_nightly"
    NO_TIMINGS = "no_timings"
    RUN_GONE = "run_gone"
    LOGS_FORBIDDEN = "logs_forbidden"
    CONFIG_INVALID = "config_invalid"
    CONFIG_UNREADABLE = "config_unreadable"
    ANSWERED = "answered"  # a comment command that changes nothing but its answer
    SWITCHED = "switched"  # paused or resumed
    MISUNDERSTOOD = "misunderstood"  # a comment that speaks to us and is no command
    DENIED = "denied"  # the role of who asked does not allow it
    UNVERIFIED = "unverified"  # the role of who asked could not be looked up
    NOTHING_MEASURED = "nothing_measured"  # no night of this repository is known yet
    CHECKED = "checked"  # a pull request's check run was put, or those on a commit were asked for again
    NOTHING_TO_CHECK = "nothing_to_check"  # it was put, and says that nothing concerns us
    CHECKS_OFF = "checks_off"  # by configuration
    SWEPT = "swept"  # something never arrived, or has gone quiet; the detail counts what was done
    TRIMMED = "trimmed"  # what was kept for long enough was deleted; the detail counts it
    NOTHING_TO_DO = "nothing_to_do"  # a sweep that found everything in its place; the detail says why
    SUSPENDED = "suspended"  # the installation is suspended: nothing is done for it
    INSTALLATION_NOTED = "installation_noted"
    PARKED = "parked"  # GitHub is away for longer than a task waits: it is taken up again by itself
    GIVEN_UP = "given_up"  # taken up as often as it may be, and GitHub was away each time
    REFUSED = "refused"  # something a person must change; the detail says what
    INTERNAL_ERROR = "internal_error"


@dataclass(frozen=True, slots=True)
class Ending:
    """A task's end: its name, one sentence for a person, and where a rebuild saved what it replaced.

    `owed` names the step that could not be done although it may be done later: the task is taken up
    again for it, not before `after_s` seconds where the server named them.
    """

    name: OutcomeName
    detail: str = ""
    saved: str = ""  # a branch
    owed: str = ""
    after_s: float | None = None


OF_PLAN = {
    PublishPlan.NOTHING_TO_CHANGE: OutcomeName.NOTHING_TO_CHANGE,
    PublishPlan.REPORT_ONLY: OutcomeName.REPORT_ONLY,
    PublishPlan.OBSERVE: OutcomeName.OBSERVED,
    PublishPlan.PAUSED: OutcomeName.PAUSED,
    PublishPlan.DECLINED: OutcomeName.DECLINED,
    PublishPlan.NOT_DUE: OutcomeName.NOT_DUE,
    PublishPlan.QUESTION: OutcomeName.QUESTION_ASKED,
    PublishPlan.BRANCH_OF_ANOTHER_APP: OutcomeName.BRANCH_OF_ANOTHER_APP,
}
