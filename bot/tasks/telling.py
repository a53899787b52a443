"""Steps that find what a command names and word what came of it, from what the task's own evaluation kept.

Nothing is judged here, and nothing is written to GitHub.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.commands.contract import Command, RunReference
from bot.domain import Evaluation, TaskRequest
from bot.errors import GoneError
from bot.publish.answer import full_answer, short_answer
from bot.publish.explanation import LinePlaces, Wanted, explanation, unknown
from bot.publish.links import Links
from bot.publish.names import rolling_branch
from bot.publish.parts import parts_of
from bot.tasks.answers import NAMED, REPLY, NamedRun, Reply
from bot.tasks.material import Material
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.own import find_own, own_evaluation
from bot.tasks.ports import Forge
from bot.tasks.saying import sentence
from bot.tasks.stepping import Json
from bot.tasks.workshop import Workshop

_SHORT = frozenset({OutcomeName.PUBLISHED, OutcomeName.REFRESHED})  # the pull request shows everything
DRY_RUN = "Dry run: nothing but this answer was written.\n"


class Telling:
    """Words."""

    def __init__(self, workshop: Workshop, material: Material) -> None:
        self._workshop = workshop
        self._material = material

    async def find_runs(self, request: TaskRequest, references: Sequence[RunReference]) -> Json:
        """The named runs with their newest attempts, oldest first; a foreign or unfinished one ends the task."""
        forge = self._workshop.forge(request)
        found = []
        for one in references:
            foreign = _foreign(one, request, forge)
            if foreign:
                return NAMED.dump(Ending(OutcomeName.REFUSED, foreign))
            try:
                run = await forge.runs.run(one.run_id)
            except GoneError:
                return NAMED.dump(Ending(OutcomeName.RUN_GONE, f"run {one.run_id}"))
            if not run.conclusion:
                return NAMED.dump(Ending(OutcomeName.REFUSED, f"run {one.run_id} is not completed yet"))
            found.append(run)
        found.sort(key=lambda run: (run.created_at is not None, run.created_at, run.run_id))
        return NAMED.dump(tuple(NamedRun(run.run_id, run.attempt) for run in found))

    async def evaluated(self, request: TaskRequest, ending: Ending) -> Json:
        """What became of an evaluation, with the evaluation where it came to one."""
        forge = self._workshop.forge(request)
        evaluation = await asyncio.to_thread(find_own, self._workshop.store, request)
        said = DRY_RUN if ending.name is OutcomeName.ANSWERED else sentence(ending)
        if evaluation is None:
            return REPLY.dump(Reply(ending, said))
        word = short_answer if ending.name in _SHORT else full_answer
        return REPLY.dump(Reply(ending, word(evaluation, Links(server=forge.web), said)))

    async def explained(self, request: TaskRequest, asked: Command) -> Json:
        """Everything behind one path."""
        forge = self._workshop.forge(request)
        evaluation = await asyncio.to_thread(own_evaluation, self._workshop.store, request)
        wanted = Wanted(asked.path, asked.suite)
        if not wanted.known(evaluation):
            return REPLY.dump(Reply(Ending(OutcomeName.MISUNDERSTOOD, "unknown_path"), unknown(evaluation, wanted)))
        lines = await self._lines(request, evaluation, forge)
        text = explanation(evaluation, wanted, Links(server=forge.web), lines)
        return REPLY.dump(Reply(Ending(OutcomeName.ANSWERED, asked.path), text))

    async def _lines(self, request: TaskRequest, evaluation: Evaluation, forge: Forge) -> LinePlaces:
        """Where the newest published evidence holds log lines."""
        store = self._workshop.store
        branch = rolling_branch(evaluation.base)
        published = await asyncio.to_thread(store.publications.latest, request.repository_id, branch)
        if published is None or published.evidence_commit is None or published.evaluation_id is None:
            return LinePlaces()
        then = await asyncio.to_thread(store.evaluations.find, published.evaluation_id)
        if then is None:
            return LinePlaces()
        evidence = await self._material.evidence(request, then)
        named = {
            evidence.address(forge.web, then.repository, published.evidence_commit, name): part
            for name, part in parts_of("lines.txt", evidence.files).items()
        }
        return LinePlaces.of(named)


def _foreign(one: RunReference, request: TaskRequest, forge: Forge) -> str:
    """Why a run's address is not one of this repository; "" where it is, or only an id was given."""
    if not one.repository:
        return ""
    if one.server.lower() != forge.web.lower() or one.repository.lower() != request.repository.lower():
        return f"run {one.run_id} is of {one.server}/{one.repository}, not of this repository"
    return ""
