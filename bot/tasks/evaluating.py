"""The step that judges: the window's nights and the base in, a stored evaluation out.

Reads what it needs of the repository, runs the pure evaluation in another process, and keeps the
result with its reasons.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot.calibration.policies import Policy, in_service, policy_from
from bot.domain import (
    BlobSha,
    CommitSha,
    Evaluation,
    Proposal,
    RegistrationKey,
    RepositoryId,
    RunEvidence,
    SourceRegistrations,
    TaskRequest,
    TestPath,
)
from bot.edit.tree_reader import file_of
from bot.publish.names import rolling_branch
from bot.records.measurements import NightWindow
from bot.repo_config import RepoConfig
from bot.store.open import Store
from bot.tasks.cited import told_of
from bot.tasks.ends import note_ends
from bot.tasks.explaining import Told, jobs_to_explain
from bot.tasks.gather import Gathered, gather
from bot.tasks.material import Material
from bot.tasks.merged import lowered, merged_proposals, published
from bot.tasks.question import Question
from bot.tasks.reading import Reader
from bot.tasks.selection import EVERYTHING, Selection
from bot.tasks.stepping import Json
from bot.tasks.steps import evaluate
from bot.tasks.values import EVALUATED, Evaluated, Pinned
from bot.tasks.workshop import Workshop

ALL_NIGHTS = 400
CLOSED_LOOKED_AT = 20  # publications whose pull request a person closed


EPOCH = datetime.fromtimestamp(0, UTC)


class StoreCache:
    """What was read of a repository's blobs, kept in the store."""

    def __init__(self, store: Store, repository_id: RepositoryId) -> None:
        self._store = store
        self._repository_id = repository_id

    def sources(self, version: str, wanted: Mapping[TestPath, BlobSha]) -> Mapping[TestPath, SourceRegistrations]:
        """Registrations known of files at their blobs."""
        return self._store.parsed.find(self._repository_id, version, wanted)

    def keep_sources(self, version: str, sources: Iterable[SourceRegistrations]) -> None:
        """Remember what was read."""
        self._store.parsed.keep(self._repository_id, version, sources)

    def contents(self, blobs: Iterable[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes that are known."""
        return self._store.blobs.find(self._repository_id, blobs)

    def keep_contents(self, contents: Mapping[BlobSha, bytes]) -> None:
        """Remember bytes."""
        self._store.blobs.keep(self._repository_id, contents)


class Evaluating:
    """The third step of a nightly task."""

    def __init__(self, workshop: Workshop, material: Material) -> None:
        self._workshop = workshop
        self._material = material

    async def evaluate(
        self, request: TaskRequest, pinned: Pinned, base_sha: CommitSha, selection: Selection = EVERYTHING
    ) -> Json:
        """Evaluate the window's nights, or the selected runs, against the base and keep the result."""
        forge, store = self._workshop.forge(request), self._workshop.store
        await note_ends(forge, store, request.repository_id, pinned.base)
        policy = policy_from(pinned.config.estimate, selection.policy)
        policy = policy if selection.runs else in_service(policy)
        runs = await asyncio.to_thread(self._runs, request.repository_id, policy, selection)
        cache = StoreCache(store, request.repository_id)
        reader = Reader(forge.files, cache, self._workshop.executor, changes=forge.files)
        gathered = await gather(reader, pinned.base, base_sha, runs, pinned.config)
        merged = await merged_proposals(forge, store, request.repository_id, pinned.base, base_sha)
        question = Question(
            repository=pinned.run.measures or pinned.run.repository,
            gathered=gathered,
            runs=runs,
            config=pinned.config,
            policy=policy,
            published=published(merged),
            lowered=lowered(merged),
            declined=await asyncio.to_thread(self._declined, request, pinned.base),
            most_edits=pinned.config.pull_request.max_edits,
            selection=selection,
            report_only=_only_reports(runs),
            told=await asyncio.to_thread(self._told, request.repository_id, runs, pinned.config),
        )
        evaluation = await asyncio.get_running_loop().run_in_executor(self._workshop.executor, evaluate, question)
        name = f"{request.key}:{base_sha}"  # one task evaluates one selection
        await asyncio.to_thread(self._keep, name, request.repository_id, evaluation, gathered)
        await asyncio.to_thread(self._give_up, request.repository_id, pinned.config.history.keep_days)
        evaluated = Evaluated(name, base_sha)
        await self._material.keep(request, evaluated, evaluation)
        return EVALUATED.dump(evaluated)

    def _runs(self, repository_id: RepositoryId, policy: Policy, selection: Selection) -> tuple[RunEvidence, ...]:
        """The attempts to evaluate, oldest first."""
        stored = self._workshop.store.runs
        if not selection.runs:
            window = NightWindow(nights=policy.window.nights if policy.window else ALL_NIGHTS)
            return stored.evidence(repository_id, window)
        found = [one for run_id in selection.runs for one in stored.find(repository_id, run_id)]
        return tuple(sorted(found, key=lambda one: (one.run.created_at or EPOCH, one.run.run_id, one.run.attempt)))

    def _told(self, repository_id: RepositoryId, runs: Sequence[RunEvidence], config: RepoConfig) -> Told:
        """What was kept of the logs that an explanation rests on."""
        wanted = {job.log.job.job_id for job in jobs_to_explain(runs, config)}
        return told_of(self._workshop.store, repository_id, runs, wanted)

    def _keep(self, name: str, repository_id: RepositoryId, evaluation: Evaluation, gathered: Gathered) -> None:
        store = self._workshop.store
        store.evaluations.record(name, repository_id, evaluation)
        calls = [call for source in gathered.sources for call in source.registrations]
        store.registrations.see(repository_id, gathered.base_sha, calls)
        for head in gathered.heads.values():
            rows = (row for one in evaluation.runs for row in one.rows if row.head_sha == head.sha)
            held = {row.path: head.files.get(file_of(row.path)) for row in rows}
            blobs = {path: entry.blob for path, entry in held.items() if entry is not None}
            store.timings.note_blobs(repository_id, head.sha, blobs)

    def _give_up(self, repository_id: RepositoryId, keep_days: int) -> None:
        """Retention, counted back from the newest run and never from the clock."""
        newest = self._workshop.store.history.newest(repository_id)
        if newest is not None:
            self._workshop.store.history.forget_before(repository_id, newest - timedelta(days=keep_days))

    def _declined(self, request: TaskRequest, base: str) -> Mapping[RegistrationKey, tuple[float, ...]]:
        """The slowest passes that closed pull requests rested on; a person who asks by a comment takes that back."""
        store = self._workshop.store
        found: dict[RegistrationKey, tuple[float, ...]] = {}
        closed = store.publications.declined(request.repository_id, rolling_branch(base), CLOSED_LOOKED_AT)
        for one in closed if request.comment is None else ():
            evaluation = store.evaluations.find(one.evaluation_id) if one.evaluation_id else None
            for decision in evaluation.decisions if evaluation else ():
                if isinstance(decision, Proposal):
                    key = decision.registration.key
                    found[key] = (*found.get(key, ()), float(decision.estimate.max_elapsed_s))
        return found


def _only_reports(runs: Iterable[RunEvidence]) -> str:
    """Why the runs may lead to no edit; "" where they may."""
    untrusted = [str(one.run.run_id) for one in runs if not one.run.trusted]
    return f"not a configured nightly: run {', '.join(dict.fromkeys(untrusted))}" if untrusted else ""
