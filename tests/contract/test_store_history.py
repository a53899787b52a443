"""One contract on both databases: a repository's whole history, handed out and given up."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from bot.domain import (
    Evaluation,
    JobId,
    PolicyStamp,
    Rejection,
    RejectionReason,
    RepositoryId,
    RunId,
    Status,
)
from bot.records.measurements import MeasuredPass, RowFacts
from bot.store.open import Store
from tests.contract.evidence_values import BASE, DAY_ONE, KEY, evidence, job, one_pass, run, timing

REPO = RepositoryId(5)
OTHER = RepositoryId(6)


def days(number: int) -> timedelta:
    return timedelta(days=number)


def test_runs_are_handed_out_oldest_first_with_their_attempts_and_only_ones_own(store: Store) -> None:
    for one in (one_pass(2), one_pass(1, attempt=2), one_pass(1)):
        store.runs.record(REPO, one)
    store.runs.record(OTHER, one_pass(9))
    assert list(store.history.runs(REPO).items()) == [(RunId(101), {1, 2}), (RunId(102), {1})]


def test_passes_are_those_of_trusted_runs_that_measured_each_once(store: Store) -> None:
    first, again = run(1), run(1, attempt=2)
    store.runs.record(REPO, evidence(first, job(timing(first))))
    store.runs.record(REPO, evidence(again, replace(job(timing(again, elapsed_s=100)), carried_from=1)))
    store.runs.record(REPO, one_pass(2, status=Status.TIMEOUT, elapsed_s=1800))
    untrusted = run(3, trusted=False)
    store.runs.record(REPO, evidence(untrusted, job(timing(untrusted))))
    store.runs.record(REPO, one_pass(0, elapsed_s=90))
    assert store.history.passes(REPO) == (
        MeasuredPass(DAY_ONE, KEY.suite, KEY.backend, KEY.path, 90),
        MeasuredPass(DAY_ONE + days(1), KEY.suite, KEY.backend, KEY.path, 100),
    )
    assert store.history.passes(OTHER) == ()


def test_nights_are_the_trusted_runs_of_one_workflow_since_a_moment_each_counted_once(store: Store) -> None:
    for one in (one_pass(1), one_pass(1, attempt=2), one_pass(2), one_pass(3)):
        store.runs.record(REPO, one)
    store.runs.record(REPO, evidence(run(4, workflow="stale.yml")))
    store.runs.record(REPO, evidence(run(5, trusted=False)))
    store.runs.record(OTHER, one_pass(6))
    assert store.history.nights(REPO, "ci.yml", DAY_ONE) == 3
    assert store.history.nights(REPO, "ci.yml", DAY_ONE + days(2)) == 2
    assert store.history.nights(REPO, "none.yml", DAY_ONE) == 0


def test_facts_say_why_the_newest_evaluation_did_not_use_a_timing(store: Store) -> None:
    night = one_pass(1)
    store.runs.record(REPO, night)
    (row,) = night.rows
    place = (1, JobId(1), 0)
    assert store.history.facts(REPO, RunId(101)) == {place: RowFacts()}
    unused = Rejection(row, RejectionReason.CHANGED, key=KEY, night_at=night.run.created_at)
    whole = Evaluation("octo/suite", "main", BASE, PolicyStamp("default"), runs=(night,), rejections=(unused,))
    store.evaluations.record("nightly:5:101:1", REPO, whole)
    assert store.history.facts(REPO, RunId(101))[place].reason == "changed"
    assert store.history.facts(OTHER, RunId(101)) == {}


def test_what_is_older_than_a_moment_is_given_up_with_all_it_measured_and_nothing_else(store: Store) -> None:
    for number in (1, 2, 3):
        store.runs.record(REPO, one_pass(number))
        store.runs.record(OTHER, one_pass(number))
    assert store.history.newest(REPO) == DAY_ONE + days(3)
    assert store.history.forget_before(REPO, DAY_ONE + days(2)) == 1
    assert store.history.forget_before(REPO, DAY_ONE + days(2)) == 0
    assert list(store.history.runs(REPO)) == [102, 103]
    assert len(store.history.passes(REPO)) == 2
    assert list(store.history.runs(OTHER)) == [101, 102, 103]


def test_a_repository_that_measured_nothing_has_no_history(store: Store) -> None:
    assert store.history.runs(REPO) == {}
    assert store.history.newest(REPO) is None
    assert store.history.passes(REPO) == ()
