"""Tests at their limit: what finishing needs, what came before, what answers it, and that the literal follows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.decide import Case, decide
from bot.calibration.limits import (
    ChangeQuestion,
    Known,
    change_questions,
    limit_findings,
    row_name,
    rows_to_trace,
)
from bot.calibration.policies import policy_from
from bot.domain import (
    BlobSha,
    CommitNote,
    CommitSha,
    Identity,
    JobEvidence,
    JobId,
    LimitKind,
    Progress,
    Proposal,
    RejectionReason,
    RowTrace,
    Run,
    RunEvidence,
    ScheduledFile,
    Status,
    TimeoutRule,
)
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import (
    FIRST_NIGHT,
    PLAIN,
    history,
    job,
    key,
    registration,
    rejection,
    row,
    sample,
)

OF = key("tests/e2e/zoo/test_otter.py")


def rule(_suite: str) -> TimeoutRule:
    return TimeoutRule()


def known(**more: object) -> Known:
    return Known(rule, policy_from(DEFAULT.estimate, "default"), **more)  # type: ignore[arg-type]


def night(*rows: ScheduledFile, day: float, carried: bool = False) -> RunEvidence:
    meta = Run("acme/zoo", rows[0].run_id, 1, rows[0].head_sha, FIRST_NIGHT + timedelta(days=day))
    found: JobEvidence = replace(job(None), rows=rows, carried_from=JobId(1) if carried else None)
    return RunEvidence(meta, (found,))


def killed(day: float, at: int = 3750, est: float = 3000.0) -> ScheduledFile:
    return row(OF, day, status=Status.TIMEOUT, elapsed_s=at, logged_est_s=est)


def passed(day: float, seconds: int, est: float = 3000.0) -> ScheduledFile:
    return row(OF, day, elapsed_s=seconds, logged_est_s=est)


def reached(done: int, total: int, restarts: int = 0) -> RowTrace:
    return RowTrace(progress=Progress("rollout", done, total, 7, restarts))


def test_what_finishing_needs_and_the_literal_that_would_allow_it() -> None:
    one = killed(0)
    (found,) = limit_findings([night(one, day=0)], known(traces={row_name(one): reached(44, 60)}))
    assert (found.kind, found.limit_s, found.needed_s) == (LimitKind.TIMED_OUT, 3750, 5114)
    assert (found.least_s, found.literal_s) == (4100, 6400)
    assert TimeoutRule().effective(4100) >= 5114 > TimeoutRule().effective(4000)


@pytest.mark.parametrize("trace", [RowTrace(), reached(0, 60), reached(60, 60), reached(5, 60, restarts=2)])
def test_where_the_log_does_not_say_how_far_it_came_nothing_is_made_up(trace: RowTrace) -> None:
    one = killed(0)
    (found,) = limit_findings([night(one, day=0)], known(traces={row_name(one): trace}))
    assert (found.needed_s, found.least_s, found.literal_s) == (None, None, None)


@given(st.integers(1, 100_000), st.integers(1, 500), st.integers(1, 500))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_the_least_literal_allows_the_need(elapsed: int, done: int, more: int) -> None:
    one = killed(0, at=elapsed)
    (found,) = limit_findings([night(one, day=0)], known(traces={row_name(one): reached(done, done + more)}))
    assert found.needed_s is not None
    assert found.least_s is not None
    assert found.needed_s >= elapsed
    assert TimeoutRule().effective(found.least_s) > found.needed_s


def test_a_pass_near_its_limit_is_a_finding_only_while_it_is_the_newest() -> None:
    nights = [night(passed(0, 3500), day=0), night(passed(1, 2000), day=1)]
    assert limit_findings(nights, known()) == ()
    (found,) = limit_findings([*nights, night(passed(2, 3400), day=2)], known())
    assert (found.kind, found.needed_s, found.literal_s, found.answer) == (LimitKind.NEAR_LIMIT, 3400, 4300, None)
    assert found.limit_s == 3750  # of a pass it is what its literal gives


def test_a_failure_after_a_pass_near_its_limit_does_not_hide_it() -> None:
    failed = row(OF, 1, status=Status.FAILED, elapsed_s=40)
    (found,) = limit_findings([night(passed(0, 3400), day=0), night(failed, day=1)], known())
    assert (found.kind, found.row.elapsed_s) == (LimitKind.NEAR_LIMIT, 3400)


def test_the_history_is_what_came_before_and_the_last_pass_bounds_the_commits() -> None:
    nights = [night(passed(0, 2000), day=0), night(killed(1), day=1), night(killed(2), day=2)]
    asked = ChangeQuestion(OF.path, CommitSha(f"{0:040x}"), CommitSha(f"{2:040x}"))
    assert change_questions(nights, rule) == (asked,)
    note = CommitNote(CommitSha("c" * 40), "slower by half")
    (found,) = limit_findings(nights, known(commits={asked: (note,)}))
    assert [(past.status, past.elapsed_s) for past in found.history] == [(Status.TIMEOUT, 3750), (Status.PASSED, 2000)]
    assert found.last_pass is not None
    assert (found.last_pass.elapsed_s, found.commits) == (2000, (note,))


def test_a_test_that_never_passed_is_asked_about_from_the_beginning() -> None:
    assert change_questions([night(killed(1), day=1)], rule)[0].since is None


def test_a_carried_over_job_is_no_second_timeout() -> None:
    (found,) = limit_findings([night(killed(1), day=1), night(killed(2), day=2, carried=True)], known())
    assert (found.row.run_id, found.history) == (1001, ())


def test_later_passes_answer_a_timeout_whatever_it_took_before() -> None:
    """The old maximum does not count: 2900 is the rule's for 2295, not for the 3700 before."""
    old, hit, first, second = passed(0, 3700), killed(1), passed(2, 2290), passed(3, 2295)
    nights = [night(one, day=day) for day, one in enumerate((old, hit, first, second))]
    found = limit_findings(nights, known(accepted=frozenset({row_name(first), row_name(second)})))
    answer = found[0].answer
    assert answer is not None
    assert [past.elapsed_s for past in answer.passes] == [2290, 2295]
    assert (answer.literal_s, answer.nights, answer.nights_needed) == (2900, 2, 2)
    assert answer.file_changed is None


