"""Evaluations: each decision with its reason, and which timings were samples or rejections and why.

Samples and rejections point at stored timings, so the evidence must be recorded first. The bytes
of edited files are not kept: the published commit has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from bot.domain import (
    Decision,
    Evaluation,
    Proposal,
    RegistrationKey,
    Rejection,
    RepositoryId,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
)
from bot.errors import InternalError
from bot.store.database import Database, upsert
from bot.store.judgements import rejection_row, rejection_value, sample_row, sample_value
from bot.store.rows import Row, Stored, key_id, timing_value
from bot.store.runs import load_runs
from bot.store.schema.evaluations import decisions, evaluations, rejections, samples
from bot.store.schema.evidence import timings


class Evaluations:
    """One row an evaluation, named by the task that made it."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def record(self, evaluation_id: str, repository_id: RepositoryId, evaluation: Evaluation) -> None:
        """Keep an evaluation; one of the same name is replaced.

        Raises:
            InternalError: a sample or rejection is about a timing that was never recorded.
        """
        head = {
            "evaluation_id": evaluation_id,
            "repository_id": repository_id,
            "base": evaluation.base,
            "base_sha": evaluation.base_sha,
            "policy": evaluation.policy,
            "report_only": evaluation.report_only,
            "run_references": tuple((item.run.run_id, item.run.attempt) for item in evaluation.runs),
            "remainder": replace(evaluation, runs=(), samples=(), rejections=(), decisions=(), edits=()),
            "evaluated_at": self._now(),
        }
        try:
            with self._database.write() as connection:
                upsert(connection, evaluations, [head])  # also the lock: a second recorder waits here
                _replace_parts(connection, {"evaluation_id": evaluation_id, "repository_id": repository_id}, evaluation)
        except IntegrityError as error:
            raise InternalError("an evaluation is about timings that were never recorded") from error

    def find(self, evaluation_id: str) -> Evaluation | None:
        """An evaluation without its file edits, as it was recorded but for what was measured by runs given up since."""
        with self._database.read() as connection:
            query = sa.select(evaluations).where(evaluations.c.evaluation_id == evaluation_id)
            head = connection.execute(query).mappings().first()
            return _whole(connection, head) if head else None

    def newest(self, repository_id: RepositoryId, limit: int) -> tuple[str, ...]:
        """The names of the last `limit` evaluations of a repository, newest first."""
        order = (evaluations.c.evaluated_at.desc(), evaluations.c.evaluation_id)
        query = sa.select(evaluations.c.evaluation_id).where(evaluations.c.repository_id == repository_id)
        with self._database.read() as connection:
            return tuple(connection.execute(query.order_by(*order).limit(limit)).scalars())

    def of_task(self, repository_id: RepositoryId, task_key: str) -> str | None:
        """The name of the last evaluation that a task made, None where it made none."""
        c = evaluations.c
        made = c.evaluation_id.startswith(f"{task_key}:", autoescape=True)
        query = sa.select(c.evaluation_id).where(c.repository_id == repository_id, made)
        with self._database.read() as connection:
            return connection.execute(query.order_by(c.evaluated_at.desc(), c.evaluation_id).limit(1)).scalar()

    def of_key(self, repository_id: RepositoryId, key: RegistrationKey, limit: int) -> tuple[tuple[str, Decision], ...]:
        """The last decisions about a key with the names of their evaluations, newest first; samples left out."""
        query = (
            sa.select(decisions.c.evaluation_id, decisions.c.decision)
            .join(evaluations, evaluations.c.evaluation_id == decisions.c.evaluation_id)
            .where(decisions.c.repository_id == repository_id, decisions.c.key_id == key_id(key))
            .order_by(evaluations.c.evaluated_at.desc(), decisions.c.evaluation_id, decisions.c.position)
            .limit(limit)
        )
        with self._database.read() as connection:
            return tuple((name, decision) for name, decision in connection.execute(query))


