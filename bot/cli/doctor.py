"""`recalibrate doctor`: looks at everything the service needs, and says what is wrong and how to mend it.

It reads and changes nothing: no migration, no file, no task. Each part is looked at whatever the others
said, as far as it can be. What a finding means is `bot.cli.diagnosis`' part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.app import AppItself, app_itself
from bot.cli import diagnosis
from bot.cli.diagnosis import DELIVERIES_SINCE, Finding, Known, Night
from bot.domain import RepositoryId, TaskKind
from bot.errors import RetryableError, UserError
from bot.forge.client import RetryPolicy
from bot.forge.clock import github_time
from bot.forge.endpoint import Endpoint
from bot.forge.installations import GrantedInstallation, list_installations
from bot.forge.webhook_api import hook_config, recent_deliveries
from bot.records.measurements import NightWindow
from bot.records.repositories import Repository
from bot.records.work import ProcessRole, TaskOutcome
from bot.settings import Settings, server_settings
from bot.store.database import connect
from bot.store.migrate import SchemaState, revision_state
from bot.store.open import Store, utc_now

MOST_REPOSITORIES = 500
OUTCOMES_LOOKED_AT = 50
OF_THE_APP = ("webhook", "deliveries", "installations")  # what only the App itself may ask
IMPATIENT = RetryPolicy(attempts=2, total_s=20.0)
SQLITE = "sqlite:///"

Say = Callable[[str], None]


@dataclass(slots=True)
class _Look:
    """At one part. `failed`: it could not be looked at."""

    failed: bool = False


class _Findings:
    """Says each finding when it is made, and knows whether all were well."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.well = True

    def add(self, *found: Finding) -> None:
        for one in found:
            self.well &= one.well
            self._say(str(one))

    @contextmanager
    def about(self, what: str, remedy: str) -> Iterator[_Look]:
        """What cannot be looked at is a finding of its own; the rest goes on."""
        look = _Look()
        try:
            yield look
        except (UserError, RetryableError) as error:
            look.failed = True
            self.add(Finding(what, str(error), remedy))


async def doctor(
    environment: Mapping[str, str], role: ProcessRole, say: Say, now: Callable[[], datetime] = utc_now
) -> bool:
    """Look at everything, a line each; True where all is well."""
    found = _Findings(say)
    settings: Settings | None = None
    with found.about("settings", "see the table of settings in docs/operation.md"):
        settings = server_settings(environment, role)
        found.add(Finding("settings", f"readable, for role {role.value}"))
        found.add(
            Finding("network", f"GitHub is reached {settings.network.way_to(Endpoint.of(settings.github_url).rest)}")
        )
    if settings is None:
        return False
    store = _store(settings, found)
    try:
        _queue(settings, found)
        with found.about("github", "see RECALIBRATE_GITHUB_URL"):
            async with app_itself(settings, IMPATIENT) as app:
                await _Round(app, store, found, now, settings.pages.client_id if settings.pages else "").make()
    finally:
        if store:
            store.close()
    return found.well


def _store(settings: Settings, found: _Findings) -> Store | None:
    """The store as it is, None where it cannot be read."""
    with found.about("store", "see RECALIBRATE_DATABASE_URL and that its database serves"):
        if _missing(settings.database_url):
            found.add(Finding("store", "its file does not exist", "start `recalibrate serve` once: it makes it"))
            return None
        database = connect(settings.database_url)
        try:
            state = revision_state(database)
        except BaseException:
            database.close()
            raise
        if state is SchemaState.CURRENT:
            found.add(Finding("store", "reachable and migrated"))
            return Store.of(database)
        database.close()
        newer = state is SchemaState.NEWER
        remedy = "install the newer version" if newer else "start this version of `recalibrate serve`: it migrates"
        found.add(Finding("store", f"its schema is {'newer than this program' if newer else 'not migrated'}", remedy))
    return None


def _queue(settings: Settings, found: _Findings) -> None:
    with found.about("queue", "see RECALIBRATE_QUEUE_URL and that its database serves"):
        if _missing(settings.queue_url):
            found.add(Finding("queue", "its file does not exist", "start `recalibrate serve` once: it makes it"))
            return
        database = connect(settings.queue_url)
        try:
            database.touch()
        finally:
            database.close()
        found.add(Finding("queue", "its database is reachable"))


def _missing(url: str) -> bool:
    """True for a SQLite file that is not there: to connect would make it."""
    return url.startswith(SQLITE) and not Path(url.removeprefix(SQLITE)).exists()


