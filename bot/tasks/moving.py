"""The step that moves the rolling branch and the evidence branch, together or not at all."""

from __future__ import annotations

from bot.domain import TaskRequest
from bot.publish.notice import Report, Trouble
from bot.publish.ports.refs import RefVerdict
from bot.publish.pull_request import Prepared, move_refs
from bot.tasks.noticing import heal, tell
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.stepping import Json
from bot.tasks.values import MOVED, BaseMoved, Moved
from bot.tasks.workshop import Workshop


class Moving:
    """The fifth step of a nightly task."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def move(self, request: TaskRequest, prepared: Prepared) -> Json:
        """Moved; or why not; where somebody else was there, or an old state was read, it is prepared again.

        Whose the tip is then, preparing finds out and says.
        """
        forge = self._workshop.forge(request)
        outcome = await forge.write(lambda writes: move_refs(prepared, writes.refs))
        if outcome.verdict is RefVerdict.OURS:
            await heal(self._workshop, request, forge, Trouble.BRANCH_PROTECTED)
            return MOVED.dump(Moved(prepared.evidence_commit))
        if outcome.verdict is RefVerdict.REFUSED and prepared.saved:
            lost = f"{prepared.branch_before} could not be saved as {prepared.saved}: {outcome.detail}"
            return MOVED.dump(Ending(OutcomeName.NOT_SAVED, lost))
        if outcome.verdict is RefVerdict.REFUSED:
            await tell(self._workshop, request, forge, Report(Trouble.BRANCH_PROTECTED, (outcome.detail,)))
            return MOVED.dump(Ending(OutcomeName.BRANCH_PROTECTED, outcome.detail))
        return MOVED.dump(BaseMoved(prepared.base_sha))
