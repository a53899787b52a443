"""The road of a pull request's check run: look, compare, put. It always ends in a complete check run.

Forks are treated as everybody: the check run stands on the head in the repository itself, nothing
of the head is run, and its files are read as bytes. The configuration is the base branch's; a
changed one is validated, never obeyed. What is compared is `bot.tasks.comparing`'s part.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from bot.config_file import Invalid, Unreadable
from bot.config_names import read_config
from bot.domain import CommitSha, TaskKind, TaskRequest
from bot.edit.registry_reader import UnreadRegistry
from bot.publish.check_names import registrations_identity
from bot.publish.comparison import Comparison
from bot.publish.links import Links
from bot.publish.pull_check import Subject, pull_report
from bot.repo_config import DEFAULT
from bot.tasks.comparing import Sides, compare
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.permitting import refusal
from bot.tasks.pull_reading import PullReading
from bot.tasks.stepping import Json, Steps
from bot.tasks.taking import EndedError, ending_of, take
from bot.tasks.values import ENDING, PULL_PINNED, PullPinned
from bot.tasks.workshop import Workshop

_QUIET = (OutcomeName.CHECKS_OFF, OutcomeName.DENIED, OutcomeName.UNVERIFIED)  # no check run is owed


class PullChecking:
    """Puts the check run of one pull request's head."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._reading = PullReading(workshop)

    async def perform(self, steps: Steps, request: TaskRequest) -> Ending:
        """The whole road. Whatever goes wrong on it for good, the check run is completed and says so."""
        try:
            pinned = await take(steps, PULL_PINNED, "look at pull request", partial(self.look, request))
            return await take(steps, ENDING, "compare registrations", partial(self.compare, request, pinned))
        except Exception as error:
            ending = ending_of(request, error)
            if ending.owed or (isinstance(error, EndedError) and ending.name in _QUIET):
                return ending
            return await take(steps, ENDING, "complete check run", partial(self.give_up, request, ending))

    async def look(self, request: TaskRequest) -> Json:
        """What is compared with what, by which configuration; or why there is to be no check run."""
        forge, head = self._workshop.forge(request), CommitSha(request.head_sha)
        at = await forge.files.divergence(request.base, head)
        raw = await forge.files.config(at.tip)
        state = raw if isinstance(raw, Unreadable) else read_config(raw)
        config, unusable = DEFAULT, ""
        if isinstance(state, Unreadable):
            unusable = f"the configuration of {request.base} could not be read: {state.reason}"
        elif isinstance(state, Invalid):
            unusable = f"the configuration of {request.base} is invalid: {state.problems[0]}"
        else:
            config = state.config
        if not config.checks.registrations:
            return PULL_PINNED.dump(Ending(OutcomeName.CHECKS_OFF))
        if request.kind is TaskKind.CHECK_ACTION:
            refused = await refusal(forge, request.actor, config.commands.allow)
            if refused is not None:
                return PULL_PINNED.dump(refused)
        return PULL_PINNED.dump(PullPinned(head, at.merge_base, config, unusable))

    async def compare(self, request: TaskRequest, pinned: PullPinned) -> Json:
        """Compare, and put what came out."""
        comparison = Comparison(
            repository=request.repository,
            head_sha=pinned.head_sha,
            base=request.base,
            merge_base=pinned.merge_base,
            config=await self._reading.configuration(request, pinned),
            unusable=pinned.unusable,
        )
        if not pinned.unusable:
            comparison = await self._compared(comparison, await self._reading.sides(request, pinned))
        return ENDING.dump(await self._put(request, pinned, comparison))

    async def _compared(self, comparison: Comparison, sides: Sides) -> Comparison:
        found = await asyncio.get_running_loop().run_in_executor(self._workshop.executor, compare, sides)
        return replace(
            comparison,
            compared=found.compared,
            refused=found.refused,
            disabled=found.disabled,
            runs=tuple(one.run for one in sides.runs),
            unread_files=sides.unread_files,
            label_registry=sides.labels.reason if isinstance(sides.labels, UnreadRegistry) else "",
        )

    async def give_up(self, request: TaskRequest, ending: Ending) -> Json:
        """Complete the check run although nothing could be found out."""
        head = CommitSha(request.head_sha)
        comparison = Comparison(request.repository, head, request.base, head, unusable=ending.detail or ending.name)
        pinned = PullPinned(head, head, DEFAULT)
        await self._put(request, pinned, comparison)
        return ENDING.dump(ending)

    async def _put(self, request: TaskRequest, pinned: PullPinned, comparison: Comparison) -> Ending:
        forge = self._workshop.forge(request)
        subject = Subject(registrations_identity(request), Links(server=forge.web), pinned.config.checks.fail_on)
        state = await forge.check(await asyncio.to_thread(pull_report, comparison, subject))
        name = OutcomeName.NOTHING_TO_CHECK if comparison.empty else OutcomeName.CHECKED
        return Ending(name, state.url)
