"""One contract, held on a SQLite file and on a real Postgres: what is remembered comes back as it was."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain import (
    BlobSha,
    CommitSha,
    EditRefusal,
    Estimate,
    Evaluation,
    Flag,
    Identity,
    IdentityCheck,
    ImportChange,
    ImportDifference,
    ImportRefusal,
    Imports,
    JobId,
    Keep,
    KeepReason,
    LogState,
    NightlyFilter,
    Plan,
    PolicyStamp,
    Proposal,
    RefusedCall,
    RegistrationKey,
    Rejection,
    RejectionReason,
    RepositoryId,
    RunEvidence,
    RunId,
    Sample,
    SourceRegistrations,
    Status,
    Suite,
    TaskKind,
    TestPath,
    UnreadImport,
)
from bot.errors import InternalError
from bot.records.measurements import KnownTiming, NightWindow
from bot.records.publications import Notice, Publication, PullRequestEnd
from bot.records.repositories import ConfigSnapshot, ConfigStatus, Installation, Repository, RepositoryState
from bot.records.work import TaskOutcome
from bot.repo_config import RepoConfig
from bot.repo_config.registrations import LabelRule, Labels
from bot.repo_config.runner import SuiteTimeout, Timeout
from bot.store.blobs import MAX_BLOB_BYTES, BlobCache
from bot.store.column_types import UnstorableError
from bot.store.open import Store
from bot.store.publications import OwnCommits
from tests.contract.evidence_values import (
    BASE,
    DAY_ONE,
    HEAD,
    KEY,
    evidence,
    job,
    one_pass,
    registration,
    run,
    run_evidence,
    texts,
    timing,
)

REPO = RepositoryId(7)
OTHER = RepositoryId(8)
HOSTILE = "a\x00b\ud800c\x1ad'; DROP TABLE runs; --\\u0000 %s :name é\u202e\n"
EVERY = NightWindow(nights=1000)

on_one_store = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def at_fixed_times(url: str, *times: datetime) -> Store:
    """A store whose clock reads these times, one after another."""
    ticks = iter(times)
    return Store.open(url, now=lambda: next(ticks))


# ------------------------------------------------------------------------------------ deliveries


def test_a_delivery_is_noted_once(store: Store) -> None:
    assert store.deliveries.note("guid-1", "workflow_run", "nightly:7:1:1", action="completed", repository_id=REPO)
    assert not store.deliveries.note("guid-1", "workflow_run", "other_branch")
    noted = store.deliveries.find("guid-1")
    assert noted is not None
    assert (noted.event, noted.action, noted.verdict, noted.repository_id) == (
        "workflow_run",
        "completed",
        "nightly:7:1:1",
        REPO,
    )
    assert store.deliveries.find("guid-2") is None


def test_of_many_threads_that_note_one_delivery_one_is_first(store: Store) -> None:
    start = threading.Barrier(8)

    def note(_: int) -> bool:
        start.wait()
        return store.deliveries.note("guid", "workflow_run", "verdict")

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(note, range(8))) == [False] * 7 + [True]


def test_two_stores_on_one_database_agree_who_was_first(url: str) -> None:
    first, second = Store.open(url), Store.open(url)
    try:
        told = [store.deliveries.note(f"guid-{i}", "e", "v") for i in range(20) for store in (first, second)]
        assert told == [True, False] * 20
    finally:
        first.close()
        second.close()


def test_the_newest_deliveries_come_first_and_no_more_than_asked(url: str) -> None:
    store = at_fixed_times(url, *(DAY_ONE + timedelta(hours=i) for i in range(3)))
    for name in "abc":
        store.deliveries.note(name, "e", "v")
    assert [noted.guid for noted in store.deliveries.newest(2)] == ["c", "b"]
    store.close()


# ------------------------------------------------------------------- installations, repositories


def test_a_rename_or_transfer_keeps_the_history_and_shows_the_new_name(store: Store) -> None:
    store.repositories.save(Repository(REPO, "octo/suite", 1, "main"))
    store.runs.record(REPO, one_pass(1))
    moved = Repository(REPO, "elsewhere/tests", 2, "trunk", private=True)
    store.repositories.save(moved)
    assert store.repositories.find(REPO) == moved
    assert store.repositories.named("octo/suite") is None
    (found,) = store.runs.evidence(REPO, EVERY)
    assert found.run.repository == "elsewhere/tests"
    assert found.rows == one_pass(1).rows


def test_of_two_repositories_that_had_a_name_the_one_seen_last_is_found(url: str) -> None:
    store = at_fixed_times(url, DAY_ONE, DAY_ONE + timedelta(days=1))
    store.repositories.save(Repository(OTHER, "octo/suite"))
    store.repositories.save(Repository(REPO, "octo/suite"))
    found = store.repositories.named("octo/suite")
    assert found is not None
    assert found.repository_id == REPO
    store.close()


def test_a_removed_installation_takes_the_access_and_leaves_the_history(store: Store) -> None:
    store.installations.save(Installation(1, "octo"))
    store.installations.save(Installation(1, "octo", suspended=True))
    assert store.installations.every() == (Installation(1, "octo", suspended=True),)
    store.repositories.save(Repository(REPO, "octo/suite", 1))
    store.repositories.save(Repository(OTHER, "octo/other", 2))
    store.runs.record(REPO, one_pass(1))
    assert [r.repository_id for r in store.repositories.of_installation(1)] == [REPO]
    store.installations.remove(1)
    assert store.installations.find(1) is None
    assert store.repositories.find(REPO) == Repository(REPO, "octo/suite", None)
    assert store.repositories.of_installation(2) == (Repository(OTHER, "octo/other", 2),)
    store.repositories.lose_access(OTHER)
    assert store.repositories.of_installation(2) == ()
    assert len(store.runs.evidence(REPO, EVERY)) == 1


def test_a_configuration_comes_back_whole_and_leaves_the_flags_alone(store: Store) -> None:
    config = RepoConfig(
        version=1,
        timeout=Timeout(suites={"*-mi350": SuiteTimeout(floor_s=2400)}),
        labels=Labels(rules=(LabelRule(paths=("tests/*_lora_ci.py",), require=("lora", HOSTILE)),)),
    )
    nightly = NightlyFilter((".github/workflows/ci.yml",), ("schedule",), ("main",))
    snapshot = ConfigSnapshot(ConfigStatus.VALID, HEAD, config, nightly)
    assert store.states.find(REPO) == RepositoryState()
    assert store.deliveries.nightly_filter(REPO) is None
    store.states.set_paused(REPO, paused=True)
    store.states.set_config(REPO, snapshot)
    store.states.set_first_pr_done(REPO)
    assert store.states.find(REPO) == RepositoryState(snapshot, paused=True, first_pr_done=True)
    assert store.deliveries.nightly_filter(REPO) == nightly
    broken = ConfigSnapshot(ConfigStatus.INVALID, BASE, problems=("line 3: estimate.polisy: unknown key",))
    store.states.set_config(REPO, broken)
    store.states.set_paused(REPO, paused=False)
    assert store.states.find(REPO) == RepositoryState(broken, paused=False, first_pr_done=True)
    assert store.states.find(OTHER) == RepositoryState()


# -------------------------------------------------------------------------------------- evidence

RUN_IDS = itertools.count(1)


@on_one_store
@given(data=st.data())
def test_evidence_comes_back_exactly_as_it_was_recorded(store: Store, data: st.DataObject) -> None:
    one = data.draw(run_evidence(next(RUN_IDS)))
    store.runs.record(REPO, one)
    store.runs.record(REPO, one)
    assert store.runs.find(REPO, one.run.run_id) == (one,)


def test_a_window_holds_the_newest_trusted_nights_with_all_their_attempts_oldest_first(store: Store) -> None:
    for night in (3, 1, 4, 2):
        store.runs.record(REPO, one_pass(night))
    store.runs.record(REPO, one_pass(3, attempt=2))
    store.runs.record(REPO, evidence(run(5, trusted=False)))
    release = run(6, workflow="release.yml")
    store.runs.record(REPO, evidence(release, job(timing(release))))
    store.runs.record(OTHER, one_pass(9))

    def nights(window: NightWindow) -> list[tuple[int, int]]:
        return [(e.run.run_id - 100, e.run.attempt) for e in store.runs.evidence(REPO, window)]

    mine = NightWindow(nights=2, workflows=("ci.yml",))
    assert nights(mine) == [(3, 1), (3, 2), (4, 1)]
    assert nights(replace(mine, until=DAY_ONE + timedelta(days=3))) == [(2, 1), (3, 1), (3, 2)]
    assert nights(replace(mine, since=DAY_ONE + timedelta(days=4))) == [(4, 1)]
    assert nights(replace(mine, workflows=())) == [(4, 1), (6, 1)]
    assert nights(NightWindow(nights=1, workflows=("nothing.yml",))) == []


def test_a_run_without_a_creation_time_is_older_than_all(store: Store) -> None:
    undated = run(9, created_at=None)
    store.runs.record(REPO, one_pass(1))
    store.runs.record(REPO, evidence(undated, job(timing(undated))))
    assert [e.run.run_id for e in store.runs.evidence(REPO, NightWindow(nights=2))] == [109, 101]
    assert [e.run.run_id for e in store.runs.evidence(REPO, NightWindow(nights=1))] == [101]


def test_what_other_workflows_run_by_schedule_takes_no_place_in_the_window(store: Store) -> None:
    store.runs.record(REPO, one_pass(1))
    store.runs.record(REPO, evidence(run(2), job(plan=Plan(KEY.suite, KEY.backend, 0, 1, 7, ()))))
    store.runs.record(REPO, evidence(run(3), partial=frozenset({KEY.suite})))
    hosted = run(0, workflow="host.yml", measures="octo/suite")
    store.runs.record(REPO, evidence(hosted, job(timing(hosted))))
    for night in (4, 5):
        store.runs.record(REPO, evidence(run(night, workflow="stale.yml"), job()))
    assert [e.run.run_id - 100 for e in store.runs.evidence(REPO, NightWindow(nights=3))] == [1, 2, 3]
    assert store.runs.night_workflows(REPO) == {"ci.yml"}


def test_the_same_run_and_job_ids_in_two_repositories_are_two_things(store: Store) -> None:
    store.runs.record(REPO, one_pass(1, elapsed_s=10))
    store.runs.record(OTHER, one_pass(1, elapsed_s=20))
    assert [e.rows[0].elapsed_s for e in store.runs.find(REPO, RunId(101))] == [10]
    assert [e.rows[0].elapsed_s for e in store.runs.find(OTHER, RunId(101))] == [20]


def test_a_job_listed_by_two_attempts_stands_in_both(store: Store) -> None:
    first, second = run(1), run(1, attempt=2)
    store.runs.record(REPO, evidence(first, job(timing(first))))
    store.runs.record(REPO, evidence(second, job(timing(second), carried_from=JobId(1))))
    found = store.runs.find(REPO, RunId(101))
    assert [e.jobs[0].carried_from for e in found] == [None, 1]
    assert [known.carried_over for known in store.timings.of_key(REPO, KEY, 10)] == [True, False]


def test_a_log_that_expired_since_erases_nothing(store: Store) -> None:
    this = run(1)
    read = evidence(this, job(timing(this)))
    gone = evidence(this, job(state=LogState.GONE), partial=frozenset({KEY.suite}))
    store.runs.record(REPO, read)
    store.runs.record(REPO, gone)
    assert store.runs.find(REPO, this.run_id) == (read,)


def test_a_log_lost_before_it_was_read_leaves_its_suite_partial(store: Store) -> None:
    this = run(1)
    store.runs.record(REPO, evidence(this, job(timing(this))))
    lost = job(job_id=2, state=LogState.GONE)
    store.runs.record(
        REPO, evidence(this, job(state=LogState.GONE), lost, partial=frozenset({KEY.suite, Suite("other")}))
    )
    (found,) = store.runs.find(REPO, this.run_id)
    assert found.partial == {KEY.suite, "other"}
    assert [j.log.state for j in found.jobs] == [LogState.PRESENT, LogState.GONE]


def test_a_log_that_came_late_replaces_its_absence(store: Store) -> None:
    this = run(1)
    store.runs.record(REPO, evidence(this, job(state=LogState.GONE), partial=frozenset({KEY.suite})))
    read = evidence(this, job(timing(this)))
    store.runs.record(REPO, read)
    assert store.runs.find(REPO, this.run_id) == (read,)


def test_a_later_reading_of_a_log_replaces_the_earlier_one(store: Store) -> None:
    this = run(1)
    store.runs.record(REPO, evidence(this, job(timing(this), timing(this, plan_index=1))))
    better = evidence(this, job(timing(this, status=Status.TIMEOUT, note="read again")))
    store.runs.record(REPO, better)
    assert store.runs.find(REPO, this.run_id) == (better,)


def test_two_recorders_of_one_attempt_leave_it_once(store: Store) -> None:
    this = run(1)
    whole = evidence(this, *(job(*(timing(this, j, i) for i in range(5)), job_id=j) for j in range(1, 6)))
    start = threading.Barrier(4)

    def record(_: int) -> None:
        start.wait()
        store.runs.record(REPO, whole)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(record, range(4)))
    assert store.runs.find(REPO, this.run_id) == (whole,)


def test_a_timing_under_the_wrong_job_is_refused_and_nothing_is_written(store: Store) -> None:
    this = run(1)
    with pytest.raises(InternalError, match="listed under job 2"):
        store.runs.record(REPO, evidence(this, job(timing(this, job_id=1), job_id=2)))
    assert store.runs.find(REPO, this.run_id) == ()


def test_cited_lines_outlive_their_logs(store: Store) -> None:
    this = run(1)
    store.runs.record(REPO, evidence(this, job(timing(this)), job(job_id=2)))
    store.runs.cite(REPO, this, {JobId(1): {7: "plan", 20: HOSTILE}})
    store.runs.record(REPO, evidence(this, job(state=LogState.GONE), job(job_id=2)))
    assert store.runs.cited(REPO, this) == {1: {7: "plan", 20: HOSTILE}}
    assert store.runs.cited(OTHER, this) == {}


def test_the_history_of_a_key_is_newest_first_and_only_its_own(store: Store) -> None:
    for night in (2, 1, 3):
        this = run(night)
        elsewhere = timing(this, plan_index=1, suite=Suite("stage-c"))
        store.runs.record(REPO, evidence(this, job(timing(this, elapsed_s=night), elsewhere)))
    assert [known.row.elapsed_s for known in store.timings.of_key(REPO, KEY, 2)] == [3, 2]
    assert store.timings.of_key(OTHER, KEY, 2) == ()


def test_blob_facts_join_the_timings_of_their_head(store: Store) -> None:
    other = run(2, head_sha=CommitSha("f" * 40))
    store.runs.record(REPO, one_pass(1))
    store.runs.record(REPO, evidence(other, job(timing(other))))
    store.timings.note_blobs(REPO, HEAD, {KEY.path: BlobSha("d" * 40), TestPath("gone.py"): BlobSha("e" * 40)})
    store.timings.note_blobs(REPO, HEAD, {})
    newest, oldest = store.timings.of_key(REPO, KEY, 9)
    assert oldest == KnownTiming(one_pass(1).rows[0], run(1).created_at, carried_over=False, blob_at_head="d" * 40)
    assert newest.blob_at_head is None
    store.runs.record(REPO, one_pass(1))
    assert store.timings.of_key(REPO, KEY, 9)[1].blob_at_head == "d" * 40


def test_a_path_as_long_as_git_allows_is_a_key_like_any_other(store: Store) -> None:
    key = replace(KEY, path=TestPath("tests/" + "é" * 4000 + HOSTILE))
    this = run(1)
    store.runs.record(REPO, evidence(this, job(timing(this, path=key.path))))
    assert [known.row.path for known in store.timings.of_key(REPO, key, 1)] == [key.path]


def test_times_of_any_zone_are_the_same_instant(store: Store) -> None:
    east = datetime(2026, 9, 3, 1, 0, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    this = run(1, created_at=east)
    store.runs.record(REPO, evidence(this, job(timing(this))))
    (found,) = store.runs.evidence(REPO, NightWindow(nights=1, since=east, until=east))
    assert found.run.created_at == east
    assert found.run.created_at.utcoffset() == timedelta(0)


@pytest.mark.parametrize(
    "bad",
    [
        {"elapsed_s": 2**63},
        {"logged_est_s": float("nan")},
        {"logged_est_s": 10**400},
        {"head_sha": "x" * 300},
    ],
)
def test_a_value_no_column_holds_is_refused_by_name_and_nothing_is_written(
    store: Store, bad: dict[str, object]
) -> None:
    this = run(1)
    with pytest.raises(UnstorableError):
        store.runs.record(REPO, evidence(this, job(timing(this, **bad))))
    with pytest.raises(UnstorableError):
        store.runs.record(REPO, evidence(replace(this, created_at=datetime(2026, 9, 1))))
    assert store.runs.find(REPO, this.run_id) == ()


def test_a_large_night_is_kept_whole(store: Store) -> None:
    this = run(1)
    big = evidence(
        this, *(job(*(timing(this, j, i, note="n" * 500) for i in range(60)), job_id=j) for j in range(1, 41))
    )
    store.runs.record(REPO, big)
    assert store.runs.find(REPO, this.run_id) == (big,)


# ------------------------------------------------------------------- registrations, evaluations


def test_each_way_a_registration_was_written_is_kept_with_its_first_and_last_commit(url: str) -> None:
    store = at_fixed_times(url, *(DAY_ONE + timedelta(days=i) for i in range(3)))
    before, after = registration(60), registration(90.5, blob="e" * 40, labels=None)
    commits = [CommitSha(c * 40) for c in "123"]
    store.registrations.see(REPO, commits[0], [before])
    store.registrations.see(REPO, commits[1], [before])
    store.registrations.see(REPO, commits[2], [after])
    old, new = store.registrations.history(REPO, KEY)
    assert (old.registration, old.first_commit, old.last_commit) == (before, commits[0], commits[1])
    assert (new.registration, new.first_commit, new.last_commit) == (after, commits[2], commits[2])
    assert (old.first_seen_at, old.last_seen_at) == (DAY_ONE, DAY_ONE + timedelta(days=1))
    assert (store.registrations.standing(REPO), store.registrations.standing(RepositoryId(REPO + 1))) == (1, 0)
    assert store.registrations.history(OTHER, KEY) == ()
    store.close()


def an_evaluation(*runs: RunEvidence) -> Evaluation:
    """Two samples, two rejections, a proposal on one sample and a keep, with every optional field in use."""
    rows = [row for item in runs for row in item.rows]
    first, second, third, fourth = rows
    samples = (
        Sample(KEY, first, 100, Identity.IDENTICAL, DAY_ONE),
        Sample(KEY, second, 120, Identity.REGISTRATION_ONLY, None, partial=True),
    )
    elsewhere = RegistrationKey(TestPath(HOSTILE), KEY.backend, Suite("stage-c"))
    estimate = Estimate(130, 125.0, "max", 2, 2, 1, 120, 20)
    return Evaluation(
        repository="octo/suite",
        base="main",
        base_sha=BASE,
        policy=PolicyStamp("default", {"headroom": 1.25, "nights": 14, "estimator": "max"}),
        runs=runs,
        samples=samples,
        rejections=(
            Rejection(third, RejectionReason.FAILED),
            Rejection(fourth, RejectionReason.SUITE_CHANGED, elsewhere, Identity.CHANGED, HOSTILE, DAY_ONE),
        ),
        identities=(
            IdentityCheck(KEY.path, HEAD, Identity.MOVED, BlobSha("d" * 40), None, TestPath("t.py")),
            IdentityCheck(
                KEY.path,
                HEAD,
                Identity.IMPORT_CHANGED,
                BlobSha("d" * 40),
                BlobSha("d" * 40),
                imports=(ImportDifference(TestPath("u.py"), ImportChange.MOVED, TestPath("v\0.py")),),
            ),
        ),
        imports=(
            Imports(KEY.path, (TestPath("u.py"),), (UnreadImport(TestPath("w.py"), ImportRefusal.TOO_MANY, "x"),)),
        ),
        decisions=(
            Proposal(registration(), estimate, 130, 1800, 1800, samples[1:], (Flag.PARTITION_OVERLAP,)),
            Keep(registration(70, index=1), KeepReason.TOO_FEW_NIGHTS, "one night", estimate, 50, 1800, samples),
            Keep(registration(80, index=2, disabled="flaky"), KeepReason.NO_SAMPLE),
        ),
        refused_calls=(RefusedCall(KEY.path, 9, EditRefusal.STARRED_ARGUMENTS, HOSTILE),),
        report_only="",
        registrations=3,
        notes=("one sentence",),
    )


def two_nights() -> tuple[RunEvidence, RunEvidence]:
    first, second = run(1), run(2)
    failed = {"status": Status.FAILED, "elapsed_s": None}
    return (
        evidence(first, job(timing(first), timing(first, plan_index=1, **failed))),
        evidence(second, job(timing(second), timing(second, plan_index=1))),
    )


def test_an_evaluation_comes_back_with_every_decision_sample_and_rejection(store: Store) -> None:
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    store.evaluations.record("nightly:7:102:1", REPO, whole)
    store.evaluations.record("nightly:7:102:1", REPO, whole)
    assert store.evaluations.find("nightly:7:102:1") == whole
    assert store.evaluations.find("nightly:7:103:1") is None


def test_an_evaluation_made_again_replaces_the_first(store: Store) -> None:
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    less = replace(whole, samples=(), rejections=whole.rejections[:1], decisions=whole.decisions[2:], runs=nights[:1])
    store.evaluations.record("task", REPO, whole)
    store.evaluations.record("task", REPO, less)
    assert store.evaluations.find("task") == less


def test_a_sample_that_only_a_decision_cites_stays_with_the_decision(store: Store) -> None:
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    odd = replace(whole, samples=whole.samples[:1])
    store.evaluations.record("task", REPO, odd)
    assert store.evaluations.find("task") == odd


def test_an_evaluation_of_unrecorded_timings_is_refused_and_nothing_is_written(store: Store) -> None:
    with pytest.raises(InternalError, match="never recorded"):
        store.evaluations.record("task", REPO, an_evaluation(*two_nights()))
    assert store.evaluations.find("task") is None


def test_reading_evidence_again_leaves_the_evaluations_that_cite_it(store: Store) -> None:
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    store.evaluations.record("task", REPO, whole)
    for night in nights:
        store.runs.record(REPO, night)
    assert store.evaluations.find("task") == whole


def test_an_evaluation_outlives_the_runs_it_rests_on_and_cites_those_that_are_left(store: Store) -> None:
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    samples = (whole.samples[0], replace(whole.samples[1], row=nights[1].rows[0]))
    decisions = (replace(whole.decisions[0], samples=samples[1:]), replace(whole.decisions[1], samples=samples))
    whole = replace(whole, samples=samples, rejections=(), decisions=decisions)
    store.evaluations.record("task", REPO, whole)
    newest = nights[1].run
    assert newest.created_at
    assert store.history.forget_before(REPO, newest.created_at) == 1
    left = store.evaluations.find("task")
    assert left
    assert (left.runs, left.samples) == (nights[1:], samples[1:])
    assert left.decisions == tuple(replace(one, samples=samples[1:]) for one in decisions)


def test_what_was_decided_about_a_key_is_newest_first(url: str) -> None:
    store = Store.open(url, now=iter(DAY_ONE + timedelta(days=i) for i in range(9)).__next__)
    nights = two_nights()
    for night in nights:
        store.runs.record(REPO, night)
    whole = an_evaluation(*nights)
    for name in ("first", "second"):
        store.evaluations.record(name, REPO, whole)
    assert store.evaluations.newest(REPO, 5) == ("second", "first")
    assert store.evaluations.newest(OTHER, 5) == ()
    found = store.evaluations.of_key(REPO, KEY, 4)
    assert [name for name, _ in found] == ["second", "second", "second", "first"]
    assert found[0][1] == replace(whole.decisions[0], samples=())
    store.close()


# ------------------------------------------------------------------------ publications, outcomes


def publication(commit: str, day: int = 0, **other: object) -> Publication:
    values: dict[str, object] = {
        "repository_id": REPO,
        "commit": CommitSha(commit * 40),
        "branch": "recalibrate/main",
        "base": "main",
        "base_sha": BASE,
        "digest": "d1",
        "published_at": DAY_ONE + timedelta(days=day),
        **other,
    }
    return Publication(**values)  # type: ignore[arg-type]


def test_we_know_our_own_commits_and_the_last_one_on_a_branch(store: Store) -> None:
    old, new = publication("1"), publication("2", day=1, digest="d2", evidence_commit=CommitSha("9" * 40))
    for one in (new, old, new):
        store.publications.record(one)
    assert store.publications.find(REPO, old.commit) == old
    assert store.publications.find(REPO, CommitSha("3" * 40)) is None
    assert store.publications.find(OTHER, old.commit) is None
    assert store.publications.latest(REPO, "recalibrate/main") == new
    assert store.publications.latest(REPO, "recalibrate/dev") is None


def test_a_step_that_runs_again_with_less_knowledge_takes_nothing_back(store: Store) -> None:
    early = publication("1")
    late = replace(early, pull_request=12, evidence_commit=CommitSha("9" * 40), evaluation_id="task")
    store.publications.record(early)
    store.publications.record(late)
    store.publications.record(replace(early, published_at=DAY_ONE + timedelta(days=5)))
    assert store.publications.find(REPO, early.commit) == late
    assert store.publications.of_pull_request(REPO, 12) == late


def test_publishing_asks_of_its_own_branch_base_and_repository_only(store: Store) -> None:
    first, second = publication("1"), publication("2", day=1)
    on_dev = publication("3", day=2, branch="recalibrate/dev")
    moved = publication("4", day=3, base_sha=CommitSha("c" * 40))
    for one in (second, first, on_dev, moved):
        store.publications.record(one)
    own: OwnCommits = store.own_commits(REPO)
    branch = "recalibrate/main"
    assert own.digest(branch, first.commit) == "d1"
    assert own.digest(branch, on_dev.commit) is None
    assert own.made(branch, "d1", BASE) == second.commit
    assert own.made(branch, "d1", moved.base_sha) == moved.commit
    assert own.made(branch, "d2", BASE) is None
    others: OwnCommits = store.own_commits(OTHER)
    assert (others.digest(branch, first.commit), others.made(branch, "d1", BASE)) == (None, None)


def test_values_a_person_closed_are_declined_and_merged_ones_are_not(store: Store) -> None:
    store.publications.record(publication("1", pull_request=12, digest="closed"))
    store.publications.record(publication("2", pull_request=13, digest="merged"))
    store.publications.end(REPO, 12, PullRequestEnd.CLOSED, None)
    store.publications.end(REPO, 13, PullRequestEnd.MERGED, CommitSha("5" * 40))
    store.publications.record(publication("1", pull_request=12, digest="closed"))
    assert store.own_commits(REPO).declined("recalibrate/main") == {"closed"}
    assert store.own_commits(REPO).declined("recalibrate/dev") == frozenset()
    merged = store.publications.of_pull_request(REPO, 13)
    assert merged is not None
    assert (merged.end, merged.merge_commit) == (PullRequestEnd.MERGED, "5" * 40)


def test_a_squash_of_ours_is_ours_too(store: Store) -> None:
    store.publications.record(publication("1", pull_request=12))
    store.publications.end(REPO, 12, PullRequestEnd.MERGED, CommitSha("5" * 40))
    asked = [CommitSha(c * 40) for c in "156"] + [CommitSha(f"{i:040x}") for i in range(1200)]
    assert store.publications.ours(REPO, asked) == {"1" * 40, "5" * 40}
    assert store.publications.ours(OTHER, asked) == frozenset()


def outcome(task: str, day: int, **other: object) -> TaskOutcome:
    values: dict[str, object] = {"name": "nothing_to_change", "run_id": RunId(5), "attempt": 1, **other}
    return TaskOutcome(task, REPO, TaskKind.NIGHTLY, ended_at=DAY_ONE + timedelta(days=day), **values)  # type: ignore[arg-type]


def test_outcomes_are_found_by_task_by_repository_and_by_run(store: Store) -> None:
    first = outcome("t1", 1, detail=HOSTILE)
    second = outcome("t2", 2, run_id=None, attempt=None)
    third = replace(outcome("t3", 3), repository_id=OTHER)
    for one in (first, second, third, first):
        store.outcomes.record(one)
    assert store.outcomes.find("t1") == first
    assert store.outcomes.find("t9") is None
    assert store.outcomes.newest(10) == (third, second, first)
    assert store.outcomes.newest(1, REPO) == (second,)
    again = replace(first, name="published", ended_at=DAY_ONE + timedelta(days=4))
    store.outcomes.record(again)
    assert store.outcomes.find("t1") == again


def test_a_notice_stands_until_it_is_withdrawn_once(store: Store) -> None:
    notice = Notice(REPO, "config-invalid", 31, "digest", DAY_ONE)
    store.notices.save(notice)
    store.notices.save(notice)
    assert store.notices.open(REPO) == (notice,)
    assert store.notices.open(OTHER) == ()
    store.notices.withdraw(REPO, "config-invalid", DAY_ONE + timedelta(days=1))
    store.notices.withdraw(REPO, "config-invalid", DAY_ONE + timedelta(days=2))
    assert store.notices.open(REPO) == ()
    assert store.notices.find(REPO, "config-invalid") == replace(notice, closed_at=DAY_ONE + timedelta(days=1))
    store.notices.save(replace(notice, issue=44))
    assert store.notices.open(REPO) == (replace(notice, issue=44),)


# ---------------------------------------------------------------------------------------- caches


def source(path: str, blob: str) -> SourceRegistrations:
    key = replace(KEY, path=TestPath(path))
    refused = RefusedCall(TestPath(path), 4, EditRefusal.ALIASED_IMPORT, HOSTILE)
    return SourceRegistrations(TestPath(path), BlobSha(blob), (registration(key=key, blob=blob),), (refused,))


def test_a_parsed_file_is_known_by_path_blob_and_reader(store: Store) -> None:
    here, copy = source("a.py", "1" * 40), source("copy/" + HOSTILE, "1" * 40)
    bare = SourceRegistrations(TestPath("none.py"), BlobSha("2" * 40))
    for _ in range(2):
        store.parsed.keep(REPO, "register_call/1", [here, copy, bare])
    wanted = {one.path: one.blob for one in (here, copy, bare)}
    assert store.parsed.find(REPO, "register_call/1", wanted) == {one.path: one for one in (here, copy, bare)}
    assert store.parsed.find(REPO, "register_call/2", wanted) == {}
    assert store.parsed.find(OTHER, "register_call/1", wanted) == {}
    assert store.parsed.find(REPO, "register_call/1", {here.path: bare.blob}) == {}


def test_thousands_of_files_are_found_in_one_call(store: Store) -> None:
    sources = [SourceRegistrations(TestPath(f"t{i}.py"), BlobSha(f"{i:040x}")) for i in range(3000)]
    store.parsed.keep(REPO, "register_call/1", sources)
    found = store.parsed.find(REPO, "register_call/1", {one.path: one.blob for one in sources})
    assert len(found) == 3000


def test_blobs_come_back_byte_for_byte(store: Store) -> None:
    contents = {BlobSha("1" * 40): bytes(range(256)), BlobSha("2" * 40): b""}
    for _ in range(2):
        store.blobs.keep(REPO, contents)
    assert store.blobs.find(REPO, [*contents, BlobSha("3" * 40)]) == contents
    assert store.blobs.find(OTHER, contents) == {}


def test_a_blob_above_the_limit_is_passed_over(store: Store) -> None:
    largest, larger = BlobSha("1" * 40), BlobSha("2" * 40)
    store.blobs.keep(REPO, {largest: b"x" * MAX_BLOB_BYTES, larger: b"x" * (MAX_BLOB_BYTES + 1)})
    assert set(store.blobs.find(REPO, [largest, larger])) == {largest}


def test_the_longest_kept_blobs_give_way_in_their_repository_only(store: Store) -> None:
    now = iter(DAY_ONE + timedelta(days=i) for i in range(9))
    small = BlobCache(store.database, now.__next__, max_repository_bytes=100)
    names = [BlobSha(str(i) * 40) for i in range(4)]
    small.keep(OTHER, {names[0]: b"x" * 90})
    for name in names[:3]:
        small.keep(REPO, {name: b"x" * 40})
    assert set(small.find(REPO, names)) == {names[1], names[2]}
    assert set(small.find(OTHER, names)) == {names[0]}


# ------------------------------------------------------------------------------------- any text


@on_one_store
@given(text=texts)
def test_any_text_is_kept_and_found(store: Store, text: str) -> None:
    store.repositories.save(Repository(REPO, text, default_branch=text))
    found = store.repositories.named(text)
    assert found == Repository(REPO, text, default_branch=text)


def test_an_identifier_longer_than_an_index_takes_is_refused(store: Store) -> None:
    with pytest.raises(UnstorableError):
        store.deliveries.note("g" * 256, "e", "v")
    assert store.deliveries.note("g" * 255, "e", "v")


def test_times_are_stored_with_the_clock_of_the_store(url: str) -> None:
    store = at_fixed_times(url, datetime(2026, 1, 2, tzinfo=UTC))
    store.deliveries.note("g", "e", "v")
    noted = store.deliveries.find("g")
    assert noted is not None
    assert noted.received_at == datetime(2026, 1, 2, tzinfo=UTC)
    store.close()
