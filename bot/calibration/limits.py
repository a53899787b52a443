"""Explains tests that hit their limit, or passed within a tenth of it: pace, need, history, and what answers it.

Explaining is not editing: runs that may lead to no edit are explained like any other, and nothing here
becomes a proposal. What the logs say is read by the evidence stage.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil, isfinite

from bot.calibration.estimators import ESTIMATORS
from bot.calibration.guards import least_clearing
from bot.calibration.policies import Policy
from bot.calibration.rounding import bucket
from bot.domain import (
    BlobSha,
    CommitNote,
    CommitSha,
    JobId,
    LimitAnswer,
    LimitFinding,
    LimitKind,
    PastTry,
    RegistrationKey,
    RowTrace,
    RunEvidence,
    RunId,
    ScheduledFile,
    Status,
    Suite,
    TestPath,
    TimeoutRule,
    limit_kind,
)

HISTORY_SHOWN = 10
MOST_FINDINGS = 50

RowName = tuple[RunId, int, JobId, int]  # run, attempt, job, plan index
RuleOf = Callable[[Suite], TimeoutRule]


@dataclass(frozen=True, slots=True)
class Known:
    """What the findings rest on beside the rows.

    `traces` are those of rows, `accepted` the rows that count as evidence, `commits` those that touched a
    path as asked by `change_questions`, `blobs` the file at the commits it was measured at.
    """

    rule: RuleOf
    policy: Policy
    traces: Mapping[RowName, RowTrace] = field(default_factory=dict)
    accepted: frozenset[RowName] = frozenset()
    commits: Mapping[ChangeQuestion, tuple[CommitNote, ...]] = field(default_factory=dict)
    blobs: Mapping[tuple[TestPath, CommitSha], BlobSha] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChangeQuestion:
    """Which commits touched `path` up to `until`, and are not part of `since` (None: from the beginning)."""

    path: TestPath
    since: CommitSha | None
    until: CommitSha


@dataclass(frozen=True, slots=True)
class _Tried:
    """One row with the moment of its night."""

    row: ScheduledFile
    at: datetime | None

    @property
    def order(self) -> tuple[float, int, int]:
        return (self.at.timestamp() if self.at else 0.0, self.row.run_id, self.row.attempt)


@dataclass(frozen=True, slots=True)
class _Case:
    """The row to explain, and the same test's others in order of time."""

    kind: LimitKind
    tried: _Tried
    earlier: tuple[_Tried, ...]  # newest first
    later: tuple[_Tried, ...]  # oldest first

    @property
    def last_pass(self) -> ScheduledFile | None:
        return next((one.row for one in self.earlier if one.row.status is Status.PASSED), None)

    @property
    def question(self) -> ChangeQuestion:
        since = self.last_pass.head_sha if self.last_pass else None
        return ChangeQuestion(self.tried.row.path, since, self.tried.row.head_sha)


def row_name(row: ScheduledFile) -> RowName:
    """What names a row within all runs."""
    return (row.run_id, row.attempt, row.job_id, row.plan_index)


def change_questions(runs: Sequence[RunEvidence], rule: RuleOf) -> tuple[ChangeQuestion, ...]:
    """What `limit_findings` wants to know of the repository's history."""
    return tuple(dict.fromkeys(case.question for case in _cases(runs, rule)))


def rows_to_trace(runs: Sequence[RunEvidence], rule: RuleOf) -> tuple[ScheduledFile, ...]:
    """The rows whose own output a finding rests on: the one near its limit, and the newest pass after it."""
    found: list[ScheduledFile] = []
    for case in _cases(runs, rule):
        passes = [one.row for one in case.later if one.row.status is Status.PASSED]
        found += [case.tried.row, *passes[-1:]]
    return tuple(found)


def limit_findings(runs: Sequence[RunEvidence], known: Known) -> tuple[LimitFinding, ...]:
    """One finding a test and suite: its newest timeout, else its newest pass where that came near the limit.

    `runs` in any order, carried-over jobs marked. Unanswered ones first, then by how late they are.
    """
    found = [_finding(case, known) for case in _cases(runs, known.rule)]
    return tuple(sorted(found, key=_urgency))


def _urgency(one: LimitFinding) -> tuple[bool, bool, float, TestPath, Suite]:
    near = one.kind is LimitKind.NEAR_LIMIT
    return (one.answer is not None, near, -(one.row.elapsed_s or 0), one.row.path, one.row.suite)


def _cases(runs: Sequence[RunEvidence], rule: RuleOf) -> list[_Case]:
    by_key: dict[RegistrationKey, list[_Tried]] = defaultdict(list)
    for evidence in runs:
        for job in evidence.jobs:
            for row in job.rows if job.carried_from is None else ():
                by_key[RegistrationKey(row.path, row.backend, row.suite)].append(_Tried(row, evidence.run.created_at))
    cases = (_case(sorted(tries, key=lambda one: one.order), rule) for _, tries in sorted(by_key.items()))
    return [case for case in cases if case][:MOST_FINDINGS]


