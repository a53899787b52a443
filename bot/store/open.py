"""The way in: opens a database, brings its schema up to date, hands out its parts.

One part a concern, each with a few methods; none knows another's tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from bot.domain import RepositoryId
from bot.store.blobs import BlobCache, RegistrationCache
from bot.store.database import Database, connect
from bot.store.deliveries import Deliveries
from bot.store.evaluations import Evaluations
from bot.store.history import History
from bot.store.hosts import Hosts
from bot.store.judged import Judged
from bot.store.migrate import upgrade
from bot.store.nights import Nights
from bot.store.notices import Notices
from bot.store.outcomes import Outcomes
from bot.store.parked import ParkedTasks
from bot.store.publications import OwnCommits, Publications
from bot.store.registrations import SeenRegistrations
from bot.store.repositories import Installations, Repositories, RepositoryStates
from bot.store.runs import Runs
from bot.store.standings import Standings
from bot.store.timings import Timings

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Store:
    """Everything that is remembered. Threads may share one; `close` it at the end."""

    database: Database
    installations: Installations
    repositories: Repositories
    states: RepositoryStates
    deliveries: Deliveries
    runs: Runs
    timings: Timings
    history: History
    registrations: SeenRegistrations
    evaluations: Evaluations
    publications: Publications
    outcomes: Outcomes
    parked: ParkedTasks
    notices: Notices
    hosts: Hosts
    nights: Nights
    standings: Standings
    judged: Judged
    parsed: RegistrationCache
    blobs: BlobCache

    @classmethod
    def open(cls, url: str, now: Clock = utc_now) -> Self:
        """Open `sqlite:///FILE` or `postgresql://…` and migrate it. `now` stamps what is written.

        Raises:
            UserError: the URL or the database cannot be used, with the reason.
        """
        database = connect(url)
        try:
            upgrade(database)
        except BaseException:
            database.close()
            raise
        return cls.of(database, now)

    @classmethod
    def of(cls, database: Database, now: Clock = utc_now) -> Self:
        """The parts of a database as it is, without bringing its schema up to date."""
        return cls(
            database=database,
            installations=Installations(database, now),
            repositories=Repositories(database, now),
            states=RepositoryStates(database),
            deliveries=Deliveries(database, now),
            runs=Runs(database, now),
            timings=Timings(database),
            history=History(database),
            registrations=SeenRegistrations(database, now),
            evaluations=Evaluations(database, now),
            publications=Publications(database),
            outcomes=Outcomes(database),
            parked=ParkedTasks(database),
            notices=Notices(database),
            hosts=Hosts(database, now),
            nights=Nights(database),
            standings=Standings(database),
            judged=Judged(database),
            parsed=RegistrationCache(database),
            blobs=BlobCache(database, now),
        )

    def own_commits(self, repository_id: RepositoryId) -> OwnCommits:
        """What publishing asks about our commits in one repository."""
        return OwnCommits(self.database, repository_id)

    def answers(self) -> None:
        """Read one row, so that it is known whether the database answers; errors as `Database.read`."""
        self.hosts.every()

    def close(self) -> None:
        """Give every connection back."""
        self.database.close()
