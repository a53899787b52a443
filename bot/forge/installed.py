"""Where the App is installed, and which repositories that gives access to. Fulfils `bot.tasks.ports.Installed`."""

from __future__ import annotations

import aiohttp

from bot.forge.auth import AppAuth
from bot.forge.client import GitHubClient
from bot.forge.grants import READ
from bot.forge.installations import list_installations, read_installation, read_repositories
from bot.forge.needs import lacking
from bot.forge.tokens import Granted
from bot.records.repositories import Installation, InstallationLacks, Repository


class GitHubInstalled:
    """Installations of our App."""

    def __init__(self, session: aiohttp.ClientSession, app: AppAuth) -> None:
        self._session = session
        self._app = app

    async def installation(self, installation_id: int) -> Installation | None:
        """The installation as it is now; None where it was removed."""
        return await read_installation(self._app.client, installation_id)

    async def repositories(self, installation_id: int) -> tuple[Repository, ...]:
        """Its repositories, every page of them."""
        credential = Granted(self._app.installation(installation_id), READ)
        client = GitHubClient(self._session, self._app.client.endpoint, credential, self._app.client.policy)
        return await read_repositories(client, installation_id)

    async def every(self) -> tuple[InstallationLacks, ...]:
        """All installations, by id, with the permissions that one of our grants asks for and they do not have."""
        listed = await list_installations(self._app.client)
        return tuple(InstallationLacks(one.installation, lacking(one.permissions)) for one in listed)
