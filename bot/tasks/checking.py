"""The step that puts a nightly's check run: what the evaluation found, on the commit that was measured.

It stands on its own: where it cannot be put, the pull request is made all the same, and the task's
outcome says why there is none. What it says is `bot.publish.check_text`'s part.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from bot.domain import CheckAction, CommitSha, RunId, SourceRegistrations, TaskKind, TaskRequest, TestPath
from bot.edit.ports import TreeEntry
from bot.edit.registrations import Dialects
from bot.errors import RetryableError, UserError
from bot.evidence.anchoring import with_homes
from bot.publish.check_names import OPEN_PULL_REQUEST, REEVALUATE, about
from bot.publish.check_notes import NightlyCheck
from bot.publish.check_text import nightly_report, not_again
from bot.publish.links import Links
from bot.publish.ports.checks import CheckButton
from bot.publish.pull_request import Prepared
from bot.repo_config import DEFAULT
from bot.tasks.evaluating import StoreCache
from bot.tasks.material import Material, Published
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.permitting import refusal
from bot.tasks.ports import Forge
from bot.tasks.reading import Reader, sources_of
from bot.tasks.saying import sentence
from bot.tasks.stepping import Json, ParkedError, Steps
from bot.tasks.values import ENDING, PERMITTED, Evaluated, Permitted, Pinned
from bot.tasks.workshop import Workshop

_LONGEST_GUID = 62  # what is asked for again has two more characters, and stands in an external id

log = logging.getLogger(__name__)


class Checking:
    """Puts check runs on nightlies, and asks who pressed a button of one."""

    def __init__(self, workshop: Workshop, material: Material) -> None:
        self._workshop = workshop
        self._material = material

    async def permit(self, request: TaskRequest, pinned: Pinned) -> Json:
        """Permitted, or the ending that a missing permission is."""
        refused = await refusal(self._workshop.forge(request), request.actor, pinned.config.commands.allow)
        return PERMITTED.dump(refused or Permitted(request.actor))

    async def ask_again(self, request: TaskRequest) -> Json:
        """Ask for each check run of ours on a commit anew, as its own "Re-run" does; asked twice it is the same task.

        Whether the person may ask is looked up by each.
        """
        work = self._workshop.sweeping
        found = await self._workshop.forge(request).checks_on(CommitSha(request.head_sha))
        subjects = [subject for subject in map(about, found) if subject]
        if work is None or not subjects:
            return ENDING.dump(Ending(OutcomeName.NOTHING_TO_CHECK, "no check run of ours is on the commit"))
        for number, subject in enumerate(subjects, 1):
            await work.enqueue(
                replace(
                    request,
                    run_id=RunId(subject.run_id),
                    attempt=subject.attempt,
                    number=subject.number,
                    base=subject.base,
                    delivery=f"{request.delivery[:_LONGEST_GUID]}-{number}",
                    again=0,
                )
            )
        return ENDING.dump(Ending(OutcomeName.CHECKED, f"{len(subjects)} check runs are asked for again"))

    async def say_why_not(self, request: TaskRequest, ending: Ending) -> Json:
        """Where a run cannot be judged again: tell who asked, on a check run of its own, if they may ask at all."""
        forge = self._workshop.forge(request)
        if ending.name in (OutcomeName.DENIED, OutcomeName.UNVERIFIED):
            return ENDING.dump(ending)
        refused = await refusal(forge, request.actor, DEFAULT.commands.allow)
        if refused is None:
            await forge.check(not_again(request, ending.name, ending.detail))
        return ENDING.dump(refused or ending)

    async def nightly(
        self, request: TaskRequest, pinned: Pinned, evaluated: Evaluated, prepared: Prepared | Ending
    ) -> Json:
        """Put it; why it could not be put, or "".

        Raises:
            RetryableError: GitHub is busy.
        """
        forge = self._workshop.forge(request)
        if not pinned.config.checks.nightly or not forge.app_id:  # only an App has check runs
            return ""
        try:
            published, check = await self._check(request, pinned, evaluated)
            seen = published, replace(check, unpublished=_why_not(prepared))
            await self._put(forge, request, pinned, seen, prepared)
        except RetryableError:
            raise
        except UserError as error:
            return f"no check run: {error}"
        except Exception as error:
            log.exception("check run failed", extra={"task": request.key})
            return f"no check run: {type(error).__name__}"
        return ""

    async def _check(
        self, request: TaskRequest, pinned: Pinned, evaluated: Evaluated
    ) -> tuple[Published, NightlyCheck]:
        published = await self._material.load(request, evaluated)
        evaluation = published.evaluation
        paths = {one.registration.file for one in evaluation.decisions}
        paths |= {call.path for call in evaluation.refused_calls}
        files = self._workshop.forge(request).files
        base, head = await files.files(evaluation.base_sha), await files.files(pinned.run.head_sha)
        there = {path: head.get(path) for path in sorted(paths) if head.get(path) != base.get(path)}
        sources = await self._read(request, pinned, {path: entry for path, entry in there.items() if entry})
        at_home = {source.path: source for source in with_homes(sources, evaluation.runs)}
        return published, NightlyCheck(evaluation, pinned.run, {**dict.fromkeys(there), **at_home})

    async def _read(
        self, request: TaskRequest, pinned: Pinned, files: Mapping[TestPath, TreeEntry]
    ) -> tuple[SourceRegistrations, ...]:
        """The registrations of files as they are at the run's head."""
        forge, store = self._workshop.forge(request), self._workshop.store
        dialects = Dialects(pinned.config.registrations)
        cache = StoreCache(store, request.repository_id)
        sources, _ = await sources_of(Reader(forge.files, cache, self._workshop.executor, dialects), files)
        return sources

    async def _put(
        self,
        forge: Forge,
        request: TaskRequest,
        pinned: Pinned,
        seen: tuple[Published, NightlyCheck],
        prepared: Prepared | Ending,
    ) -> None:
        published, check = seen
        links = _links(forge, published, prepared)
        buttons = _buttons(published, prepared)
        report = await asyncio.to_thread(nightly_report, check, request, links, pinned.config.checks.fail_on, buttons)
        await forge.check(report)


