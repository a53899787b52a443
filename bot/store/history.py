"""A repository's whole history: what is handed out, taken in again, and given up after a while.

Single keys are `bot.store.timings`' part, windows of nights `bot.store.runs`'.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from bot.domain import Backend, BlobSha, RepositoryId, RunId, Status, Suite, TestPath
from bot.records.measurements import MeasuredPass, RowFacts
from bot.store.database import Database
from bot.store.schema.evaluations import evaluations, rejections
from bot.store.schema.evidence import runs, timings

Place = tuple[int, int, int]  # attempt, job id, plan index


class History:
    """Everything kept of a repository's nights."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def runs(self, repository_id: RepositoryId) -> Mapping[RunId, frozenset[int]]:
        """The attempts that are known of each run, oldest run first."""
        query = (
            sa.select(runs.c.run_id, runs.c.attempt)
            .where(runs.c.repository_id == repository_id)
            .order_by(runs.c.created_at.asc().nulls_first(), runs.c.run_id, runs.c.attempt)
        )
        found: dict[RunId, set[int]] = {}
        with self._database.read() as connection:
            for run_id, attempt in connection.execute(query):
                found.setdefault(RunId(run_id), set()).add(attempt)
        return {run_id: frozenset(attempts) for run_id, attempts in found.items()}

    def nights(self, repository_id: RepositoryId, workflow: str, since: datetime) -> int:
        """How many trusted runs of a workflow are known that were created since a moment."""
        asked = (runs.c.repository_id == repository_id, runs.c.workflow == workflow, runs.c.trusted.is_(True))
        query = sa.select(sa.func.count(runs.c.run_id.distinct())).where(*asked, runs.c.created_at >= since)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def passes(self, repository_id: RepositoryId) -> tuple[MeasuredPass, ...]:
        """Every pass of the trusted runs, oldest first; copies of an earlier attempt's jobs left out."""
        same = sa.and_(*(timings.c[name] == runs.c[name] for name in ("repository_id", "run_id", "attempt")))
        query = (
            sa.select(timings.c.night_at, timings.c.suite, timings.c.backend, timings.c.path, timings.c.elapsed_s)
            .join(runs, same)
            .where(
                timings.c.repository_id == repository_id,
                timings.c.status == Status.PASSED.value,
                timings.c.carried_over.is_(False),
                timings.c.night_at.is_not(None),
                timings.c.elapsed_s.is_not(None),
                timings.c.doubt.is_(None),
                runs.c.trusted.is_(True),
            )
            .order_by(timings.c.night_at, timings.c.run_id)
        )
        with self._database.read() as connection:
            return tuple(
                MeasuredPass(night_at, Suite(suite), Backend(backend), TestPath(path), elapsed_s)
                for night_at, suite, backend, path, elapsed_s in connection.execute(query)
            )

    def facts(self, repository_id: RepositoryId, run_id: RunId) -> Mapping[Place, RowFacts]:
        """What came later about each timing of a run: its file's blob, and why the newest evaluation did not use it."""
        mine = (timings.c.repository_id == repository_id) & (timings.c.run_id == run_id)
        place = (timings.c.attempt, timings.c.job_id, timings.c.plan_index)
        why = (
            sa.select(rejections.c.attempt, rejections.c.job_id, rejections.c.plan_index, rejections.c.reason)
            .join(evaluations, evaluations.c.evaluation_id == rejections.c.evaluation_id)
            .where(rejections.c.repository_id == repository_id, rejections.c.run_id == run_id)
            .order_by(evaluations.c.evaluated_at, rejections.c.evaluation_id, rejections.c.position)
        )
        with self._database.read() as connection:
            reasons = {(row[0], row[1], row[2]): str(row[3]) for row in connection.execute(why)}
            blobs = connection.execute(sa.select(*place, timings.c.blob_at_head).where(mine))
            return {
                (row[0], row[1], row[2]): RowFacts(
                    BlobSha(row[3]) if row[3] else None, reasons.get((row[0], row[1], row[2]), "")
                )
                for row in blobs
            }

    def newest(self, repository_id: RepositoryId) -> datetime | None:
        """When the newest night was created."""
        query = sa.select(sa.func.max(runs.c.created_at)).where(runs.c.repository_id == repository_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    def forget_before(self, repository_id: RepositoryId, moment: datetime) -> int:
        """Give up runs created before a moment, with all they measured; how many attempts that were."""
        old = (runs.c.repository_id == repository_id) & (runs.c.created_at < moment)
        with self._database.write() as connection:
            counted = connection.execute(sa.select(sa.func.count()).select_from(runs).where(old)).scalar_one()
            if counted:
                connection.execute(sa.delete(runs).where(old))
            return int(counted)
