"""Gives rows and registrations the backend and suite that only the other side names. Pure.

A log without a plan names no backend; a file of estimates may name neither suite nor backend. A
blank is filled where the other side leaves one answer, and stays where it leaves several: one
value for passes of several suites would mix hardware (`RejectionReason.SEVERAL_SUITES`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.domain import (
    Backend,
    JobEvidence,
    Registration,
    RegistrationKey,
    RunEvidence,
    ScheduledFile,
    SourceRegistrations,
    Suite,
    TestPath,
)

_Places = Mapping[TestPath, frozenset[tuple[Backend, Suite]]]


def with_backends(runs: Iterable[RunEvidence], sources: Iterable[SourceRegistrations]) -> tuple[RunEvidence, ...]:
    """The same evidence, rows without a backend under the one of their file's active registration."""
    held = tuple(runs)
    if all(row.backend for run in held for row in run.rows):
        return held
    known: defaultdict[TestPath, set[tuple[Backend, Suite]]] = defaultdict(set)
    for source in sources:
        for one in source.registrations:
            if one.active:
                known[one.key.path].add((one.key.backend, one.key.suite))
    return tuple(replace(run, jobs=tuple(_job(job, known) for job in run.jobs)) for run in held)


def with_homes(sources: Iterable[SourceRegistrations], runs: Iterable[RunEvidence]) -> tuple[SourceRegistrations, ...]:
    """The same registrations, those without a suite or backend under the one place that logs schedule them in."""
    held = tuple(sources)
    blank = {one.key.path for source in held for one in source.registrations if _is_blank(one.key)}
    if not blank:
        return held
    places: defaultdict[TestPath, set[tuple[Backend, Suite]]] = defaultdict(set)
    for run in runs:
        for row in run.rows:
            if row.path in blank:
                places[row.path].add((row.backend, row.suite))
    found = {path: frozenset(seen) for path, seen in places.items()}
    return tuple(
        replace(source, registrations=tuple(_at_home(one, found) for one in source.registrations)) for source in held
    )


def same_literal(key: RegistrationKey, written: RegistrationKey) -> bool:
    """True where `written`, as it stands in its file, may be the registration with the full `key`."""
    return written.path == key.path and written.backend in ("", key.backend) and written.suite in ("", key.suite)


def _is_blank(key: RegistrationKey) -> bool:
    return not (key.backend and key.suite)


def _job(job: JobEvidence, known: Mapping[TestPath, set[tuple[Backend, Suite]]]) -> JobEvidence:
    rows = tuple(row if row.backend else _named(row, known.get(row.path, set())) for row in job.rows)
    backends = {row.backend for row in rows}
    plan = job.plan
    if plan is not None and not plan.backend and len(backends) == 1:
        plan = replace(plan, backend=backends.pop())
    return replace(job, rows=rows, plan=plan)


def _named(row: ScheduledFile, places: set[tuple[Backend, Suite]]) -> ScheduledFile:
    fitting = {backend for backend, suite in places if suite in ("", row.suite)}
    return replace(row, backend=fitting.pop()) if len(fitting) == 1 else row


def _at_home(one: Registration, places: _Places) -> Registration:
    if not _is_blank(one.key):
        return one
    fitting = [place for place in places.get(one.key.path, ()) if same_literal(_placed(one.key, place), one.key)]
    return replace(one, key=_placed(one.key, fitting[0])) if len(fitting) == 1 else one


def _placed(key: RegistrationKey, place: tuple[Backend, Suite]) -> RegistrationKey:
    return replace(key, backend=place[0], suite=place[1])
