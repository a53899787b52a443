"""The road of a comment command: acknowledge, admit, do, answer.

What a comment asks for is read by `bot.commands.grammar`; what it does is one method here or one
step beside it, and the same steps as a nightly's wherever something is evaluated or published.
Whatever happens, the person gets one answer that says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from bot.commands.contract import Command, Mistake
from bot.commands.grammar import commands_not_read, parse
from bot.commands.help import NAME as HELP
from bot.commands.texts import help_table, mistake_text
from bot.domain import TaskRequest
from bot.tasks.admitting import Admitting
from bot.tasks.answering import Answering, comment_of
from bot.tasks.answers import ADMITTED, NAMED, REPLY, Admitted, Place, Reply
from bot.tasks.evaluating import Evaluating
from bot.tasks.material import Material
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.saying import also, of_closed, sentence
from bot.tasks.selection import Selection
from bot.tasks.sharing import Sharing
from bot.tasks.stepping import Steps
from bot.tasks.suggesting import Suggesting
from bot.tasks.switching import Switching
from bot.tasks.taking import EndedError, ending_of, take
from bot.tasks.telling import Telling
from bot.tasks.values import EVALUATED, PersonsTip, Pinned
from bot.tasks.workshop import Workshop


class Road(Protocol):
    """The parts of a nightly's road that commands go, too."""

    async def read_named(
        self, steps: Steps, named: Sequence[TaskRequest], selection: Selection
    ) -> tuple[Pinned, Selection]:
        """Pin and collect exactly these runs."""
        ...

    async def publish(self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection) -> Ending:
        """From the evaluation to the pull request."""
        ...


