"""Nightlies that measure other repositories: their tasks are asked for here, and their runs found and agreed on.

A run of a host is evidence for a guest only where the host lists the guest under `evidence.for` and
the guest lists the host under `evidence.from`, each in its own default branch, at the moment the
guest's task begins. The guest's task reads the host's logs itself: paths and the tested commit are
those of the guest's own checkout (`bot.evidence.foreign`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.config_file import Absent, Unreadable, Valid
from bot.config_names import read_config
from bot.domain import HostRepository, Run, TaskRequest
from bot.errors import GoneError
from bot.evidence.foreign import Disagreement, Side, disagreement, measuring
from bot.records.repositories import Repository
from bot.repo_config import RepoConfig
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge
from bot.tasks.stepping import Json
from bot.tasks.values import Pinned
from bot.tasks.workshop import Workshop

MOST_GUESTS = 50  # of one nightly

_SAID: Mapping[Disagreement, str] = {
    Disagreement.NOT_TAKEN: "this repository's evidence.from does not list it",
    Disagreement.NOT_GIVEN: "its evidence.for does not list this repository",
    Disagreement.UNKNOWN: "its configuration cannot be used",
}


@dataclass(frozen=True, slots=True)
class HostedRun:
    """A run that both sides agree on, with the host's own word on which of its runs are nightlies."""

    run: Run
    host: Repository
    config: RepoConfig


def where_it_ran(request: TaskRequest) -> TaskRequest:
    """The request as one about the repository in which its run took place."""
    at = request.host
    if at is None:
        return request
    return replace(
        request,
        installation_id=at.installation_id,
        repository_id=at.repository_id,
        repository=at.repository,
        host=None,
    )


def for_guest(request: TaskRequest, guest: Repository) -> TaskRequest:
    """A host's request as the one of a guest that its run measures; the first take of it, whichever asks."""
    return replace(
        request,
        installation_id=guest.installation_id or 0,
        repository_id=guest.repository_id,
        repository=guest.full_name,
        host=HostRepository(request.installation_id, request.repository_id, request.repository),
        again=0,
    )


class Hosted:
    """Asks for guests' tasks, and finds their runs."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def ask(self, request: TaskRequest, pinned: Pinned) -> Json:
        """Ask for the task of each guest on which the App is installed; how many. Asked again it is the same task."""
        work = self._workshop.sweeping
        if work is None:  # a command, which works on one repository
            return 0
        named = {name.lower() for name in pinned.config.evidence.for_[:MOST_GUESTS]}
        covered = await asyncio.to_thread(self._workshop.store.repositories.covered)
        guests = [one for one in covered if one.full_name.lower() in named and not one.archived]
        for one in guests:
            await work.enqueue(for_guest(request, one))
        return len(guests)

    async def run(self, request: TaskRequest, guest: Side) -> HostedRun | Ending:
        """The host's run as one that measures the guest; or why it does not."""
        there = where_it_ran(request)
        forge = self._workshop.forge(there)
        host = await forge.facts()
        if host.repository_id != there.repository_id:
            return Ending(OutcomeName.REFUSED, f"{there.repository} is another repository now")
        config = await _config(forge, host)
        why = disagreement(guest, Side(host.full_name, config.evidence if config else None))
        if why is not None or config is None:
            return Ending(OutcomeName.REFUSED, f"a run of {host.full_name}: {_SAID[why or Disagreement.UNKNOWN]}")
        try:
            run = await forge.runs.run(request.run_id, request.attempt)
        except GoneError as error:
            return Ending(OutcomeName.RUN_GONE, str(error))
        return HostedRun(measuring(run, guest.repository), host, config)


async def _config(forge: Forge, host: Repository) -> RepoConfig | None:
    """The host's configuration as its default branch has it; None where it cannot be used."""
    raw = await forge.files.config(await forge.files.tip(host.default_branch))
    state = raw if isinstance(raw, Unreadable) else read_config(raw)
    return state.config if isinstance(state, Valid | Absent) else None
