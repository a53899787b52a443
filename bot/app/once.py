"""What a command works with that runs once and ends. Nothing here serves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bot.app.forges import Forges
from bot.app.reached import named_github
from bot.app.working import PROCESSES
from bot.domain import TaskRequest
from bot.forge.access import Author
from bot.forge.auth import AppAuth, AppKey
from bot.forge.client import GitHubClient, RetryPolicy
from bot.forge.grants import READ
from bot.forge.installed import GitHubInstalled
from bot.forge.secret import Secret
from bot.forge.tokens import GivenToken, Granted, login_of_token
from bot.forge.transport import new_session
from bot.settings import Credentials, Settings
from bot.store.open import Store, utc_now
from bot.tasks.ports import Forge
from bot.tasks.processes import Processes
from bot.tasks.workshop import Workshop


@dataclass(frozen=True, slots=True)
class AppItself:
    """The App without a repository: what `recalibrate doctor` asks GitHub with."""

    session: aiohttp.ClientSession
    auth: AppAuth

    @property
    def installed(self) -> GitHubInstalled:
        """Where the App is installed."""
        return GitHubInstalled(self.session, self.auth)


@asynccontextmanager
async def app_itself(settings: Settings, policy: RetryPolicy) -> AsyncIterator[AppItself]:
    """The App's own view of GitHub; nothing is asked yet.

    Raises:
        UserError: the address is no GitHub's.
    """
    endpoint = named_github(settings.github_url, settings.network)
    async with new_session(endpoint.network) as session:
        key = AppKey(str(settings.app_id), Secret(settings.private_key))
        yield AppItself(session, AppAuth(session, endpoint, key, policy))


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a command works with: one repository, everything else as in the service, memory for one run."""

    workshop: Workshop
    installed_on: Callable[[str], Awaitable[int]]  # the App's installation on owner/name; 0 with a token
    forge: Callable[[TaskRequest], Forge]


@asynccontextmanager
async def workbench(given: Credentials, repository: str, folder: Path) -> AsyncIterator[Workbench]:
    """Build what `recalibrate run` works with; nothing outside `folder` is remembered.

    Raises:
        UserError: the credentials cannot be used.
        RetryableError: GitHub did not answer.
    """
    async with AsyncExitStack() as stack:
        endpoint = named_github(given.github_url, given.network)
        session = await stack.enter_async_context(new_session(endpoint.network))
        app = AppAuth(session, endpoint, AppKey(str(given.app_id), Secret(given.private_key)))
        who = GivenToken(Secret(given.token))
        if given.app_id:
            author = Author.known(given.app_id, await app.login())
        else:
            reader = GitHubClient(session, endpoint, Granted(who, READ.named(repository)))
            author = Author.known(0, await login_of_token(reader))
        store = Store.open(f"sqlite:///{folder / 'run.sqlite'}")
        stack.callback(store.close)
        processes = stack.enter_context(Processes(PROCESSES))
        root = folder / "logs"
        forges = Forges(session, endpoint, app if given.app_id else who, author, root)
        workshop = Workshop(
            forge=forges.of,
            installed=GitHubInstalled(session, app),
            store=store,
            executor=processes,
            now=utc_now,
            log_root=root,
        )

        async def installed_on(full_name: str) -> int:
            return await app.installation_id(full_name) if given.app_id else 0

        yield Workbench(workshop, installed_on, forges.of)
