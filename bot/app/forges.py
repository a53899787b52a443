"""Each task's view of its repository, kept for the next task of it. What a view can do is `bot.forge`'s part."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import aiohttp

from bot.domain import TaskRequest
from bot.forge.access import Author, Place, RepositoryAccess
from bot.forge.auth import AppAuth, InstallationTokens
from bot.forge.client import DEFAULT_POLICY
from bot.forge.endpoint import Endpoint
from bot.forge.tokens import GivenToken, Tokens
from bot.store.repositories import Repositories
from bot.tasks.ports import Forge

REPOSITORIES_HELD = 16  # each with the trees it has read


class Forges:
    """Gives each task its view of its repository; a view is kept for the next task, with what it has read."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        endpoint: Endpoint,
        who: AppAuth | GivenToken,
        author: Author,
        root: Path,
    ) -> None:
        self._session = session
        self._endpoint = endpoint
        self._who = who
        self._author = author
        self._root = root
        self._tokens: dict[int, InstallationTokens] = {}
        self._held: OrderedDict[tuple[int, int, str], RepositoryAccess] = OrderedDict()

    def of(self, request: TaskRequest) -> Forge:
        """The repository of one task: the same view for all its tasks, for what was read never changes."""
        key = (request.installation_id, request.repository_id, request.repository)
        if key not in self._held:
            policy = self._who.client.policy if isinstance(self._who, AppAuth) else DEFAULT_POLICY
            place = Place(request.repository, request.repository_id, self._root, policy)
            tokens = self._of_installation(request.installation_id)
            self._held[key] = RepositoryAccess(self._session, self._endpoint, tokens, self._author, place)
            while len(self._held) > REPOSITORIES_HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]

    def _of_installation(self, installation_id: int) -> Tokens:
        if isinstance(self._who, GivenToken):
            return self._who
        if installation_id not in self._tokens:
            self._tokens[installation_id] = self._who.installation(installation_id)
        return self._tokens[installation_id]


def under_present_name(forge: Callable[[TaskRequest], Forge], known: Repositories) -> Callable[[TaskRequest], Forge]:
    """The same, for a repository that was renamed or transferred since it was asked for: the id is what counts."""

    def of(request: TaskRequest) -> Forge:
        found = known.find(request.repository_id) if request.repository_id else None
        return forge(replace(request, repository=found.full_name) if found else request)

    return of
