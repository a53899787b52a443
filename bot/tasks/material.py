"""What the publishing steps work on: a stored evaluation with its edits, and its evidence files.

Kept in memory for the next step of the same task; after a crash both are made again from what is
stored, and come out the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from bot.config_file import Unreadable, Valid
from bot.config_names import read_config
from bot.domain import CommitSha, Evaluation, JobId, TaskRequest
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.errors import InternalError
from bot.publish.evidence_files import EVIDENCE_FILES, evidence_files
from bot.publish.evidence_ref import EvidenceEntry, entry
from bot.publish.links import Links
from bot.tasks.cited import unpacked
from bot.tasks.editing import edited, planned
from bot.tasks.ports import Forge
from bot.tasks.recent import Recent
from bot.tasks.values import Evaluated
from bot.tasks.workshop import Workshop

KEPT_IN_MEMORY = 4
KEPT_BYTES = 64 * 1024 * 1024  # of their evidence files: a large repository's are more alone


@dataclass(frozen=True, slots=True)
class Published:
    """An evaluation, whole, with the evidence it is published with."""

    evaluation: Evaluation
    evidence: EvidenceEntry

    def links(self, web: str, commit: CommitSha) -> Links:
        """Where the evidence is seen, pinned to the commit that holds it, whether or not a branch names it yet."""
        evidence_csv, manifest, lines = (
            self.evidence.address(web, self.evaluation.repository, commit, name) for name in EVIDENCE_FILES
        )
        return Links(
            server=web,
            evidence_csv=evidence_csv,
            manifest=manifest,
            lines=lines,
            directory=self.evidence.directory_address(web, self.evaluation.repository, commit),
            further=self.evidence.further,
        )


class Material:
    """Gives evaluations and their evidence to the steps that need them."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._recent: Recent[Published] = Recent(KEPT_IN_MEMORY, KEPT_BYTES)

    async def keep(self, request: TaskRequest, evaluated: Evaluated, evaluation: Evaluation) -> None:
        """Remember an evaluation that was just made."""
        await self._made(request, evaluated, evaluation)

    async def load(self, request: TaskRequest, evaluated: Evaluated) -> Published:
        """The evaluation and its evidence."""
        kept = self._recent.find(evaluated.evaluation_id)
        if kept is not None:
            return kept
        return await self._made(request, evaluated, await self._stored(evaluated, self._workshop.forge(request)))

    async def _made(self, request: TaskRequest, evaluated: Evaluated, evaluation: Evaluation) -> Published:
        made = Published(evaluation, await self.evidence(request, evaluation))
        self._recent.keep(evaluated.evaluation_id, made, sum(map(len, made.evidence.files.values())))
        return made

    async def _stored(self, evaluated: Evaluated, forge: Forge) -> Evaluation:
        found = await asyncio.to_thread(self._workshop.store.evaluations.find, evaluated.evaluation_id)
        if found is None:
            raise InternalError(f"evaluation {evaluated.evaluation_id} was not kept")
        files = await forge.files.files(evaluated.base_sha)
        entries = {change.path: files[change.path] for change in planned(found)}
        contents = await forge.files.contents(sorted({one.blob for one in entries.values()})) if entries else {}
        dialects = await _dialects(forge, evaluated.base_sha)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workshop.executor, edited, found, entries, contents, dialects)

    async def evidence(self, request: TaskRequest, evaluation: Evaluation) -> EvidenceEntry:
        """The evidence files of an evaluation, from what is stored."""
        cited = self._workshop.store.runs.cited
        kept: dict[JobId, Mapping[int, str]] = {}
        for one in evaluation.runs:
            kept |= await asyncio.to_thread(cited, request.repository_id, one.run)
        loop = asyncio.get_running_loop()
        files = await loop.run_in_executor(self._workshop.executor, _written, evaluation, kept)
        return entry(evaluation.runs[-1].run, files)


def _written(evaluation: Evaluation, kept: Mapping[JobId, Mapping[int, str]]) -> Mapping[str, bytes]:
    """In a process of its own, to which lines travel as they are kept: a large repository cites half a million."""
    return evidence_files(evaluation, unpacked(kept))


async def _dialects(forge: Forge, base_sha: CommitSha) -> Dialects:
    """How the base's own configuration says that registrations are written."""
    raw = await forge.files.config(base_sha)
    state = raw if isinstance(raw, Unreadable) else read_config(raw)
    return Dialects(state.config.registrations) if isinstance(state, Valid) else AUTOMATIC