def _why_not(prepared: Prepared | Ending) -> str:
    """Why there is no pull request, in a sentence; "" where one is to come."""
    return sentence(prepared).strip() if isinstance(prepared, Ending) else ""


def _links(forge: Forge, published: Published, prepared: Prepared | Ending) -> Links:
    """The evidence is linked by its commit, which exists before any branch names it."""
    if isinstance(prepared, Ending):
        return Links(server=forge.web)
    return published.links(forge.web, prepared.evidence_commit)


def _buttons(published: Published, prepared: Prepared | Ending) -> tuple[CheckButton, ...]:
    """Where the repository only observes, a person may still ask for the pull request."""
    observed = isinstance(prepared, Ending) and prepared.name is OutcomeName.OBSERVED
    return (REEVALUATE, OPEN_PULL_REQUEST) if observed and published.evaluation.edits else (REEVALUATE,)


def as_asked(request: TaskRequest, pinned: Pinned) -> Pinned:
    """With the pull request, where a person asked for it in a repository that only observes."""
    if request.action != CheckAction.OPEN_PULL_REQUEST:
        return pinned
    return replace(pinned, config=pinned.config.model_copy(update={"mode": "propose"}))


class OneCheck:
    """A task's one check run, put as a step of its own; it keeps no pull request from being made.

    Commands have none, nor has a nightly of another repository: its head is no commit of this one's.
    """

    def __init__(self, checking: Checking, steps: Steps, request: TaskRequest, pinned: Pinned) -> None:
        self._checking = checking
        self._steps = steps
        self._request = request
        self._pinned = pinned
        self._done = request.kind not in (TaskKind.NIGHTLY, TaskKind.CHECK_ACTION) or request.host is not None
        self._problem = ""
        self._parked: ParkedError | None = None

    async def put(self, evaluated: Evaluated, prepared: Prepared | Ending) -> None:
        """Put it, the first time it is asked for."""
        if self._done:
            return
        self._done = True
        work = partial(self._checking.nightly, self._request, self._pinned, evaluated, prepared)
        try:
            self._problem = str(await self._steps.take("check run", work))
        except ParkedError as error:
            self._parked = error
            self._problem = f"no check run: {error}"
        except UserError as error:
            self._problem = f"no check run: {error}"

    def noted(self, ending: Ending) -> Ending:
        """The ending, with the reason why there is no check run behind its detail; one that may come later is owed."""
        said = "; ".join(part for part in (ending.detail, self._problem) if part)
        if self._parked is None or ending.owed:
            return replace(ending, detail=said)
        return replace(ending, detail=said, owed=self._parked.step, after_s=self._parked.after_s)
