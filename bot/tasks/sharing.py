"""The step behind `/recalibrate matrix`: two tests' configurations shared out, from what the store has kept.

The logs are gone by then; the lines that tell the times of their parts were kept. Nothing is edited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.calibration.policies import Policy, in_service, policy_from
from bot.commands.contract import Command
from bot.domain import Evaluation, RefusedMatrix, TaskRequest, TestPath
from bot.publish.matrix_text import matrix_refusal, matrix_report
from bot.repo_config import RepoConfig
from bot.tasks.answers import REPLY, Reply
from bot.tasks.cited import told_of
from bot.tasks.explaining import Told, all_traces
from bot.tasks.matrices import MatrixQuestion, answer, jobs_of
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.own import own_evaluation
from bot.tasks.stepping import Json
from bot.tasks.values import Pinned
from bot.tasks.workshop import Workshop


@dataclass(frozen=True, slots=True)
class ToShare:
    """All that the answer is made of; it travels to another process."""

    paths: tuple[TestPath, TestPath]
    evaluation: Evaluation
    texts: Mapping[TestPath, bytes]
    told: Told
    policy: Policy
    config: RepoConfig


class Sharing:
    """Answers what sharing two tests' configurations out would save."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def share(self, request: TaskRequest, pinned: Pinned, asked: Command) -> Json:
        """The report, or the one sentence that says why there is none."""
        evaluation = await asyncio.to_thread(own_evaluation, self._workshop.store, request)
        first, second = map(TestPath, asked.paths)
        wanted = {job.log.job.job_id for job in jobs_of(evaluation, (first, second))}
        question = ToShare(
            paths=(first, second),
            evaluation=evaluation,
            texts=await self._texts(request, pinned, (first, second)),
            told=await asyncio.to_thread(told_of, self._workshop.store, request.repository_id, evaluation.runs, wanted),
            policy=in_service(policy_from(pinned.config.estimate, asked.policy or None)),
            config=pinned.config,
        )
        text, known = await asyncio.get_running_loop().run_in_executor(self._workshop.executor, shared, question)
        name = OutcomeName.ANSWERED if known else OutcomeName.MISUNDERSTOOD
        return REPLY.dump(Reply(Ending(name, "matrix" if known else "no_matrix"), text))

    async def _texts(self, request: TaskRequest, pinned: Pinned, paths: Iterable[TestPath]) -> Mapping[TestPath, bytes]:
        """The files at the base that was evaluated."""
        files = self._workshop.forge(request).files
        there = await files.files(pinned.base_sha)
        blobs = {path: there[path].blob for path in paths if path in there and there[path].regular}
        contents = await files.contents(sorted(set(blobs.values()))) if blobs else {}
        return {path: contents[blob] for path, blob in blobs.items()}


def shared(asked: ToShare) -> tuple[str, bool]:
    """The answer as Markdown, and whether there is a split to show. Pure."""
    traces = all_traces(asked.evaluation.runs, asked.told, asked.config)
    found = answer(MatrixQuestion(asked.paths, asked.evaluation, asked.texts, asked.policy, traces))
    if isinstance(found, RefusedMatrix):
        return matrix_refusal(found) + "\n", False
    return matrix_report(found), True
