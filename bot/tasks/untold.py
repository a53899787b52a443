"""Installations whose event never arrived: GitHub's list is held against what is known, and the difference asked about.

Asking is a task of its own for each, the one that the event would have made. Bounded in tasks; those
that are known are asked about in turn, for the repositories that were added or taken away unheard.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from bot.domain import TaskKind, TaskRequest
from bot.records.repositories import Installation, InstallationLacks

T = TypeVar("T")

MOST_ASKED = 20  # unknown or changed ones in one sweep
MOST_AGAIN = 10  # known ones that are asked about in turn


def untold(listed: Iterable[InstallationLacks], known: Iterable[Installation]) -> tuple[int, ...]:
    """Installations that GitHub lists and we do not know so, and those we know and GitHub does not list, by id."""
    there = {one.installation.installation_id: one.installation.suspended for one in listed}
    here = {one.installation_id: one.suspended for one in known}
    return tuple(sorted(number for number in there.keys() | here.keys() if there.get(number) != here.get(number)))


def known_in_turn(known: Iterable[Installation], turn: int) -> tuple[int, ...]:
    """Some known installations that are at work, other ones each time."""
    return in_turn(sorted(one.installation_id for one in known if not one.suspended), turn, MOST_AGAIN)


def in_turn(ids: Sequence[T], turn: int, most: int) -> tuple[T, ...]:
    """All, or where there are more than `most` the next ones. `turn` counts up by one from sweep to sweep."""
    if len(ids) <= most:
        return tuple(ids)
    start = turn * most % len(ids)
    return tuple([*ids[start:], *ids[:start]][:most])


def to_ask(numbers: Iterable[int], sweep: str) -> list[TaskRequest]:
    """The task of each; one and the same for whoever asks in the same sweep."""
    return [TaskRequest(TaskKind.INSTALLATION, number, delivery=f"sweep:{sweep}:{number}") for number in numbers]


def lacking(listed: Iterable[InstallationLacks]) -> Mapping[int, tuple[str, ...]]:
    """What each installation at work does not grant, by its id; only those that lack something."""
    return {one.installation.installation_id: one.lacking for one in listed if one.lacking}
