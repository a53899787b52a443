"""What we put into the world: is this tip ours, did we publish this commit, was this refused before?"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from bot.domain import CommitSha, RepositoryId
from bot.records.publications import Publication, PullRequestEnd
from bot.store.database import Database, chunks, upsert
from bot.store.schema.effects import publications

_FACTS_THAT_COME_LATER = ("evidence_commit", "pull_request", "evaluation_id", "pull_request_end", "merge_commit")


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
        return _newest(self._database, repository_id, publications.c.commit_sha == commit)

    def latest(self, repository_id: RepositoryId, branch: str) -> Publication | None:
        """The last publication on a branch."""
        return _newest(self._database, repository_id, publications.c.branch == branch)

    def settled(self, repository_id: RepositoryId, branch: str) -> Publication | None:
        """The last publication on a branch that a pull request carried."""
        c = publications.c
        return _newest(self._database, repository_id, c.branch == branch, c.pull_request.is_not(None))

    def ours(self, repository_id: RepositoryId, commits: Iterable[CommitSha]) -> frozenset[CommitSha]:
        """Those of the commits that we published, or that a person made by merging what we published."""
        asked = frozenset(commits)
        found: set[CommitSha] = set()
        with self._database.read() as connection:
            for some in chunks(sorted(asked)):
                for column in (publications.c.commit_sha, publications.c.merge_commit):
                    mine = (publications.c.repository_id == repository_id) & column.in_(some)
                    found.update(connection.execute(sa.select(column).where(mine)).scalars())
        return frozenset(found)

    def of_pull_request(self, repository_id: RepositoryId, number: int) -> Publication | None:
        """The last publication that a pull request carries."""
        return _newest(self._database, repository_id, publications.c.pull_request == number)

    def standing(self, repository_id: RepositoryId) -> tuple[Publication, ...]:
        """The newest publication of each pull request of ours that has not ended, by its number."""
        c = publications.c
        these = (c.repository_id == repository_id, c.pull_request.is_not(None), c.pull_request_end.is_(None))
        query = sa.select(publications).where(*these).order_by(c.published_at)
        with self._database.read() as connection:
            found = [publication_value(row) for row in connection.execute(query).mappings()]
        newest = {one.pull_request: one for one in found}
        return tuple(newest[number] for number in sorted(number for number in newest if number is not None))

    def merged(self, repository_id: RepositoryId, branch: str, limit: int) -> tuple[Publication, ...]:
        """The last publications on a branch whose pull request was merged, newest first."""
        return self._last_ended(repository_id, branch, PullRequestEnd.MERGED, limit)

    def declined(self, repository_id: RepositoryId, branch: str, limit: int) -> tuple[Publication, ...]:
        """The last publications on a branch whose pull request a person closed, newest first; one a pull request."""
        newest: dict[int | None, Publication] = {}
        for one in self._last_ended(repository_id, branch, PullRequestEnd.CLOSED, limit):
            newest.setdefault(one.pull_request, one)
        return tuple(newest.values())

    def _last_ended(
        self, repository_id: RepositoryId, branch: str, how: PullRequestEnd, limit: int
    ) -> tuple[Publication, ...]:
        these = (
            publications.c.repository_id == repository_id,
            publications.c.branch == branch,
            publications.c.pull_request_end == how.value,
        )
        query = sa.select(publications).where(*these).order_by(publications.c.published_at.desc()).limit(limit)
        with self._database.read() as connection:
            return tuple(publication_value(row) for row in connection.execute(query).mappings())

    def end(
        self, repository_id: RepositoryId, number: int, how: PullRequestEnd, merge_commit: CommitSha | None
    ) -> None:
        """Note how a pull request of ours ended, and with which commit on the base where it was merged."""
        self._ended(repository_id, number, how.value, merge_commit)

    def open(self, repository_id: RepositoryId, number: int) -> None:
        """Note that a pull request of ours is open: its commits have not ended, whatever they had before."""
        self._ended(repository_id, number, None, None)

    def _ended(self, repository_id: RepositoryId, number: int, how: str | None, merge_commit: CommitSha | None) -> None:
        these = (publications.c.repository_id == repository_id) & (publications.c.pull_request == number)
        ended = {"pull_request_end": how, "merge_commit": merge_commit}
        with self._database.write() as connection:
            connection.execute(sa.update(publications).where(these).values(**ended))


class OwnCommits:
    """What is remembered of our commits in one repository."""

    def __init__(self, database: Database, repository_id: RepositoryId) -> None:
        self._database = database
        self._repository_id = repository_id

    def digest(self, branch: str, commit: CommitSha) -> str | None:
        """The proposals digest of a commit that we published on the branch; None where it is not ours."""
        c = publications.c
        found = _newest(self._database, self._repository_id, c.branch == branch, c.commit_sha == commit)
        return found.digest if found else None

    def made(self, branch: str, digest: str, base_sha: CommitSha) -> CommitSha | None:
        """The last commit that we made on this very base for these very proposals, pushed or not."""
        c = publications.c
        same = (c.branch == branch, c.digest == digest, c.base_sha == base_sha)
        found = _newest(self._database, self._repository_id, *same)
        return found.commit if found else None

    def declined(self, branch: str) -> frozenset[str]:
        """Digests of proposals whose pull request a person closed unmerged."""
        query = sa.select(publications.c.digest).where(
            publications.c.repository_id == self._repository_id,
            publications.c.branch == branch,
            publications.c.pull_request_end == PullRequestEnd.CLOSED.value,
        )
        with self._database.read() as connection:
            return frozenset(connection.execute(query).scalars())


def _newest(database: Database, repository_id: RepositoryId, *conditions: sa.ColumnElement[bool]) -> Publication | None:
    order = (publications.c.published_at.desc(), publications.c.commit_sha)
    query = sa.select(publications).where(publications.c.repository_id == repository_id, *conditions)
    with database.read() as connection:
        row = connection.execute(query.order_by(*order).limit(1)).mappings().first()
        return publication_value(row) if row else None


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
        "merge_commit": publication.merge_commit,
        "published_at": publication.published_at,
    }


def publication_value(row: sa.RowMapping) -> Publication:
    """The publication of a row."""
    end = row["pull_request_end"]
    rest = {str(name): value for name, value in row.items() if name not in ("commit_sha", "pull_request_end")}
    return Publication(commit=row["commit_sha"], end=PullRequestEnd(end) if end else None, **rest)
