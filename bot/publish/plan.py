"""Decides what to do with the rolling branch and its pull request. Pure: facts in, a named plan out.

The rules are docs/architecture.md, "The pull request": one branch a base, a person's commit is
never overwritten, a closed pull request stays closed for the same values, equal proposals leave
the branch alone. Carrying a plan out is `bot.publish.pull_request`'s part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.domain import CommitSha, Evaluation, Keep, KeepReason, Proposal
from bot.publish.names import ROLLING_KEY, app_of
from bot.publish.ports.pulls import PullRequestState


class PublishPlan(StrEnum):
    """What is to happen. Only PUBLISH, REFRESH and WITHDRAW change anything."""

    PUBLISH = "publish"  # a new commit on the base's tip, and the pull request
    REFRESH = "refresh"  # same proposals: the branch stays, evidence and body are renewed
    WITHDRAW = "withdraw"  # nothing left to change: our open pull request is closed
    NOTHING_TO_CHANGE = "nothing_to_change"
    REPORT_ONLY = "report_only"
    OBSERVE = "observe"
    PAUSED = "paused"
    DECLINED = "declined"  # a person closed it with these values, and the evidence has not moved
    NOT_DUE = "not_due"  # the schedule allows no update yet
    QUESTION = "question"  # whole suites moved together: a person is asked first
    BRANCH_OF_A_PERSON = "branch_of_a_person"
    BRANCH_OF_ANOTHER_APP = "branch_of_another_app"


class Standing(StrEnum):
    """Whether a repository wants pull requests at present."""

    PROPOSE = "propose"
    OBSERVE = "observe"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class BranchFacts:
    """What is known of the rolling branch. `tip` None: there is no such branch.

    `tip_digest` is the proposals digest of the commit at the tip where it is one of ours, None
    where it is not, "" where it is not and is saved first. `declined` holds digests that a person closed.
    """

    tip: CommitSha | None
    tip_digest: str | None
    pulls: tuple[PullRequestState, ...]  # of the branch, newest first
    declined: frozenset[str] = frozenset()
    due: bool = True  # the schedule of the pull request allows an update now

    @property
    def open_pull(self) -> PullRequestState | None:
        """The open pull request of the branch."""
        return next((pull for pull in self.pulls if pull.state == "open"), None)


def choose(evaluation: Evaluation, digest: str, facts: BranchFacts, app_id: int, standing: Standing) -> PublishPlan:
    """The plan for one evaluation. The first rule that holds decides."""
    if evaluation.report_only:
        return PublishPlan.REPORT_ONLY
    if standing is not Standing.PROPOSE:
        return PublishPlan.OBSERVE if standing is Standing.OBSERVE else PublishPlan.PAUSED
    if _another_app(facts.pulls[:1], app_id):
        return PublishPlan.BRANCH_OF_ANOTHER_APP
    if facts.tip is not None and facts.tip_digest is None:
        return PublishPlan.BRANCH_OF_A_PERSON
    if not evaluation.edits and _held(evaluation, KeepReason.MASS_CHANGE):
        return PublishPlan.QUESTION
    if not evaluation.edits:
        withdrawn = facts.open_pull is not None and not evaluation.narrowed  # part of it says nothing about the rest
        nothing = PublishPlan.DECLINED if _held(evaluation, KeepReason.DECLINED) else PublishPlan.NOTHING_TO_CHANGE
        return PublishPlan.WITHDRAW if withdrawn else nothing
    if facts.open_pull is None and (digest in facts.declined or _labels_of_a_declined(evaluation)):
        return PublishPlan.DECLINED
    if not facts.due:
        return PublishPlan.NOT_DUE
    same = facts.tip_digest == digest and facts.open_pull is not None
    return PublishPlan.REFRESH if same else PublishPlan.PUBLISH


def _labels_of_a_declined(evaluation: Evaluation) -> bool:
    """True where nothing is left but labels, and a person closed the pull request that held them with its values."""
    estimates = any(isinstance(one, Proposal) for one in evaluation.decisions)
    return not estimates and _held(evaluation, KeepReason.DECLINED)


def _held(evaluation: Evaluation, reason: KeepReason) -> bool:
    return any(isinstance(one, Keep) and one.reason is reason for one in evaluation.decisions)


def _another_app(pulls: Sequence[PullRequestState], app_id: int) -> bool:
    return any(app_of(pull.body, ROLLING_KEY) not in (None, app_id) for pull in pulls)
