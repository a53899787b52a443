"""The steps that pause and resume a repository's rolling pull request, and say so in its body."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bot.domain import TaskRequest
from bot.publish.markdown import link
from bot.publish.names import ROLLING_KEY, app_of, marker, rolling_branch
from bot.publish.paused import with_pause, without_pause
from bot.publish.ports.pulls import PullRequests, PullRequestState
from bot.tasks.answers import REPLY, Admitted, Reply
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.stepping import Json
from bot.tasks.workshop import Workshop

Change = Callable[[str], str]


class Switching:
    """Turns the rolling pull request off and on. Nights are measured all the same."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def pause(self, request: TaskRequest, admitted: Admitted) -> Json:
        """Nothing is proposed from here on."""
        await asyncio.to_thread(self._workshop.store.states.set_paused, request.repository_id, paused=True)
        mark = marker(self._workshop.forge(request).app_id, ROLLING_KEY)
        pulls = await self._say(request, admitted, lambda body: with_pause(body, mark))
        said = (
            f"Paused: nights are measured, nothing is proposed. `/recalibrate resume` starts it again.{_seen(pulls)}\n"
        )
        return REPLY.dump(Reply(Ending(OutcomeName.SWITCHED, "paused"), said))

    async def resume(self, request: TaskRequest, admitted: Admitted) -> Json:
        """The next night, or a command, proposes again."""
        await asyncio.to_thread(self._workshop.store.states.set_paused, request.repository_id, paused=False)
        pulls = await self._say(request, admitted, without_pause)
        said = f"Resumed: the next night, or the comment `/recalibrate`, brings it up to date.{_seen(pulls)}\n"
        return REPLY.dump(Reply(Ending(OutcomeName.SWITCHED, "resumed"), said))

    async def _say(self, request: TaskRequest, admitted: Admitted, change: Change) -> list[PullRequestState]:
        """Change the body of every open pull request of ours."""
        forge = self._workshop.forge(request)
        bases = dict.fromkeys((admitted.base, *admitted.config.nightly.branches))
        return await forge.write(
            lambda writes: [pull for base in bases for pull in _changed(writes.pulls, base, forge.app_id, change)]
        )


def _changed(pulls: PullRequests, base: str, app_id: int, change: Change) -> list[PullRequestState]:
    found = [
        pull
        for pull in pulls.of_branch(rolling_branch(base), base)
        if pull.state == "open" and app_of(pull.body, ROLLING_KEY) == app_id
    ]
    for pull in found:
        body = change(pull.body)
        if body != pull.body:
            pulls.update(pull.number, pull.title, body)
    return found


def _seen(pulls: list[PullRequestState]) -> str:
    return f" Said in {', '.join(link(f'#{pull.number}', pull.url) for pull in pulls)}." if pulls else ""
