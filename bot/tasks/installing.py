"""The task of an installation event: note which repositories the App may see now."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.domain import TaskRequest
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.stepping import Json
from bot.tasks.values import ENDING
from bot.tasks.workshop import Workshop


class Installing:
    """Keeps installations and their repositories as they are now, whatever the event said."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def note(self, request: TaskRequest) -> Json:
        """Ask GitHub and keep the answer; an installation that is gone loses its repositories."""
        store, installed = self._workshop.store, self._workshop.installed
        installation = await installed.installation(request.installation_id)
        if installation is None:
            await asyncio.to_thread(store.installations.remove, request.installation_id)
            return ENDING.dump(Ending(OutcomeName.INSTALLATION_NOTED, "removed"))
        await asyncio.to_thread(store.installations.save, installation)
        if installation.suspended:
            return ENDING.dump(Ending(OutcomeName.INSTALLATION_NOTED, "suspended"))
        present = await installed.repositories(request.installation_id)
        known = await asyncio.to_thread(store.repositories.of_installation, request.installation_id)
        for gone in {one.repository_id for one in known} - {one.repository_id for one in present}:
            await asyncio.to_thread(store.repositories.lose_access, gone)
        for one in present:
            found = replace(one, installation_id=request.installation_id)
            await asyncio.to_thread(store.repositories.save, found)
        return ENDING.dump(Ending(OutcomeName.INSTALLATION_NOTED, f"{len(present)} repositories"))
