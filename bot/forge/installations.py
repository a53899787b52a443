"""Where the App is installed: one installation, and the repositories it gives access to.

Reads only. The first question needs the App's own credential, the second a token of the installation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import RootModel

from bot.forge.answers import BusyError, RefusedError
from bot.forge.client import GitHubClient
from bot.forge.payloads.apps import InstallationPayload
from bot.forge.payloads.repositories import RepositoryPage, RepositoryPayload
from bot.forge.repository import known_repository
from bot.records.repositories import Installation, Repository


async def read_installation(app: GitHubClient, installation_id: int) -> Installation | None:
    """The installation as it is now; None where it was removed.

    Raises:
        RefusedError: the App's credential is not valid.
        BusyError: GitHub did not answer.
    """
    try:
        found = await app.get(InstallationPayload, "/app/installations/{id}", id=str(installation_id))
    except RefusedError as error:
        if error.status == 404:
            return None
        raise
    return _known(found)


@dataclass(frozen=True, slots=True)
class GrantedInstallation:
    """An installation and what it grants, by permission."""

    installation: Installation
    permissions: Mapping[str, str]


class _InstallationPage(RootModel[tuple[InstallationPayload, ...]]):
    """One page of GET /app/installations."""


async def list_installations(app: GitHubClient) -> tuple[GrantedInstallation, ...]:
    """Every installation of the App, by id; errors as `read_installation`."""
    found: dict[int, InstallationPayload] = {}
    async for page in app.pages(_InstallationPage, "/app/installations?per_page=100"):
        found.update((item.id, item) for item in page.root)
    return tuple(GrantedInstallation(_known(found[key]), found[key].permissions) for key in sorted(found))


def _known(found: InstallationPayload) -> Installation:
    return Installation(found.id, found.account.login if found.account else "", found.suspended_at is not None)


async def read_repositories(client: GitHubClient, installation_id: int) -> tuple[Repository, ...]:
    """All repositories of the installation whose token the client holds.

    Raises:
        RefusedError: the token is not an installation's.
        BusyError: GitHub did not answer, or its pages do not add up.
    """
    found: dict[int, RepositoryPayload] = {}
    total = 0
    async for page in client.pages(RepositoryPage, "/installation/repositories?per_page=100"):
        total = page.total_count
        found.update((item.id, item) for item in page.repositories)
    if total != len(found):
        raise BusyError(f"installation {installation_id}: {len(found)} repositories listed of {total}")
    return tuple(known_repository(item, installation_id) for item in found.values())
