"""What stands now, as a page shows it: the newest evaluation a part at a time, and what pull requests changed.

Whole evaluations are `bot.store.evaluations`' part: reading one takes as long as it is large.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bot.domain import CommitSha, Decision, Evaluation, RepositoryId
from bot.overview import EvaluationHead, Listed, PullRequestEdits, Span
from bot.records.publications import Publication
from bot.store.database import Database
from bot.store.publications import publication_value
from bot.store.rows import Stored
from bot.store.schema.effects import publications
from bot.store.schema.evaluations import decisions, evaluations

HEAD_COLUMNS = tuple(
    evaluations.c[name] for name in ("evaluation_id", "base", "base_sha", "policy", "report_only", "evaluated_at")
)


class Standings:
    """Parts of evaluations, and pull requests with what they changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self, repository_id: RepositoryId) -> EvaluationHead | None:
        """The newest evaluation; one that a comment asked for, perhaps of a part only, where there is no other."""
        asked = evaluations.c.evaluation_id.startswith("command:", autoescape=True)
        query = (
            sa.select(*HEAD_COLUMNS)
            .where(evaluations.c.repository_id == repository_id)
            .order_by(sa.case((asked, 1), else_=0), evaluations.c.evaluated_at.desc(), evaluations.c.evaluation_id)
            .limit(1)
        )
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
            return head_value(row) if row else None

    def off(self, evaluation_id: str, span: Span) -> Listed[Decision]:
        """Literals that the measurements contradict: proposals first, then held ones, the largest change first."""
        size = sa.func.abs(decisions.c.value_s - decisions.c.est_time)
        query = (
            sa.select(decisions.c.decision)
            .where(decisions.c.evaluation_id == evaluation_id, _off())
            .order_by(sa.case((decisions.c.reason.is_(None), 0), else_=1), size.desc(), decisions.c.position)
            .limit(span.limit + 1)
            .offset(span.offset)
        )
        with self._database.read() as connection:
            return Listed.of(tuple(connection.execute(query).scalars()), span)

    def counts(self, evaluation_id: str) -> Mapping[str, int]:
        """Decisions by action, and under `off` how many literals the measurements contradict."""
        mine = decisions.c.evaluation_id == evaluation_id
        by_action = sa.select(decisions.c.action, sa.func.count()).where(mine).group_by(decisions.c.action)
        off = sa.select(sa.func.count()).select_from(decisions).where(mine, _off())
        with self._database.read() as connection:
            found = {str(action): int(count) for action, count in connection.execute(by_action)}
            return {**found, "off": int(connection.execute(off).scalar_one())}

    def remainder(self, evaluation_id: str) -> Evaluation | None:
        """An evaluation without runs, samples, rejections and decisions: its partitions, its notes and the like."""
        query = sa.select(evaluations.c.remainder).where(evaluations.c.evaluation_id == evaluation_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    def edits(self, repository_id: RepositoryId, span: Span) -> Listed[PullRequestEdits]:
        """Our pull requests, the one with the newest commit first."""
        with self._database.read() as connection:
            found = _newest_commits(connection, repository_id, span)
            changed = _changed(connection, [one.evaluation_id for one in found if one.evaluation_id])
        edits = (
            PullRequestEdits(one, *(changed[one.evaluation_id or ""][action] for action in ("raise", "lower")))
            for one in found
        )
        return Listed.of(tuple(edits), span)


def head_value(row: Stored) -> EvaluationHead:
    """The head of an evaluation's row."""
    return EvaluationHead(
        evaluation_id=row["evaluation_id"],
        base=row["base"],
        base_sha=CommitSha(row["base_sha"]),
        policy=row["policy"].name,
        report_only=row["report_only"],
        evaluated_at=row["evaluated_at"],
    )


def _off() -> sa.ColumnElement[bool]:
    return sa.and_(decisions.c.value_s.is_not(None), decisions.c.value_s != decisions.c.est_time)


def _newest_commits(connection: Connection, repository_id: RepositoryId, span: Span) -> list[Publication]:
    """The newest publication of each pull request."""
    c = publications.c
    mine = (c.repository_id == repository_id, c.pull_request.is_not(None))
    last = sa.func.max(c.published_at).label("last")
    numbers = sa.select(c.pull_request, last).where(*mine).group_by(c.pull_request)
    asked = numbers.order_by(last.desc(), c.pull_request.desc()).limit(span.limit + 1).offset(span.offset).subquery()
    query = (
        sa.select(publications)
        .join(asked, sa.and_(asked.c.pull_request == c.pull_request, asked.c.last == c.published_at))
        .where(*mine)
        .order_by(c.published_at.desc(), c.pull_request.desc(), c.commit_sha)
    )
    newest: dict[int | None, Publication] = {}
    for row in connection.execute(query).mappings():
        newest.setdefault(row["pull_request"], publication_value(row))
    return list(newest.values())


def _changed(connection: Connection, evaluation_ids: Sequence[str]) -> Mapping[str, Counter[str]]:
    """How many literals each evaluation raises and lowers."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    query = (
        sa.select(decisions.c.evaluation_id, decisions.c.action, sa.func.count())
        .where(decisions.c.evaluation_id.in_(evaluation_ids), decisions.c.action.in_(("raise", "lower")))
        .group_by(decisions.c.evaluation_id, decisions.c.action)
    )
    for evaluation_id, action, count in connection.execute(query):
        found[evaluation_id][action] = count
    return found
