"""The step that fixes what a nightly task is about: the run attempt, the base, the configuration.

Drops what is no nightly by the repository's own configuration, which routing knows only as it was
stored. A configuration that cannot be used is said once, in an issue, and withdrawn when healed.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.config_file import Absent, ConfigState, Invalid, Unreadable, Valid
from bot.config_names import read_config
from bot.domain import CommitSha, NightlyFilter, Run, TaskRequest
from bot.errors import GoneError
from bot.evidence.foreign import Side
from bot.publish.notice import Report, Trouble
from bot.records.repositories import ConfigSnapshot, ConfigStatus, Repository
from bot.repo_config import RepoConfig
from bot.tasks.hosted import Hosted
from bot.tasks.noticing import heal, tell
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Beginning, Forge
from bot.tasks.stepping import Json
from bot.tasks.values import PINNED, Pinned
from bot.tasks.workshop import Workshop


@dataclass(frozen=True, slots=True)
class _Facts:
    """What was pinned, and why the run is no nightly ("": it is one)."""

    pinned: Pinned
    refusal: str


class Pinning:
    """The first step of a nightly task."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._hosted = Hosted(workshop)

    async def pin(self, request: TaskRequest) -> Json:
        """The pinned facts, or the ending that they mean."""
        return PINNED.dump(await self._pin(request))

    async def pin_named(self, request: TaskRequest) -> Json:
        """The same for a run that a person named: one that is no nightly is pinned untrusted, for reporting."""
        found = await self._facts(request)
        return PINNED.dump(found.pinned if isinstance(found, _Facts) else found)

    async def _pin(self, request: TaskRequest) -> Pinned | Ending:
        found = await self._facts(request)
        if isinstance(found, Ending):
            return found
        return Ending(OutcomeName.NOT_A_NIGHTLY, found.refusal) if found.refusal else found.pinned

    async def _facts(self, request: TaskRequest) -> _Facts | Ending:
        forge, store = self._workshop.forge(request), self._workshop.store
        begin = await forge.beginning()
        repository = begin.repository
        if repository.repository_id != request.repository_id:
            return Ending(OutcomeName.REFUSED, f"{request.repository} is another repository now")
        known = replace(repository, installation_id=request.installation_id or None)
        await asyncio.to_thread(store.repositories.save, known)
        if repository.archived:
            return Ending(OutcomeName.ARCHIVED)
        if request.host is not None:
            return await self._hosted_facts(request, forge, begin)
        try:
            run = await forge.runs.run(request.run_id, request.attempt)
        except GoneError as error:
            return Ending(OutcomeName.RUN_GONE, str(error))
        stored = await asyncio.to_thread(store.states.nightly_filter, request.repository_id)
        base = _base(run, repository, stored)
        base_sha = await _tip(forge, begin, base)
        config = await self._config(request, forge, base_sha)
        if isinstance(config, Ending):
            return config
        refusal = not_a_nightly(run, config, repository)
        return _Facts(Pinned(replace(run, trusted=not refusal), base, base_sha, config), refusal)

    async def _hosted_facts(self, request: TaskRequest, forge: Forge, begin: Beginning) -> _Facts | Ending:
        """The same for a nightly of another repository: its head is no commit of this one's."""
        repository = begin.repository
        base_sha = await _tip(forge, begin, repository.default_branch)
        config = await self._config(request, forge, base_sha)
        if isinstance(config, Ending):
            return config
        found = await self._hosted.run(request, Side(repository.full_name, config.evidence))
        if isinstance(found, Ending):
            return found
        refusal = not_a_nightly(found.run, found.config, found.host)
        run = replace(found.run, trusted=not refusal)
        return _Facts(Pinned(run, repository.default_branch, base_sha, config), refusal)

    async def _config(self, request: TaskRequest, forge: Forge, base_sha: CommitSha) -> RepoConfig | Ending:
        raw = await forge.files.config(base_sha)
        state = raw if isinstance(raw, Unreadable) else read_config(raw)
        snapshot = snapshot_of(state, base_sha)
        await asyncio.to_thread(self._workshop.store.states.set_config, request.repository_id, snapshot)
        if isinstance(state, Unreadable):
            await tell(self._workshop, request, forge, Report(Trouble.CONFIG_INVALID, (state.reason,)))
            return Ending(OutcomeName.CONFIG_UNREADABLE, state.reason)
        if isinstance(state, Invalid):
            await tell(self._workshop, request, forge, Report(Trouble.CONFIG_INVALID, snapshot.problems))
            return Ending(OutcomeName.CONFIG_INVALID, "; ".join(snapshot.problems[:5]))
        await heal(self._workshop, request, forge, Trouble.CONFIG_INVALID)
        return state.config


async def _tip(forge: Forge, begin: Beginning, base: str) -> CommitSha:
    """Where the base is; asked for where the beginning does not say it."""
    known = begin.tip if base == begin.repository.default_branch else None
    return known or await forge.files.tip(base)


def snapshot_of(state: ConfigState, commit: CommitSha) -> ConfigSnapshot:
    """What is remembered of a configuration, and what routing will go by.

    The default branch is not filled in: a repository may get another one, and every delivery names it.
    """
    if isinstance(state, Absent):
        return ConfigSnapshot(ConfigStatus.ABSENT, commit, state.config, _configured(state.config))
    if isinstance(state, Valid):
        return ConfigSnapshot(ConfigStatus.VALID, commit, state.config, _configured(state.config))
    if isinstance(state, Invalid):
        return ConfigSnapshot(ConfigStatus.INVALID, commit, problems=tuple(str(one) for one in state.problems))
    return ConfigSnapshot(ConfigStatus.UNREADABLE, commit, problems=(state.reason,))


def nightly_filter(config: RepoConfig, repository: Repository) -> NightlyFilter:
    """Which runs are nightlies, with the default branch filled in."""
    found = _configured(config)
    return found if found.branches else replace(found, branches=(repository.default_branch,))


def _configured(config: RepoConfig) -> NightlyFilter:
    return NightlyFilter(config.nightly.workflows, config.nightly.events, config.nightly.branches)


def not_a_nightly(run: Run, config: RepoConfig, repository: Repository) -> str:
    """Why a run is no nightly by the configuration; "" where it is one. Workflows are told by path, never by name."""
    wanted = nightly_filter(config, repository)
    if run.event not in wanted.events:
        return f"event {run.event} is not one of {', '.join(wanted.events)}"
    if run.head_branch not in wanted.branches:
        return f"branch {run.head_branch} is not one of {', '.join(wanted.branches)}"
    if wanted.workflows and run.workflow.partition("@")[0] not in wanted.workflows:
        return f"workflow {run.workflow} is not one of {', '.join(wanted.workflows)}"
    return ""


def _base(run: Run, repository: Repository, stored: NightlyFilter | None) -> str:
    """The branch that is corrected: the run's own where nightlies run on it, else the default branch."""
    branches = stored.branches if stored else ()
    return run.head_branch if run.head_branch in branches else repository.default_branch
