"""Values of a comment command's road: who was let in, and what is answered. JSON-plain between steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain import CommitSha, Run, RunId
from bot.publish.ports.pulls import PullRequestState
from bot.repo_config import RepoConfig
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.values import Kept


class Place(StrEnum):
    """Where a command was given."""

    ISSUE = "issue"
    OWN_PULL = "own_pull"  # of the App's rolling branch
    OTHER_PULL = "other_pull"


@dataclass(frozen=True, slots=True)
class Admitted:
    """Who asked may ask this. `newest` is the newest attempt of a known night, None without any."""

    place: Place
    base: str
    base_sha: CommitSha
    config: RepoConfig
    pull: PullRequestState | None = None
    newest: Run | None = None


@dataclass(frozen=True, slots=True)
class NamedRun:
    """A run a person named, and its newest attempt."""

    run_id: RunId
    attempt: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered (Markdown), and how the task ends."""

    ending: Ending
    text: str

    @property
    def well(self) -> bool:
        """True where what was asked for was done, or there was nothing to do."""
        return self.ending.name in _WELL


_WELL = frozenset(
    {
        OutcomeName.ANSWERED,
        OutcomeName.SWITCHED,
        OutcomeName.PUBLISHED,
        OutcomeName.REFRESHED,
        OutcomeName.WITHDRAWN,
        OutcomeName.NOTHING_TO_CHANGE,
        OutcomeName.REPORT_ONLY,
        OutcomeName.OBSERVED,
    }
)

ADMITTED: Kept[Admitted] = Kept(Admitted)
NAMED: Kept[tuple[NamedRun, ...]] = Kept(tuple[NamedRun, ...])
REPLY: Kept[Reply] = Kept(Reply)
