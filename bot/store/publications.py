"""What we put into the world: is this tip ours, did we publish this commit, was this refused before?"""

from __future__ import annotations

import sqlalchemy as sa

from bot.domain import CommitSha, RepositoryId
from bot.records import Publication, PullRequestEnd
from bot.store.database import Database, upsert
from bot.store.schema import publications

_FACTS_THAT_COME_LATER = ("evidence_commit", "pull_request", "evaluation_id", "pull_request_end")


class Publications:
    """One row a commit of ours. Record it before the branch moves, so that a crash leaves no stranger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def record(self, publication: Publication) -> None:
        """Keep a publication. What is known already is never replaced by None."""
        row = _row(publication)
        unknown = {name for name in _FACTS_THAT_COME_LATER if row[name] is None}
        with self._database.write() as connection:
            upsert(connection, publications, [row], keep=unknown | {"published_at"})

    def find(self, repository_id: RepositoryId, commit: CommitSha) -> Publication | None:
        """Our publication of a commit, None where the commit is not ours."""
        return self._newest(publications.c.repository_id == repository_id, publications.c.commit_sha == commit)

    def latest(self, repository_id: RepositoryId, branch: str) -> Publication | None:
        """The last publication on a branch."""
        return self._newest(publications.c.repository_id == repository_id, publications.c.branch == branch)

    def of_pull_request(self, repository_id: RepositoryId, number: int) -> Publication | None:
        """The last publication that a pull request carries."""
        return self._newest(publications.c.repository_id == repository_id, publications.c.pull_request == number)

    def end(self, repository_id: RepositoryId, number: int, how: PullRequestEnd) -> None:
        """Note how a pull request of ours ended."""
        these = (publications.c.repository_id == repository_id) & (publications.c.pull_request == number)
        with self._database.write() as connection:
            connection.execute(sa.update(publications).where(these).values(pull_request_end=how.value))

    def refused(self, repository_id: RepositoryId, branch: str, digest: str) -> Publication | None:
        """The publication of the same values whose pull request a person closed, None where there is none."""
        return self._newest(
            publications.c.repository_id == repository_id,
            publications.c.branch == branch,
            publications.c.digest == digest,
            publications.c.pull_request_end == PullRequestEnd.CLOSED.value,
        )

    def _newest(self, *conditions: sa.ColumnElement[bool]) -> Publication | None:
        order = (publications.c.published_at.desc(), publications.c.commit_sha)
        with self._database.read() as connection:
            query = sa.select(publications).where(*conditions).order_by(*order).limit(1)
            row = connection.execute(query).mappings().first()
            return _value(row) if row else None


def _row(publication: Publication) -> dict[str, object]:
    return {
        "repository_id": publication.repository_id,
        "commit_sha": publication.commit,
        "branch": publication.branch,
        "base": publication.base,
        "base_sha": publication.base_sha,
        "digest": publication.digest,
        "evidence_commit": publication.evidence_commit,
        "pull_request": publication.pull_request,
        "evaluation_id": publication.evaluation_id,
        "pull_request_end": publication.end.value if publication.end else None,
        "published_at": publication.published_at,
    }


def _value(row: sa.RowMapping) -> Publication:
    end = row["pull_request_end"]
    rest = {str(name): value for name, value in row.items() if name not in ("commit_sha", "pull_request_end")}
    return Publication(commit=row["commit_sha"], end=PullRequestEnd(end) if end else None, **rest)
