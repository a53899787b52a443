"""Evidence of a repository whose nightly runs in another one: both sides must have said so. Pure.

The watched repository lists the other under `evidence.from`, the other lists it under
`evidence.for`; one word alone is not enough, for anybody may write either. Such a run's head is a
commit of the other repository, so each job speaks for the commit that its own checkout of the
watched repository fetched, and a job that shows none speaks for nothing (`bot.evidence.classify`).
Where either configuration comes from is the caller's business.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from bot.domain import Run
from bot.repo_config.nights import Evidence


class Disagreement(StrEnum):
    """Why runs of another repository are not evidence."""

    NOT_TAKEN = "not_taken"  # the watched repository does not list the other
    NOT_GIVEN = "not_given"  # the other repository does not list the watched one
    UNKNOWN = "unknown"  # the other repository's configuration could not be had


@dataclass(frozen=True, slots=True)
class Side:
    """A repository (owner/name) and what its own configuration says; None where it could not be had."""

    repository: str
    evidence: Evidence | None


def disagreement(watched: Side, hosting: Side) -> Disagreement | None:
    """None where both repositories name one another; GitHub's names know no case."""
    taken = watched.evidence.from_ if watched.evidence else ()
    if not _names(taken, hosting.repository):
        return Disagreement.NOT_TAKEN
    if hosting.evidence is None:
        return Disagreement.UNKNOWN
    return None if _names(hosting.evidence.for_, watched.repository) else Disagreement.NOT_GIVEN


def measuring(run: Run, watched: str) -> Run:
    """The run as one that measures the watched repository; its own runs are as they were."""
    return run if run.repository.lower() == watched.lower() else replace(run, measures=watched)


def _names(listed: tuple[str, ...], repository: str) -> bool:
    return repository.lower() in {name.lower() for name in listed}
