"""How a sweep ends: what it did, counted, in one sentence. What is done is `bot.tasks.sweeping`'s part."""

from __future__ import annotations

from dataclasses import dataclass

from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.values import Looked, Redelivered


@dataclass(frozen=True, slots=True)
class Sums:
    """What a sweep did, and the parked tasks it saw."""

    redelivered: Redelivered
    looked: tuple[Looked, ...]
    forgotten: int
    waiting: tuple[str, ...]
    untold: int

    @property
    def found(self) -> int:
        """Nightlies that had no task."""
        return sum(one.asked for one in self.looked)


def ending(sums: Sums) -> Ending:
    """What was done, in one sentence; or that there was nothing to do, because everything is in its place."""
    failed = [one for one in sums.looked if one.refused]
    said = [f"{one.repository_id}: {name}" for one in sums.looked for name in one.said]
    done = {
        "deliveries asked for again": sums.redelivered.asked,
        "deliveries given up": sums.redelivered.left,
        "lists of deliveries that were refused": int(bool(sums.redelivered.refused)),
        "nightlies without a task found": sums.found,
        "repositories forgotten": sums.forgotten,
        "repositories that could not be looked at": len(failed),
        "installations that had not told": sums.untold,
        "lists of runs that were cut": sum(one.cut for one in sums.looked),
        "troubles": len(said),
        "tasks waiting for GitHub": len(sums.waiting),
    }
    if not any(done.values()):
        why = f"every delivery arrived and {len(sums.looked)} repositories have all their nightlies"
        return Ending(OutcomeName.NOTHING_TO_DO, f"nothing to do, because {why}")
    told = ", ".join(f"{count} {what}" for what, count in done.items() if count)
    refused = [sums.redelivered.refused, *(f"{one.repository_id}: {one.refused}" for one in failed)]
    details = [*said, *sums.waiting, *filter(None, refused)][:20]
    return Ending(OutcomeName.SWEPT, "; ".join([f"{told}, of {len(sums.looked)} repositories", *details]))
