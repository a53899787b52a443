from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    Identity,
    IdentityCheck,
    ImportChange,
    ImportDifference,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    LogState,
    Registration,
    RegistrationKey,
    Rejection,
    RejectionReason,
    Run,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
    SourceRegistrations,
    Status,
    Suite,
    TestPath,
)
from bot.evidence.histories import histories
from bot.evidence.registry import registry
from bot.evidence.samples import Base, Judged, judge, pairs_to_check
from tests.unit.evidence.tiny_logs import HEAD, OTTER, RUN

KEY = RegistrationKey(TestPath(OTTER), Backend("cuda"), Suite("lane"))
BLOB = BlobSha("1" * 40)
ACTIVE = Registration(KEY, BLOB, 0, 1, 1, 1, 400, "400")
T0 = datetime(2026, 8, 20, 15, tzinfo=UTC)


def _source(*calls: Registration) -> SourceRegistrations:
    return SourceRegistrations(TestPath(OTTER), BLOB, calls)


def _base(
    *calls: Registration, verdict: Identity | None = Identity.IDENTICAL, heads: tuple[str, ...] = (HEAD,)
) -> Base:
    pair = (TestPath(OTTER), HEAD)
    checks = {pair: IdentityCheck(*pair, verdict, BLOB, BLOB)} if verdict else {}
    return Base(registry([_source(*calls)]), checks, frozenset(map(CommitSha, heads)))


def _row(status: Status = Status.PASSED, elapsed: int | None = 310, run: int = 77, attempt: int = 1) -> ScheduledFile:
    return ScheduledFile(
        RunId(run),
        attempt,
        HEAD,
        JobId(9),
        "lane / run",
        KEY.suite,
        KEY.backend,
        0,
        1,
        0,
        KEY.path,
        status,
        elapsed,
        400.0,
        5,
    )


def _evidence(row: ScheduledFile, run: Run = RUN, **job: object) -> RunEvidence:
    log = JobLog(Job(row.job_id, row.job_name, 1, "success"), LogState.PRESENT)
    held = replace(JobEvidence(log, rows=(row,)), **job)
    run = replace(run, run_id=row.run_id, attempt=row.attempt, created_at=run.created_at or T0)
    return RunEvidence(run, (held,))


def _only(evidence: RunEvidence, base: Base) -> Judged:
    (one,) = judge([evidence], base)
    return one


def _reason(evidence: RunEvidence, base: Base) -> RejectionReason:
    one = _only(evidence, base)
    assert isinstance(one, Rejection)
    return one.reason


@pytest.mark.parametrize("verdict", [Identity.IDENTICAL, Identity.REGISTRATION_ONLY])
def test_a_pass_of_the_same_file_is_a_sample(verdict: Identity) -> None:
    one = _only(_evidence(_row()), _base(ACTIVE, verdict=verdict))
    assert isinstance(one, Sample)
    assert (one.key, one.elapsed_s, one.identity, one.night_at, one.partial) == (KEY, 310, verdict, T0, False)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.PASSED])
def test_only_a_pass_measures(status: Status) -> None:
    assert _reason(_evidence(_row(status)), _base(ACTIVE)) == RejectionReason(status.value)


@pytest.mark.parametrize("verdict", [Identity.CHANGED, Identity.MOVED, Identity.MISSING])
def test_g31_a_pass_of_a_file_that_has_changed_moved_or_gone_is_not_used(verdict: Identity) -> None:
    one = _only(_evidence(_row()), _base(ACTIVE, verdict=verdict))
    assert isinstance(one, Rejection)
    assert (one.reason.value, one.identity, one.key) == (verdict.value, verdict, KEY)


def test_a_pass_with_another_import_is_not_used_and_the_first_files_are_named() -> None:
    base, names = _base(ACTIVE, verdict=Identity.IMPORT_CHANGED), ("a.py", "b.sh", "c.py", "d.py", "e.py")
    ((pair, check),) = base.identity.items()
    differing = tuple(ImportDifference(TestPath(name), ImportChange.CHANGED) for name in names)
    one = _only(_evidence(_row()), replace(base, identity={pair: replace(check, imports=differing)}))
    assert isinstance(one, Rejection)
    assert (one.reason, one.identity) == (RejectionReason.IMPORT_CHANGED, Identity.IMPORT_CHANGED)
    assert one.detail == "a.py changed; b.sh changed; c.py changed; and 2 more"


def test_a_pass_whose_identity_nobody_checked_is_not_used() -> None:
    assert _reason(_evidence(_row()), _base(ACTIVE, verdict=None)) is RejectionReason.MISSING


def test_a_carried_over_job_is_counted_elsewhere() -> None:
    for status in Status:
        evidence = _evidence(_row(status), carried_from=JobId(4))
        assert _reason(evidence, _base(ACTIVE)) is RejectionReason.CARRIED_OVER


@pytest.mark.parametrize("status", list(Status))
def test_runs_that_only_report_bind_nothing_whatever_happened_there(status: Status) -> None:
    dispatched = replace(RUN, trusted=False, event="workflow_dispatch")
    assert _reason(_evidence(_row(status), dispatched), _base(ACTIVE)) is RejectionReason.UNTRUSTED_RUN
    assert _reason(_evidence(_row(status)), _base(ACTIVE, heads=())) is RejectionReason.HEAD_NOT_IN_BASE
    other = _evidence(_row(status), tested_sha=CommitSha("f" * 40))
    assert _reason(other, _base(ACTIVE)) is RejectionReason.TESTED_SHA_DIFFERS


