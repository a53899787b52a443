"""What a person must not miss of an evaluation: nothing to read, registrations that no log knows, files without one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.domain import Registration, RegistrationKey, RunEvidence

NOTHING_SELECTED = "No registration fits what the evaluation was narrowed to."
NO_REGISTRATIONS = "No register_*_ci call was found under the configured paths."


def unmatched(calls: Iterable[Registration], runs: Iterable[RunEvidence]) -> tuple[RegistrationKey, ...]:
    """The active registrations that no plan of these runs lists, in order."""
    plans = (job.plan for run in runs for job in run.jobs if job.plan is not None)
    planned = {RegistrationKey(file.path, plan.backend, plan.suite) for plan in plans for file in plan.files}
    return tuple(sorted({call.key for call in calls if call.active} - planned))


def notes(
    calls: Sequence[Registration], strangers: Sequence[RegistrationKey], runs: Iterable[RunEvidence]
) -> tuple[str, ...]:
    """What a person must not miss: nothing to read, registrations that no log knows, files without one."""
    if not calls:
        return (NO_REGISTRATIONS,)
    active = len({call.key for call in calls if call.active})
    plans = (job.plan for run in runs for job in run.jobs if job.plan is not None)
    implicit = {file.path for plan in plans for file in plan.files if file.implicit}
    found = []
    if strangers:
        found.append(f"Unmatched: {len(strangers)} of {active} active registrations; no log of these runs plans them.")
    if implicit:
        found.append(f"Implicit: {len(implicit)} planned files without a registration of their own; nothing to edit.")
    return tuple(found)
