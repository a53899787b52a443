"""Values that pass between steps, as JSON and back: a step's kept result is JSON-plain."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from bot.domain import CommitSha, Run
from bot.publish.pull_request import Prepared
from bot.repo_config import RepoConfig
from bot.tasks.outcomes import Ending
from bot.tasks.stepping import Json

T = TypeVar("T")


class PersonsTip(StrEnum):
    """What is done where a person's commits are on the rolling branch."""

    LEAVE = "leave"
    SAVE = "save"  # asked for: it is saved under a name of its own, and the branch goes back to its base


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a nightly task is about, fixed at its start. `base` is the branch, `base_sha` its tip then."""

    run: Run
    base: str
    base_sha: CommitSha
    config: RepoConfig
    tip: PersonsTip = PersonsTip.LEAVE


@dataclass(frozen=True, slots=True)
class Collected:
    """What the logs gave. `empty` counts logs that had no bytes and may have some later."""

    rows: int
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Where an evaluation is kept, and what it was made on."""

    evaluation_id: str
    base_sha: CommitSha


@dataclass(frozen=True, slots=True)
class BaseMoved:
    """The base branch is elsewhere now: identity has to be checked again there."""

    base_sha: CommitSha


@dataclass(frozen=True, slots=True)
class PullPinned:
    """What a pull request's check run is about. `unusable` says why the configuration cannot be gone by."""

    head_sha: CommitSha
    merge_base: CommitSha
    config: RepoConfig
    unusable: str = ""


@dataclass(frozen=True, slots=True)
class Permitted:
    """A person may ask for what they asked for."""

    login: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The branches are where they should be."""

    evidence_commit: CommitSha


@dataclass(frozen=True, slots=True)
class Redelivered:
    """How many failed deliveries were asked for again, and how many were left because they never arrive.

    `refused`: why GitHub does not say which failed.
    """

    asked: int
    left: int
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ToLookAt:
    """Repositories by id, the permissions that installations lack, and how many installations had not told."""

    repositories: tuple[int, ...]
    lacking: dict[int, tuple[str, ...]]
    untold: int = 0


@dataclass(frozen=True, slots=True)
class Looked:
    """What a sweep did for one repository: tasks asked for, troubles said; `refused` says why it could not look.

    `cut` counts lists of runs of which only the newest were read.
    """

    repository_id: int
    asked: int = 0
    said: tuple[str, ...] = ()
    refused: str = ""
    cut: int = 0


class Kept(Generic[T]):
    """One kind of step result: either its value or an ending, to JSON and back. `kind` is the value's type."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind
        self._adapter: TypeAdapter[Any] = TypeAdapter(kind)
        self._ending: TypeAdapter[Ending] = TypeAdapter(Ending)

    def dump(self, value: T | Ending) -> Json:
        """The value as JSON-plain data. Of a configuration what was written: some defaults depend on that."""
        if isinstance(value, Ending):
            return {"ending": self._ending.dump_python(value, mode="json")}
        return {"value": self._adapter.dump_python(value, mode="json", by_alias=True, exclude_unset=True)}

    def load(self, data: Json) -> T | Ending:
        """What `dump` was given."""
        if not isinstance(data, dict):
            raise TypeError("a step's result must be an object")
        if "ending" in data:
            return self._ending.validate_python(data["ending"])
        value: T = self._adapter.validate_json(_text(data["value"]))
        return value


def _text(data: Json) -> bytes:
    """JSON text again: the strict configuration model takes lists for tuples only from JSON."""
    return json.dumps(data).encode()


PINNED: Kept[Pinned] = Kept(Pinned)
COLLECTED: Kept[Collected] = Kept(Collected)
EVALUATED: Kept[Evaluated] = Kept(Evaluated)
PULL_PINNED: Kept[PullPinned] = Kept(PullPinned)
PERMITTED: Kept[Permitted] = Kept(Permitted)
MOVED: Kept[Moved | BaseMoved] = Kept(Moved | BaseMoved)
PREPARED: Kept[Prepared | BaseMoved] = Kept(Prepared | BaseMoved)
ENDING: Kept[Ending] = Kept(Ending)
REDELIVERED: Kept[Redelivered] = Kept(Redelivered)
SWEPT_LIST: Kept[ToLookAt] = Kept(ToLookAt)
WAITING: Kept[tuple[str, ...]] = Kept(tuple[str, ...])
LOOKED: Kept[Looked] = Kept(Looked)