def _case(tries: Sequence[_Tried], rule: RuleOf) -> _Case | None:
    """The case of one test, its tries oldest first; None where none came near its limit."""
    kinds = [limit_kind(one.row, rule(one.row.suite)) for one in tries]
    newest = next((i for i in reversed(range(len(tries))) if kinds[i] is LimitKind.TIMED_OUT), None)
    if newest is None:
        passes = [i for i, one in enumerate(tries) if one.row.status is Status.PASSED]
        newest = passes[-1] if passes and kinds[passes[-1]] is LimitKind.NEAR_LIMIT else None
    kind = kinds[newest] if newest is not None else None
    if newest is None or kind is None:
        return None
    return _Case(kind, tries[newest], tuple(reversed(tries[:newest])), tuple(tries[newest + 1 :]))


def _finding(case: _Case, known: Known) -> LimitFinding:
    row = case.tried.row
    rule = known.rule(row.suite)
    trace = known.traces.get(row_name(row), RowTrace())
    needed = _needed(case, trace)
    return LimitFinding(
        kind=case.kind,
        row=row,
        limit_s=_limit(row, rule),
        trace=trace,
        night_at=case.tried.at,
        needed_s=needed,
        least_s=_least(needed, rule) if needed else None,
        literal_s=_literal([needed], known.policy) if needed else None,
        history=tuple(_past(one, rule) for one in case.earlier[:HISTORY_SHOWN]),
        last_pass=next((_past(one, rule) for one in case.earlier if one.row is case.last_pass), None),
        commits=known.commits.get(case.question, ()),
        answer=_answer(case, known),
    )


def _limit(row: ScheduledFile, rule: TimeoutRule) -> int:
    """The limit a row ran under: what a killed one had, else what its literal gives."""
    if row.status is Status.TIMEOUT and row.elapsed_s:
        return row.elapsed_s
    return rule.effective(row.logged_est_s if isfinite(row.logged_est_s * rule.factor) else 0)


def _needed(case: _Case, trace: RowTrace) -> int | None:
    """Seconds to the end at the average pace so far, start-up included; a pass needed what it took."""
    elapsed, reached = case.tried.row.elapsed_s, trace.progress
    if case.kind is LimitKind.NEAR_LIMIT:
        return elapsed
    if not elapsed or reached is None or reached.restarts or not 0 < reached.done < reached.total:
        return None
    return ceil(elapsed * reached.total / reached.done)


def _least(needed: int, rule: TimeoutRule) -> int:
    """The least literal of the rule's buckets whose limit clears the need, as a lower would have to."""
    return max(bucket(0), least_clearing(rule, needed))


def _literal(seconds: Iterable[int], policy: Policy) -> int | None:
    """What the policy's estimator makes of passes this long; None where it wants more of them."""
    computed = ESTIMATORS[policy.estimator].compute([float(one) for one in seconds], policy.params)
    return computed.value_s if computed else None


def _past(tried: _Tried, rule: TimeoutRule) -> PastTry:
    row = tried.row
    return PastTry(
        run_id=row.run_id,
        attempt=row.attempt,
        job_id=row.job_id,
        status=row.status,
        elapsed_s=row.elapsed_s,
        limit_s=_limit(row, rule),
        head_sha=row.head_sha,
        night_at=tried.at,
    )


def _answer(case: _Case, known: Known) -> LimitAnswer | None:
    """The later passes of a test that timed out: under the new regime, whatever it took before."""
    passes = [one for one in case.later if one.row.status is Status.PASSED and one.row.elapsed_s is not None]
    if case.kind is not LimitKind.TIMED_OUT or not passes:
        return None
    newest, row = passes[-1].row, case.tried.row
    literal = _literal((one.row.elapsed_s or 0 for one in passes), known.policy)
    if literal is None:
        return None
    nights = {one.row.run_id for one in passes if row_name(one.row) in known.accepted}
    lowered = literal < row.logged_est_s
    return LimitAnswer(
        passes=tuple(_past(one, known.rule(row.suite)) for one in passes[-HISTORY_SHOWN:]),
        trace=known.traces.get(row_name(newest), RowTrace()),
        literal_s=literal,
        nights=len(nights),
        nights_needed=known.policy.nights_lower if lowered else known.policy.nights_raise,
        file_changed=_changed(known.blobs.get((row.path, row.head_sha)), known.blobs.get((row.path, newest.head_sha))),
    )


def _changed(before: BlobSha | None, after: BlobSha | None) -> bool | None:
    return None if before is None or after is None else before != after
