"""The step of a command on somebody's pull request: compare its registrations, suggest values on its lines.

Nothing is pushed there. The comparison is the one that the pull request's check run makes; here it
becomes an answer, and a review where the diff shows a line whose value is off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from bot.calibration.policies import in_service, policy_from
from bot.domain import LiteralChange, Proposal, RunEvidence, TaskRequest, TestPath
from bot.edit.apply import apply
from bot.edit.registrations import Dialects
from bot.errors import InternalError, RetryableError, UserError
from bot.publish.compare_answer import compare_answer
from bot.publish.comparison import Compared
from bot.publish.ports.pulls import PullRequestState
from bot.publish.ports.reviews import LineComment
from bot.publish.suggestions import Replacement, line_text, review, suggestions
from bot.tasks.answers import REPLY, Admitted, Reply
from bot.tasks.comparing import Sides, compare
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge, Writes
from bot.tasks.pull_reading import PullReading
from bot.tasks.selection import Selection
from bot.tasks.stepping import Json
from bot.tasks.values import PullPinned
from bot.tasks.workshop import Workshop

UNTRUSTED = " Runs that are no configured nightlies only report: their passes are not counted."
NOT_TAKEN = " GitHub did not take the suggestions."


class Suggesting:
    """Compares and suggests."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._reading = PullReading(workshop)

    async def compare(self, request: TaskRequest, admitted: Admitted, selection: Selection) -> Json:
        """The answer; the review, where there is one, is made before it."""
        forge, pull = self._workshop.forge(request), admitted.pull
        if pull is None:
            raise InternalError(f"task {request.key} is about no pull request")
        at = await forge.files.divergence(pull.base, pull.head_sha)
        pinned = PullPinned(pull.head_sha, at.merge_base, admitted.config)
        sides = await self._sides(request, pinned, selection)
        found = await asyncio.get_running_loop().run_in_executor(self._workshop.executor, compare, sides)
        wanted = [one for one in found.compared if selection.wants(one.registration)]
        address, trouble = await self._suggest(forge, pull, wanted, sides.dialects)
        said = UNTRUSTED if any(not one.run.trusted for one in sides.runs) else ""
        text = compare_answer(wanted, found.refused, said + trouble, address)
        return REPLY.dump(Reply(Ending(OutcomeName.ANSWERED, address), text))

    async def _sides(self, request: TaskRequest, pinned: PullPinned, selection: Selection) -> Sides:
        """What is compared; exactly the named runs, and the named policy, where somebody named them."""
        sides = await self._reading.sides(request, pinned)
        policy = policy_from(pinned.config.estimate, selection.policy)
        if not selection.runs:
            return replace(sides, policy=in_service(policy))
        runs = await asyncio.to_thread(self._named, request, selection)
        return replace(sides, policy=policy, runs=runs)

    def _named(self, request: TaskRequest, selection: Selection) -> tuple[RunEvidence, ...]:
        find = self._workshop.store.runs.find
        return tuple(one for run_id in selection.runs for one in find(request.repository_id, run_id))

    async def _suggest(
        self, forge: Forge, pull: PullRequestState, compared: Sequence[Compared], dialects: Dialects
    ) -> tuple[str, str]:
        """The address of the review, and what is to be said where GitHub did not take it."""
        off = [one.decision for one in compared if isinstance(one.decision, Proposal)]
        if not off or pull.state != "open":
            return "", ""
        contents = await forge.files.contents(sorted({one.registration.blob for one in off}))
        raws = {one.registration.file: contents[one.registration.blob] for one in off}
        loop = asyncio.get_running_loop()
        replaced = await loop.run_in_executor(self._workshop.executor, replacements, off, raws, dialects)

        def put(writes: Writes) -> str:
            comments: tuple[LineComment, ...] = suggestions(replaced, writes.reviews.files(pull.number))
            return writes.reviews.put(pull.number, review(comments, pull.head_sha, forge.app_id)) if comments else ""

        try:
            return await forge.write(put), ""
        except RetryableError:
            raise
        except UserError:  # the head moved, or the conversation is locked: the table says it all
            return "", NOT_TAKEN


def replacements(
    off: Iterable[Proposal], raws: Mapping[TestPath, bytes], dialects: Dialects
) -> tuple[Replacement, ...]:
    """Each proposed literal with its line as it would be; edited and proved like any other edit.

    `raws` holds the files in which the literals stand.
    """
    found = []
    for one in off:
        call = one.registration
        raw, change = raws[call.file], LiteralChange(call.file, call.blob, call.index, one.after)
        edit = apply(call.file, raw, [change], dialects).edit
        before, after = raw.split(b"\n"), edit.after.split(b"\n") if edit else []
        one_line = [n for n, (old, new) in enumerate(zip(before, after, strict=False), start=1) if old != new]
        fits = len(before) == len(after) and one_line == [call.est_line]
        found.append(Replacement(one, line_text(edit.after, call.est_line) if edit and fits else None))
    return tuple(found)
