"""The first page: the repositories that a visitor may see, each with how its last nightly ended.

Who may see what is asked elsewhere, before anything here is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.dashboard.endings import Ended, ended
from bot.dashboard.templates import Frame, render
from bot.domain import RepositoryId, TaskKind
from bot.records.repositories import Repository
from bot.store.open import Store

MOST = 50  # repositories on one page


@dataclass(frozen=True, slots=True)
class Row:
    """One repository with the end of its last nightly, None where none has ended."""

    repository: Repository
    at: datetime | None
    ended: Ended


def candidates(store: Store, after: RepositoryId) -> Sequence[Repository]:
    """Every repository that the App has access to, behind an id; whoever is shown one must be asked about first."""
    return [one for one in store.repositories.covered() if one.repository_id > after]


def rows(store: Store, shown: Sequence[Repository]) -> tuple[Row, ...]:
    """What is told of each repository."""
    last = {one: store.outcomes.last(one.repository_id, TaskKind.NIGHTLY) for one in shown}
    return tuple(Row(one, found.ended_at if found else None, ended(found)) for one, found in last.items())


def page(frame: Frame, listed: Sequence[Row], further: str) -> str:
    """The page; `further` is the address of the next one, "" at the end."""
    return render("home.html", frame, rows=listed, further=further)
