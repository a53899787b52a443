"""The step that opens or updates the pull request, and remembers it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.domain import TaskRequest
from bot.errors import UserError
from bot.publish.body import report
from bot.publish.names import ROLLING_KEY, marker
from bot.publish.notice import Report, Trouble
from bot.publish.plan import PublishPlan
from bot.publish.ports.pulls import PullRequestState
from bot.publish.pull_request import INTRO, Prepared, Target, Wording, open_pull_request, settle_pull_request
from bot.tasks.material import Material, Published
from bot.tasks.moved_base import close_left_behind, left_behind
from bot.tasks.noticing import heal, tell
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge
from bot.tasks.stepping import Json
from bot.tasks.values import ENDING, Evaluated, Pinned
from bot.tasks.workshop import Workshop

CLOSED_LOOKED_AT, CLOSED_NAMED = 20, 3  # publications whose pull request a person closed; pull requests


class Settling:
    """The last step of a nightly task that anybody sees."""

    def __init__(self, workshop: Workshop, material: Material) -> None:
        self._workshop = workshop
        self._material = material

    async def settle(self, request: TaskRequest, pinned: Pinned, evaluated: Evaluated, prepared: Prepared) -> Json:
        """Open or update the pull request."""
        forge = self._workshop.forge(request)
        published = await self._material.load(request, evaluated)
        closed = await asyncio.to_thread(self._closed, request, prepared.branch)
        wording = _wording(published, prepared, pinned, forge, closed)
        target = Target(prepared.branch, pinned.base, evaluated.base_sha)
        try:
            settle = open_pull_request if prepared.open_pull is None else settle_pull_request
            pull = await forge.write(lambda writes: settle(target, wording, writes.pulls))
        except UserError as error:
            await tell(self._workshop, request, forge, Report(Trouble.PULL_REQUEST_FORBIDDEN, (str(error),)))
            said = f"{error}; the branch {prepared.branch} is there"
            return ENDING.dump(Ending(OutcomeName.PULL_REQUEST_FORBIDDEN, said, owed="pull request"))
        await heal(self._workshop, request, forge, Trouble.PULL_REQUEST_FORBIDDEN)
        await asyncio.to_thread(self._remember, request, prepared, evaluated, pull)
        await self._leave(request, pinned, pull, forge)
        name = OutcomeName.PUBLISHED if prepared.plan is PublishPlan.PUBLISH else OutcomeName.REFRESHED
        return ENDING.dump(Ending(name, pull.url, prepared.saved))

    async def _leave(self, request: TaskRequest, pinned: Pinned, pull: PullRequestState, forge: Forge) -> None:
        """Close what stands for a base that is corrected no more."""
        store = self._workshop.store
        bases = {pinned.base, *pinned.config.nightly.branches}
        old = await asyncio.to_thread(left_behind, store, request.repository_id, bases)
        if old:
            await forge.write(lambda writes: close_left_behind(store, old, pull, forge.app_id, writes))

    def _closed(self, request: TaskRequest, branch: str) -> tuple[int, ...]:
        """The last pull requests of the branch that a person closed, newest first."""
        found = self._workshop.store.publications.declined(request.repository_id, branch, CLOSED_LOOKED_AT)
        return tuple(one.pull_request for one in found if one.pull_request is not None)[:CLOSED_NAMED]

    def _remember(self, request: TaskRequest, prepared: Prepared, evaluated: Evaluated, pull: PullRequestState) -> None:
        publications = self._workshop.store.publications
        commit = prepared.commit or prepared.branch_before
        known = publications.find(request.repository_id, commit) if commit else None
        if known is not None:
            found = replace(
                known,
                evidence_commit=prepared.evidence_commit,
                pull_request=pull.number,
                evaluation_id=evaluated.evaluation_id,
            )
            publications.record(found)
        publications.open(request.repository_id, pull.number)
        self._workshop.store.states.set_first_pr_done(request.repository_id)


def _wording(
    published: Published, prepared: Prepared, pinned: Pinned, forge: Forge, closed: tuple[int, ...]
) -> Wording:
    links = replace(
        published.links(forge.web, prepared.evidence_commit),
        marker=marker(forge.app_id, ROLLING_KEY),
        intro="\n\n".join(part for part in (INTRO if prepared.first else "", _after(closed)) if part),
    )
    wanted = pinned.config.pull_request
    return Wording(
        title=wanted.title,
        body=report(published.evaluation, links),
        draft=prepared.first or wanted.draft,
        labels=wanted.labels,
        reviewers=wanted.reviewers,
    )


def _after(closed: tuple[int, ...]) -> str:
    """Which pull requests a person closed before this one; "" where there are none."""
    return f"After {', '.join(f'#{number}' for number in closed)}, which a person closed." if closed else ""