@dataclass(frozen=True, slots=True)
class _Round:
    """Everything that GitHub is asked, and the repositories it leads to."""

    app: AppItself
    store: Store | None
    found: _Findings
    now: Callable[[], datetime]
    pages_client: str  # the client id of the pages' sign-in, "" for no pages

    async def make(self) -> None:
        """Clock, App, webhook, deliveries, installations, repositories."""
        here = self._known_here()
        if await self._reached() and await self._let_in():
            here = await self._asked(here)
        self._repositories(here)

    async def _reached(self) -> bool:
        """Whether anybody answers at GitHub's address: where nobody does, that is said once."""
        with self.found.about("clock", 'see "In a company\'s network" in docs/operation.md') as look:
            theirs = await github_time(self.app.session, self.app.auth.client.endpoint)
            self.found.add(diagnosis.clock(self.now(), theirs))
        if look.failed:
            self.found.add(*diagnosis.not_asked(("app", *OF_THE_APP), "GitHub cannot be reached"))
        return not look.failed

    async def _let_in(self) -> bool:
        """Whether GitHub takes the App's key: no other question is answered without."""
        with self.found.about("app", "see RECALIBRATE_APP_ID, and that the key is this App's") as look:
            me = await self.app.auth.me()
            self.found.add(*diagnosis.of_app(me), *diagnosis.pages(self.pages_client, me))
        if look.failed:
            self.found.add(*diagnosis.not_asked(OF_THE_APP, "GitHub did not say who the App is"))
        return not look.failed

    async def _asked(self, here: dict[RepositoryId, Repository]) -> dict[RepositoryId, Repository]:
        """What GitHub says of the App; the repositories that there are."""
        client, found = self.app.auth.client, self.found
        with found.about("webhook", "see the lines above, and that the App has a webhook"):
            found.add(diagnosis.webhook(await hook_config(client)))
        with found.about("deliveries", "see the lines above"):
            found.add(diagnosis.deliveries(await recent_deliveries(client, self.now() - DELIVERIES_SINCE)))
        with found.about("installations", "see the lines above"):
            listed = await list_installations(client)
            if not listed:
                found.add(Finding("installations", "none", "install the App on the repositories to watch"))
            return await self._with_those_on_github(here, listed)
        return here

    def _known_here(self) -> dict[RepositoryId, Repository]:
        return {one.repository_id: one for one in self.store.repositories.covered()} if self.store else {}

    async def _with_those_on_github(
        self, here: Mapping[RepositoryId, Repository], listed: tuple[GrantedInstallation, ...]
    ) -> dict[RepositoryId, Repository]:
        """The repositories, less those that GitHub does not list; an installation that cannot be read keeps its own."""
        there: dict[RepositoryId, Repository] = {}
        unread: set[int | None] = set()
        for one in listed:
            self.found.add(diagnosis.of_installation(one))
            number = one.installation.installation_id
            unread.add(number)
            if one.installation.suspended:
                continue
            with self.found.about(f"installation {number}", "see the lines above"):
                there |= {it.repository_id: it for it in await self.app.installed.repositories(number)}
                unread.discard(number)
        gone = {key for key, one in here.items() if key not in there and one.installation_id not in unread}
        self.found.add(*diagnosis.unlisted(sorted(here[key].full_name for key in gone)))
        return {key: one for key, one in {**here, **there}.items() if key not in gone}

    def _repositories(self, every: Mapping[RepositoryId, Repository]) -> None:
        """A finding of each kind for each repository."""
        if self.store is None:
            return
        chosen = sorted(every.values(), key=lambda one: one.full_name)
        if len(chosen) > MOST_REPOSITORIES:
            self.found.add(Finding("repositories", f"the first {MOST_REPOSITORIES} of {len(chosen)} follow"))
        for one in chosen[:MOST_REPOSITORIES]:
            with self.found.about(one.full_name, "see the lines above"):
                self.found.add(*self._one(self.store, one))

    def _one(self, store: Store, repository: Repository) -> tuple[Finding, ...]:
        if repository.archived:
            return (Finding(repository.full_name, "archived: nothing is done"),)
        return tuple(diagnosis.of_repository(_known(store, repository), self.now()))


def _known(store: Store, repository: Repository) -> Known:
    number = repository.repository_id
    night = next(iter(store.runs.evidence(number, NightWindow(1))), None)
    return Known(
        full_name=repository.full_name,
        config=store.states.find(number).config,
        night=Night(night.run.run_id, night.run.created_at) if night else None,
        registrations=store.registrations.standing(number),
        outcome=_last(store, number),
    )


def _last(store: Store, number: RepositoryId) -> TaskOutcome | None:
    """How the newest nightly's task ended; without one among the last, how any did."""
    newest = store.outcomes.newest(OUTCOMES_LOOKED_AT, number)
    return next((one for one in newest if one.kind is TaskKind.NIGHTLY), newest[0] if newest else None)