class Commanding:
    """Performs comment commands."""

    def __init__(self, workshop: Workshop, material: Material, road: Road) -> None:
        self._road = road
        self._answering = Answering(workshop)
        self._admitting = Admitting(workshop)
        self._evaluating = Evaluating(workshop, material)
        self._telling = Telling(workshop, material)
        self._sharing = Sharing(workshop)
        self._suggesting = Suggesting(workshop)
        self._switching = Switching(workshop)

    async def perform(self, steps: Steps, request: TaskRequest) -> Ending:
        """The whole command; how it ends."""
        await steps.take("acknowledge", partial(self._answering.acknowledge, request))
        try:
            reply = await self._reply(steps, request)
        except Exception as error:
            ending = ending_of(request, error)
            reply = Reply(ending, sentence(ending))
        extra = also(commands_not_read(comment_of(request).text))
        whole = replace(reply, text=reply.text + extra)
        await steps.take("answer", partial(self._answering.answer, request, whole))
        return reply.ending

    async def _reply(self, steps: Steps, request: TaskRequest) -> Reply:
        """A mistake is answered to whoever may ask for help."""
        asked = parse(comment_of(request).text)
        verb = asked.verb if isinstance(asked, Command) else HELP
        admitted = await take(steps, ADMITTED, "admit", partial(self._admitting.admit, request, verb))
        if isinstance(asked, Command):
            return _on_closed(admitted, await VERBS[verb](self, steps, request, admitted, asked))
        said = mistake_text(asked) if isinstance(asked, Mistake) else ""
        return Reply(Ending(OutcomeName.MISUNDERSTOOD, asked.reason.value if asked else ""), said)

    async def _evaluate(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:
        """Evaluate what was asked for and publish it; on another's pull request compare, on a dry run only say."""
        selection = Selection(policy=asked.policy or None, suite=asked.suite, test=asked.test)
        pinned, selection = await self._pinned(steps, request, admitted, asked, selection)
        if admitted.place is Place.OTHER_PULL:
            if selection.runs:  # judged first, so that the files they measured are known
                await self._preview(steps, request, pinned, selection)
            return await take(steps, REPLY, "compare", partial(self._suggesting.compare, request, admitted, selection))
        if asked.dry_run:
            ending = await self._preview(steps, request, pinned, selection)
        else:
            ending = await self._published(steps, request, pinned, selection)
        return await take(steps, REPLY, "words", partial(self._telling.evaluated, request, ending))

    async def _pinned(
        self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command, selection: Selection
    ) -> tuple[Pinned, Selection]:
        """What to evaluate: the window's nights, or exactly the runs that are named."""
        if not asked.runs:
            return _on_base(admitted), selection
        find = partial(self._telling.find_runs, request, asked.runs)
        named = await take(steps, NAMED, "find runs", find)
        requests = [replace(request, run_id=one.run_id, attempt=one.attempt) for one in named]
        pinned, exactly = await self._road.read_named(steps, requests, selection)
        here = replace(pinned, base=admitted.base, base_sha=admitted.base_sha, config=admitted.config)
        return here, exactly

    async def _preview(self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection) -> Ending:
        evaluate = partial(self._evaluating.evaluate, request, pinned, pinned.base_sha, selection)
        await take(steps, EVALUATED, "evaluate", evaluate)
        return Ending(OutcomeName.ANSWERED, "dry run")

    async def _published(self, steps: Steps, request: TaskRequest, pinned: Pinned, selection: Selection) -> Ending:
        try:
            return await self._road.publish(steps, request, pinned, selection)
        except EndedError as ended:
            return ended.ending

    async def _explain(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:
        """The whole repository is judged, for what a suite gains decides about each of its tests."""
        pinned, selection = _on_base(admitted), Selection(policy=asked.policy or None)
        await self._preview(steps, request, pinned, selection)
        return await take(steps, REPLY, "words", partial(self._telling.explained, request, asked))

    async def _matrix(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:
        """The times of the parts are those of accepted passes, so the repository is judged first."""
        pinned = _on_base(admitted)
        await self._preview(steps, request, pinned, Selection(policy=asked.policy or None))
        return await take(steps, REPLY, "words", partial(self._sharing.share, request, pinned, asked))

    async def _rebuild(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:  # noqa: ARG002 - it has no options
        pinned = replace(_on_base(admitted), tip=PersonsTip.SAVE)
        ending = await self._published(steps, request, pinned, Selection())
        return await take(steps, REPLY, "words", partial(self._telling.evaluated, request, ending))

    async def _pause(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:  # noqa: ARG002 - it has no options
        return await take(steps, REPLY, "pause", partial(self._switching.pause, request, admitted))

    async def _resume(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:  # noqa: ARG002 - it has no options
        return await take(steps, REPLY, "resume", partial(self._switching.resume, request, admitted))

    async def _help(self, steps: Steps, request: TaskRequest, admitted: Admitted, asked: Command) -> Reply:  # noqa: ARG002 - it takes no step
        return Reply(Ending(OutcomeName.ANSWERED, "help"), help_table(admitted.config.commands.readers))


Do = Callable[[Commanding, Steps, TaskRequest, Admitted, Command], Awaitable[Reply]]
VERBS: Mapping[str, Do] = {
    "evaluate": Commanding._evaluate,
    "run": Commanding._evaluate,
    "explain": Commanding._explain,
    "matrix": Commanding._matrix,
    "rebuild": Commanding._rebuild,
    "pause": Commanding._pause,
    "resume": Commanding._resume,
    "help": Commanding._help,
}


def _on_closed(admitted: Admitted, reply: Reply) -> Reply:
    """The reply, with where things go on, where it stands on a pull request of ours that is open no more."""
    pull = admitted.pull
    if pull is None or admitted.place is not Place.OWN_PULL or pull.state == "open":
        return reply
    return replace(reply, text=reply.text + of_closed(pull, reply.ending))


def _on_base(admitted: Admitted) -> Pinned:
    """The window's nights against the base; the newest of them stands for the run."""
    if admitted.newest is None:
        raise EndedError(Ending(OutcomeName.NOTHING_MEASURED))
    return Pinned(admitted.newest, admitted.base, admitted.base_sha, admitted.config)