def test_a_pass_that_may_lead_to_no_edit_answers_and_confirms_nothing() -> None:
    nights = [night(killed(1), day=1), night(passed(2, 2295), day=2)]
    blobs = {(OF.path, one.run.head_sha): BlobSha(str(i) * 40) for i, one in enumerate(nights)}
    (found,) = limit_findings(nights, known(blobs=blobs))
    assert found.answer is not None
    assert (found.answer.literal_s, found.answer.nights, found.answer.file_changed) == (2900, 0, True)


def test_a_failure_answers_nothing() -> None:
    failed = row(OF, 2, status=Status.FAILED, elapsed_s=100)
    (found,) = limit_findings([night(killed(1), day=1), night(failed, day=2)], known())
    assert found.answer is None


def test_only_the_finding_and_its_newest_answer_are_read_in_the_logs() -> None:
    hit, first, second = killed(1), passed(2, 2290), passed(3, 2295)
    nights = [night(one, day=day) for day, one in enumerate((hit, first, second), 1)]
    assert rows_to_trace(nights, rule) == (hit, second)
    assert rows_to_trace([night(passed(1, 100), day=1)], rule) == ()


def test_unanswered_findings_come_first() -> None:
    other = replace(killed(1, at=1800), path=key("tests/e2e/zoo/test_newt.py").path, plan_index=1)
    nights = [night(killed(1), other, day=1), night(passed(2, 2295), day=2)]
    assert [one.row.path for one in limit_findings(nights, known())] == [other.path, OF.path]


def test_an_endless_literal_has_the_floor_for_a_limit() -> None:
    one = replace(killed(0), elapsed_s=None, logged_est_s=float("inf"))
    (found,) = limit_findings([night(one, day=0)], known())
    assert found.limit_s == 1800


@pytest.mark.parametrize(
    ("nights", "identity", "after"),
    [
        ((2295,), Identity.CHANGED, None),  # one night is too few for a lower
        ((2290, 2295), Identity.CHANGED, 2900),  # two nights of the new regime, and the old one binds nothing
        ((2290, 2295), Identity.IDENTICAL, None),  # the same file: what timed out may time out again
    ],
)
def test_the_literal_follows_when_two_nights_of_the_new_regime_confirm_it(
    nights: tuple[int, ...], identity: Identity, after: int | None
) -> None:
    before = rejection(RejectionReason.TIMEOUT, day=0, elapsed_s=3750, identity=identity)
    times = tuple(sample(seconds, day) for day, seconds in enumerate(nights, 1))
    decision = decide(Case(registration(3000), history(times, [before]), TimeoutRule()), policy_from(PLAIN, "default"))
    assert (decision.after if isinstance(decision, Proposal) else None) == after