def test_a_log_that_shows_the_head_or_no_checkout_is_used() -> None:
    assert isinstance(_only(_evidence(_row(), tested_sha=HEAD), _base(ACTIVE)), Sample)
    assert isinstance(_only(_evidence(_row(), tested_sha=None), _base(ACTIVE)), Sample)


def test_nothing_is_learned_without_a_registration() -> None:
    one = _only(_evidence(_row()), _base())
    assert isinstance(one, Rejection)
    assert (one.reason, one.key) == (RejectionReason.NO_REGISTRATION, None)


def test_g35_a_registration_on_another_suite_is_not_this_one() -> None:
    moved = replace(ACTIVE, key=replace(KEY, suite=Suite("lane-4-beta")))
    assert _reason(_evidence(_row()), _base(moved)) is RejectionReason.SUITE_CHANGED


def test_a_registration_of_another_backend_is_not_this_one() -> None:
    rocm = replace(ACTIVE, key=replace(KEY, backend=Backend("rocm")))
    assert _reason(_evidence(_row()), _base(rocm)) is RejectionReason.NO_REGISTRATION


def test_g30_a_test_disabled_since_is_told() -> None:
    assert _reason(_evidence(_row()), _base(replace(ACTIVE, disabled="old"))) is RejectionReason.DISABLED


def test_two_active_calls_are_ambiguous_and_a_disabled_twin_is_not() -> None:
    assert _reason(_evidence(_row()), _base(ACTIVE, replace(ACTIVE, index=1))) is RejectionReason.AMBIGUOUS_KEY
    twin = replace(ACTIVE, index=1, disabled="flaky")
    assert isinstance(_only(_evidence(_row()), _base(twin, ACTIVE)), Sample)
    assert registry([_source(twin, ACTIVE)]).active == {KEY: ACTIVE}


def test_a_pass_of_a_partial_suite_says_so_in_every_attempt() -> None:
    first = replace(_evidence(_row()), partial=frozenset({KEY.suite}))
    second = _evidence(_row(attempt=2))
    judged = judge([first, second], _base(ACTIVE))
    assert [isinstance(one, Sample) and one.partial for one in judged] == [True, True]


def test_every_row_is_judged_once() -> None:
    runs = [_evidence(_row(status, run=number)) for number, status in enumerate(Status, start=1)]
    judged = judge(runs, _base(ACTIVE))
    assert [one.row for one in judged] == [row for run in runs for row in run.rows]


def test_identity_is_asked_only_where_a_literal_could_change() -> None:
    known = registry([_source(ACTIVE)])
    other = replace(_row(), suite=Suite("elsewhere"))
    assert pairs_to_check([_evidence(_row()), _evidence(_row(run=78)), _evidence(other)], known) == ((OTTER, HEAD),)


def test_histories_hold_the_newest_night_first() -> None:
    old, new = replace(RUN, created_at=T0 - timedelta(days=1)), replace(RUN, created_at=T0)
    runs = [
        _evidence(_row(run=80), old),
        _evidence(_row(run=79), new),
        _evidence(_row(run=79, attempt=2), new),
        _evidence(_row(Status.TIMEOUT, 1800, run=78), new),
        _evidence(replace(_row(run=81), path=TestPath("tests/e2e/zoo/test_unknown.py")), new),
    ]
    found = histories(judge(runs, _base(ACTIVE)))
    assert list(found) == [KEY]
    assert [(one.row.run_id, one.row.attempt) for one in found[KEY].samples] == [(79, 2), (79, 1), (80, 1)]
    assert [one.reason for one in found[KEY].rejections] == [RejectionReason.TIMEOUT]


def test_a_file_on_two_partitions_of_one_run_keeps_both_passes() -> None:
    runs = [_evidence(replace(_row(elapsed=seconds), job_id=JobId(job))) for job, seconds in ((9, 300), (10, 330))]
    found = histories(judge(runs, _base(ACTIVE)))
    assert sorted(one.elapsed_s for one in found[KEY].samples) == [300, 330]


def test_a_pass_on_hardware_that_the_call_allows_is_not_its_home_suites() -> None:
    travelling = replace(ACTIVE, key=replace(KEY, suite=Suite("home")), hardware=("hopper", "blackwell"))
    assert _reason(_evidence(_row()), _base(travelling)) is RejectionReason.AWAY_FROM_HOME


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (replace(_row(), implicit=True), RejectionReason.IMPLICIT),
        (replace(_row(), path=TestPath("group:fast")), RejectionReason.BUNDLE),
        (replace(_row(), path=TestPath("/somewhere/test_a.py")), RejectionReason.PATH_NOT_RELATIVE),
    ],
)
def test_a_row_without_a_registration_says_why_it_has_none(row: ScheduledFile, reason: RejectionReason) -> None:
    one = _only(_evidence(row), _base())
    assert (one.reason, one.key) == (reason, None)