def _replace_parts(connection: Connection, identity: Row, evaluation: Evaluation) -> None:
    for table in (decisions, samples, rejections):
        connection.execute(sa.delete(table).where(table.c.evaluation_id == identity["evaluation_id"]))
    listed = dict.fromkeys(evaluation.samples)
    cited = dict.fromkeys(sample for decision in evaluation.decisions for sample in decision.samples)
    positions = {sample: i for i, sample in enumerate(listed | cited)}
    upsert(
        connection,
        samples,
        [{**identity, "listed": i < len(listed), **sample_row(i, s)} for s, i in positions.items()],
    )
    upsert(
        connection, rejections, [{**identity, **rejection_row(i, item)} for i, item in enumerate(evaluation.rejections)]
    )
    upsert(
        connection,
        decisions,
        [{**identity, **_decision_row(i, item, positions)} for i, item in enumerate(evaluation.decisions)],
    )


def _decision_row(position: int, decision: Decision, positions: Mapping[Sample, int]) -> Row:
    return {
        "position": position,
        "key_id": key_id(decision.registration.key),
        "action": decision.action,
        "reason": None if isinstance(decision, Proposal) else decision.reason.value,
        "est_time": decision.registration.est_time,
        "value_s": decision.after if isinstance(decision, Proposal) else decision.held,
        "decision": replace(decision, samples=()),
        "sample_positions": tuple(positions[sample] for sample in decision.samples),
    }


def _whole(connection: Connection, head: Stored) -> Evaluation:
    sampled = _samples(connection, head["evaluation_id"])
    every = {position: sample for position, sample, _ in sampled}
    remainder: Evaluation = head["remainder"]
    return replace(
        remainder,
        runs=_runs(connection, head),
        samples=tuple(sample for _, sample, listed in sampled if listed),
        rejections=_rejections(connection, head["evaluation_id"]),
        decisions=_decisions(connection, head["evaluation_id"], every),
    )


def _runs(connection: Connection, head: Stored) -> tuple[RunEvidence, ...]:
    found: dict[tuple[int, int], RunEvidence] = {}
    for run_id in dict.fromkeys(run_id for run_id, _ in head["run_references"]):
        for item in load_runs(connection, head["repository_id"], [RunId(run_id)]):
            found[item.run.run_id, item.run.attempt] = item
    return tuple(found[tuple(reference)] for reference in head["run_references"] if tuple(reference) in found)


def _judged(connection: Connection, table: sa.Table, evaluation_id: str) -> Iterator[tuple[Stored, ScheduledFile]]:
    """Rows of samples or rejections, in order, each with the timing it is about."""
    same = sa.and_(*(table.c[column.name] == column for column in timings.primary_key))
    query = sa.select(table, timings).join(timings, same).where(table.c.evaluation_id == evaluation_id)
    for row in connection.execute(query.order_by(table.c.position)).mappings():
        timing = timing_value({column.name: row[column] for column in timings.c})
        yield {column.name: row[column] for column in table.c}, timing


def _samples(connection: Connection, evaluation_id: str) -> list[tuple[int, Sample, bool]]:
    """Each with its position and whether it was listed; those whose run was given up since are gone."""
    found = _judged(connection, samples, evaluation_id)
    return [(row["position"], sample_value(row, timing), row["listed"]) for row, timing in found]


def _rejections(connection: Connection, evaluation_id: str) -> tuple[Rejection, ...]:
    found = _judged(connection, rejections, evaluation_id)
    return tuple(rejection_value(row, timing) for row, timing in found)


def _decisions(connection: Connection, evaluation_id: str, cited: Mapping[int, Sample]) -> tuple[Decision, ...]:
    query = sa.select(decisions.c.decision, decisions.c.sample_positions)
    query = query.where(decisions.c.evaluation_id == evaluation_id).order_by(decisions.c.position)
    return tuple(
        replace(decision, samples=tuple(cited[position] for position in positions if position in cited))
        for decision, positions in connection.execute(query)
    )
