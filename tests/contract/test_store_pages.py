"""What pages read, held on a SQLite file and on a real Postgres: counted alike, in parts, newest first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import (
    CommitSha,
    Decision,
    Doubt,
    Estimate,
    Evaluation,
    Identity,
    JobId,
    Keep,
    KeepReason,
    PolicyStamp,
    Proposal,
    RegistrationKey,
    Rejection,
    RejectionReason,
    RepositoryId,
    RunEvidence,
    RunId,
    Sample,
    Status,
    Suite,
    TaskKind,
    TestPath,
    TimeoutRule,
)
from bot.overview import Held, KeyOverview, Listed, Span, Verdict
from bot.records.publications import Publication, PullRequestEnd
from bot.records.work import TaskOutcome
from bot.store.open import Store
from tests.contract.evidence_values import BASE, DAY_ONE, HEAD, KEY, evidence, job, one_pass, registration, run, timing

REPO = RepositoryId(7)
OTHER_KEY = RegistrationKey(TestPath("tests/test_b.py"), KEY.backend, Suite("stage-c"))
ODD_KEY = replace(KEY, path=TestPath("tests/z_Ä-odd\x00.py"))


def rules(suite: Suite) -> TimeoutRule:
    """Limits that differ by suite, low enough to be passed."""
    return TimeoutRule(floor_s=90) if suite == KEY.suite else TimeoutRule(floor_s=10, factor=1.25)


def several(number: int) -> RunEvidence:
    """A night with passes on every side of literal and limit, and with what is no pass."""
    of = run(number)
    told = [  # of the suite with a floor of 90 s
        {"elapsed_s": 60, "logged_est_s": 60.0},  # at the literal
        {"elapsed_s": 89, "logged_est_s": 60.0},  # above it, below the limit
        {"elapsed_s": 90, "logged_est_s": 60.0},  # at the limit
        {"status": Status.TIMEOUT, "elapsed_s": 95},
        {"status": Status.FAILED, "elapsed_s": 5},
        {"status": Status.NOT_RUN, "elapsed_s": None},
    ]
    other = [  # int(21 * 1.25) = 26, although 21 * 1.25 = 26.25
        {"elapsed_s": 25, "logged_est_s": 21.0},
        {"elapsed_s": 26, "logged_est_s": 21.0},
    ]
    rows = [timing(of, plan_index=i, path=f"tests/{i}.py", **one) for i, one in enumerate(told)]
    more = [
        timing(of, job_id=2, plan_index=i, path=OTHER_KEY.path, suite=OTHER_KEY.suite, **one)
        for i, one in enumerate(other)
    ]
    return evidence(of, job(*rows), job(*more, job_id=2))


def outcome(name: str, run_id: int, hours: int = 0) -> TaskOutcome:
    at = DAY_ONE + timedelta(hours=hours)
    return TaskOutcome(f"{name}:{run_id}", REPO, TaskKind.NIGHTLY, name, at, RunId(run_id), 1)


def nightly(night: RunEvidence, *decisions: Decision, **parts: object) -> Evaluation:
    return Evaluation(
        "octo/suite",
        "main",
        BASE,
        PolicyStamp("default"),
        runs=(night,),
        decisions=decisions,
        **parts,  # type: ignore[arg-type]  # by name
    )


def kept(value: int | None, key: RegistrationKey = KEY, **other: object) -> Keep:
    held = KeepReason.TOO_FEW_NIGHTS if value is not None else KeepReason.EQUAL
    return Keep(registration(60, key=key), held, held=value, **other)  # type: ignore[arg-type]  # by name


def changed(before: float, after: int) -> Proposal:
    estimate = Estimate(after, float(after), "max", n=1, nights=1, hosts=1, max_elapsed_s=after, spread_s=0)
    return Proposal(registration(before), estimate, after, 1800, 1800, ())


def test_a_night_is_counted_by_status_and_by_where_its_passes_stand(store: Store) -> None:
    store.runs.record(REPO, several(1))
    (night,) = store.nights.newest(REPO, rules, Span(5)).items
    assert night.statuses == {Status.PASSED: 5, Status.TIMEOUT: 1, Status.FAILED: 1, Status.NOT_RUN: 1}
    assert night.held == Held(passed=5, timed_out=1, within_literal=1, within_limit=3)
    assert (night.run, night.attempts, night.partial, night.outcome) == (run(1), 1, (), None)


def test_a_literal_beyond_all_bounds_is_counted_alike(store: Store) -> None:
    of = run(1)
    rows = [
        timing(of, plan_index=i, path=f"tests/{i}.py", elapsed_s=2**40, logged_est_s=literal)
        for i, literal in enumerate((float("inf"), 1.7e308, -1.7e308))
    ]
    store.runs.record(REPO, evidence(of, job(*rows)))
    (night,) = store.nights.newest(REPO, rules, Span(5)).items
    assert night.held == Held(passed=3, within_literal=2, within_limit=2)


def test_copies_and_doubtful_passes_are_not_counted_as_runs(store: Store) -> None:
    of = run(1, attempt=2)
    store.runs.record(REPO, one_pass(1))
    store.runs.record(REPO, evidence(of, job(timing(of), carried_from=JobId(1)), partial=frozenset({KEY.suite})))
    (night,) = store.nights.newest(REPO, rules, Span(5)).items
    assert night.statuses == {Status.PASSED: 1}
    assert night.held.runs == 1
    store.runs.record(REPO, one_pass(2, doubt=Doubt.SKIPPED))
    (doubtful, _) = store.nights.newest(REPO, rules, Span(5)).items
    assert (doubtful.statuses, doubtful.held) == ({Status.PASSED: 1}, Held())
    assert (night.run.attempt, night.attempts, night.partial) == (2, 2, (KEY.suite,))


def test_nights_come_in_parts_newest_first_each_with_its_last_outcome(store: Store) -> None:
    for number in range(5):
        store.runs.record(REPO, one_pass(number))
    store.runs.record(RepositoryId(8), one_pass(9))
    store.outcomes.record(outcome("published", 103, hours=2))
    store.outcomes.record(outcome("paused", 103, hours=1))
    first, rest = (store.nights.newest(REPO, rules, span) for span in (Span(2), Span(4, 2)))
    assert [night.run.run_id for night in first.items] == [104, 103]
    assert [night.outcome and night.outcome.name for night in first.items] == [None, "published"]
    assert [night.run.run_id for night in rest.items] == [102, 101, 100]
    assert (first.more, rest.more) == (True, False)


def test_a_night_knows_which_attempts_own_task_evaluated_it(store: Store) -> None:
    nights = {number: one_pass(number) for number in (1, 2, 3)}
    for one in nights.values():
        store.runs.record(REPO, one)
    for name in ("nightly:7:101:1:b", "nightly:7:101:2:b", "command:7:102:1:b", "nightly:odd"):
        store.evaluations.record(name, REPO, nightly(nights[1]))
    store.evaluations.record(
        "nightly:8:103:1:b", RepositoryId(8), Evaluation("o/o", "main", BASE, PolicyStamp("default"))
    )
    found = store.nights.newest(REPO, rules, Span(5)).items
    assert [(night.run.run_id, night.evaluated) for night in found] == [(103, None), (102, None), (101, 2)]


@pytest.mark.parametrize(
    ("find", "found"),
    [
        ("", [KEY, OTHER_KEY, ODD_KEY]),
        ("TEST_", [KEY, OTHER_KEY]),
        ("b.p", [OTHER_KEY]),
        ("stage-C", [OTHER_KEY]),
        ("%", []),
        ("d\x00", [ODD_KEY]),
        ("Ä-ODD", [ODD_KEY]),
        ("nothing", []),
    ],
    ids=["all", "any case", "path", "suite", "no wildcard", "NUL", "any case of any script", "nothing"],
)
def test_tests_are_found_by_a_part_of_their_path_or_suite(
    store: Store, find: str, found: list[RegistrationKey]
) -> None:
    of = run(1)
    rows = (
        timing(of, elapsed_s=90),
        timing(of, plan_index=1, path=OTHER_KEY.path, suite=OTHER_KEY.suite, status=Status.TIMEOUT, logged_est_s=80.0),
        timing(of, plan_index=2, path=ODD_KEY.path),
    )
    store.runs.record(REPO, one_pass(0))
    store.runs.record(REPO, evidence(of, job(*rows)))
    told = {
        KEY: KeyOverview(KEY, 60.0, 2, 0, 100),
        OTHER_KEY: KeyOverview(OTHER_KEY, 80.0, 0, 1, None),
        ODD_KEY: KeyOverview(ODD_KEY, 60.0, 1, 0, 100),
    }
    assert store.nights.tests(REPO, 14, find, Span(50)) == Listed(tuple(told[key] for key in found))


def test_tests_come_in_parts(store: Store) -> None:
    store.runs.record(REPO, several(1))
    first, rest = (store.nights.tests(REPO, 14, "", span) for span in (Span(2), Span(9, 2)))
    paths = [one.key.path for one in (*first.items, *rest.items)]
    assert (len(first.items), first.more, rest.more) == (2, True, False)
    assert paths == sorted(paths)
    assert len(set(paths)) == 7


def test_what_is_off_has_the_largest_change_first_and_proposals_before_what_is_held(store: Store) -> None:
    night = one_pass(1)
    store.runs.record(REPO, night)
    keys = [replace(KEY, path=TestPath(f"tests/{number}.py")) for number in range(4)]
    values = (kept(60, keys[0]), kept(None, keys[1]), kept(300, keys[2]), kept(10, keys[3]))
    store.evaluations.record("nightly:7:101:1:b", REPO, nightly(night, *values))
    off = store.standings.off("nightly:7:101:1:b", Span(10))
    assert off == Listed((values[2], values[3]))
    assert store.standings.off("nightly:7:101:1:b", Span(1)) == Listed((values[2],), more=True)
    assert store.standings.counts("nightly:7:101:1:b") == {"keep": 4, "off": 2}
    assert store.standings.off("unknown", Span(10)) == Listed(())


def test_what_a_comment_asked_for_stands_only_where_no_nightly_was_evaluated(url: str) -> None:
    ticks = (DAY_ONE + timedelta(hours=number) for number in range(10))
    store = Store.open(url, now=lambda: next(ticks))
    night = one_pass(1)
    store.runs.record(REPO, night)
    assert store.standings.newest(REPO) is None
    found = []
    for name in ("command:7:5:b", "nightly:7:101:1:b", "command:7:6:b"):
        store.evaluations.record(name, REPO, nightly(night, report_only="why"))
        head = store.standings.newest(REPO)
        assert head is not None
        found.append(head.evaluation_id)
    assert found == ["command:7:5:b", "nightly:7:101:1:b", "nightly:7:101:1:b"]
    assert (head.base, head.base_sha, head.policy, head.report_only) == ("main", BASE, "default", "why")
    remainder = store.standings.remainder("nightly:7:101:1:b")
    assert remainder == replace(nightly(night, report_only="why"), runs=())
    store.close()


def test_a_pull_request_shows_its_newest_commit_and_what_that_changes(store: Store) -> None:
    night = one_pass(1)
    store.runs.record(REPO, night)
    store.evaluations.record("two", REPO, nightly(night, kept(90), changed(60, 90), changed(60, 70), changed(60, 30)))
    for number, (commit, pull, hours, name) in enumerate(
        (("1", 5, 1, None), ("2", 5, 3, "two"), ("3", 6, 2, None), ("4", None, 9, None))
    ):
        at = DAY_ONE + timedelta(hours=hours)
        made = Publication(REPO, CommitSha(commit * 40), "recalibrate/main", "main", BASE, str(number), at)
        store.publications.record(replace(made, pull_request=pull, evaluation_id=name))
    store.publications.end(REPO, 6, PullRequestEnd.MERGED, HEAD)
    found = store.standings.edits(REPO, Span(5))
    told = [(one.publication.pull_request, one.publication.commit[:1], one.publication.end) for one in found.items]
    assert told == [(5, "2", None), (6, "3", PullRequestEnd.MERGED)]
    assert [(one.raises, one.lowers) for one in found.items] == [(2, 1), (0, 0)]
    assert store.standings.edits(REPO, Span(1)).more
    assert [one.publication.pull_request for one in store.standings.edits(REPO, Span(5, 1)).items] == [6]


def test_a_row_has_the_verdict_of_the_newest_evaluation_that_looked_at_it(url: str) -> None:
    ticks = (DAY_ONE + timedelta(hours=number) for number in range(20))
    store = Store.open(url, now=lambda: next(ticks))
    nights = [one_pass(number) for number in range(3)]
    for one in nights:
        store.runs.record(REPO, one)
    old, middle, new = (one.rows[0] for one in nights)
    sample = Sample(KEY, middle, 100, Identity.IDENTICAL)
    first = Rejection(middle, RejectionReason.FALSE_PASS, KEY, Identity.CHANGED, "9 of 9")
    gone = Rejection(new, RejectionReason.NO_REGISTRATION, detail="why")
    store.evaluations.record("one", REPO, nightly(nights[1], rejections=(first,)))
    page = store.judged.of_key(REPO, KEY, Span(10))
    assert page.rows[1].verdict == Verdict(RejectionReason.FALSE_PASS, "9 of 9", Identity.CHANGED)
    second = nightly(nights[2], kept(400, samples=(sample,)), rejections=(gone,))
    store.evaluations.record("two", REPO, replace(second, policy=PolicyStamp("strict")))
    page = store.judged.of_key(REPO, KEY, Span(10))
    assert [one.timing.row for one in page.rows] == [new, middle, old]
    assert [one.verdict for one in page.rows] == [
        Verdict(RejectionReason.NO_REGISTRATION, "why"),
        Verdict(identity=Identity.IDENTICAL),
        None,
    ]
    assert [one.decides for one in page.rows] == [False, True, False]
    assert [one.policy for one in page.rows] == [PolicyStamp("strict"), PolicyStamp("default"), None]  # the first one's
    last = store.judged.last_decision(REPO, KEY)
    assert last is not None
    assert (last.head.evaluation_id, last.decision) == ("two", kept(400))
    assert store.judged.last_decision(REPO, OTHER_KEY) is None
    store.close()


def test_a_key_has_its_own_rows_by_nights_and_in_parts(store: Store) -> None:
    for number in range(4):
        store.runs.record(REPO, several(number))
    this = RegistrationKey(TestPath("tests/1.py"), KEY.backend, KEY.suite)
    first, rest = (store.judged.of_key(REPO, this, span) for span in (Span(3), Span(3, 3)))
    assert [one.run for one in first.rows] == [run(3), run(2), run(1)]
    assert {one.timing.row.path for one in first.rows} == {"tests/1.py"}
    assert (first.more, len(rest.rows), rest.more) == (True, 1, False)
    assert store.judged.of_key(RepositoryId(8), this, Span(3)).rows == ()


def test_a_rows_log_lines_are_read_back_by_its_job_in_their_order(store: Store) -> None:
    store.runs.record(REPO, several(1))
    assert not store.judged.of_key(REPO, OTHER_KEY, Span(1)).rows[0].lines_kept
    store.runs.cite(REPO, run(1), {JobId(2): {40: "timing", 7: "plan\u202e\x00"}})
    assert store.judged.of_key(REPO, OTHER_KEY, Span(1)).rows[0].lines_kept
    log = store.judged.kept_log(REPO, RunId(101), 1, JobId(2))
    assert log is not None
    assert (log.run, log.job.name, list(log.lines.items())) == (
        run(1),
        "stage-b (0)",
        [(7, "plan\u202e\x00"), (40, "timing")],
    )
    assert store.judged.kept_log(REPO, RunId(101), 1, JobId(3)) is None
    assert store.judged.kept_log(RepositoryId(8), RunId(101), 1, JobId(2)) is None
