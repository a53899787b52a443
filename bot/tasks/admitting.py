"""The step that lets a comment command in: where it was given, and whether who asked may.

The role is looked up now, by the collaborator endpoint: what a payload says of an author is no
permission. A role that could not be looked up is no role. The configuration is the base branch's,
never a pull request's own; one that cannot be used lets the default roles in and stops there.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.commands import help as help_command
from bot.config_file import Invalid, Unreadable
from bot.config_names import read_config
from bot.domain import CommitSha, Run, TaskRequest
from bot.publish.names import rolling_branch
from bot.publish.ports.pulls import PullRequestState
from bot.records.measurements import NightWindow
from bot.repo_config import DEFAULT, RepoConfig
from bot.repo_config.publishing import Commands
from bot.tasks.answers import ADMITTED, Admitted, Place
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.permitting import refusal
from bot.tasks.ports import Forge
from bot.tasks.stepping import Json
from bot.tasks.workshop import Workshop

READING = ("read", "triage", "write", "maintain", "admin")  # every role but none


class Admitting:
    """The second step of a command, after its acknowledgement."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def admit(self, request: TaskRequest, verb: str) -> Json:
        """What the command may rest on; or the ending that keeps it out."""
        return ADMITTED.dump(await self._admit(request, verb))

    async def _admit(self, request: TaskRequest, verb: str) -> Admitted | Ending:
        forge = self._workshop.forge(request)
        repository = await forge.facts()
        if repository.repository_id != request.repository_id:
            return Ending(OutcomeName.REFUSED, f"{request.repository} is another repository now")
        known = replace(repository, installation_id=request.installation_id or None)
        await asyncio.to_thread(self._workshop.store.repositories.save, known)
        if repository.archived:
            return Ending(OutcomeName.ARCHIVED)
        pull = await self._pull(request, forge)
        newest = await asyncio.to_thread(self._newest, request)
        base = (
            pull.base
            if pull
            else (newest.head_branch if newest and not newest.measures else "") or repository.default_branch
        )
        base_sha = await forge.files.tip(base)
        config = await _config(forge, base_sha)
        commands = config.commands if isinstance(config, RepoConfig) else Commands()
        refused = await refusal(forge, request.actor, _roles(verb, commands))
        if refused is not None:
            return refused
        if isinstance(config, Ending):
            if verb != help_command.NAME:
                return config
            config = DEFAULT
        return Admitted(_place(pull), base, base_sha, config, pull, newest)

    async def _pull(self, request: TaskRequest, forge: Forge) -> PullRequestState | None:
        if request.comment is None or not request.comment.on_pull:
            return None
        return await forge.write(lambda writes: writes.pulls.get(request.number))

    def _newest(self, request: TaskRequest) -> Run | None:
        found = self._workshop.store.runs.evidence(request.repository_id, NightWindow(nights=1))
        return found[-1].run if found else None


async def _config(forge: Forge, base_sha: CommitSha) -> RepoConfig | Ending:
    raw = await forge.files.config(base_sha)
    state = raw if isinstance(raw, Unreadable) else read_config(raw)
    if isinstance(state, Unreadable):
        return Ending(OutcomeName.CONFIG_UNREADABLE, state.reason)
    if isinstance(state, Invalid):
        return Ending(OutcomeName.CONFIG_INVALID, "; ".join(str(one) for one in state.problems[:5]))
    return state.config


def _roles(verb: str, commands: Commands) -> tuple[str, ...]:
    """The roles that may use a command."""
    return READING if verb in commands.readers else commands.allow


def _place(pull: PullRequestState | None) -> Place:
    """A fork's branch may have any name: only this repository's own rolling branch is ours."""
    if pull is None:
        return Place.ISSUE
    return Place.OWN_PULL if not pull.fork and pull.head == rolling_branch(pull.base) else Place.OTHER_PULL
