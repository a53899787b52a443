from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.domain import Job, JobEvidence, JobId, JobLog, LogState, RunEvidence, RunId
from bot.evidence.carried import mark_carried
from tests.unit.evidence.tiny_logs import RUN

T0 = datetime(2026, 8, 5, 15, tzinfo=UTC)
LATER = T0 + timedelta(hours=6)


def _job(number: int, sha: str, at: datetime | None = T0, name: str = "lane / run") -> JobEvidence:
    job = Job(JobId(number), name, 1, "success", started_at=at)
    return JobEvidence(JobLog(job, LogState.PRESENT, "x", sha, 10, 1))


def _attempt(number: int, *jobs: JobEvidence, started: datetime | None = None, run: int = 77) -> RunEvidence:
    return RunEvidence(replace(RUN, run_id=RunId(run), attempt=number, started_at=started), jobs)


def _sources(*attempts: RunEvidence) -> list[int | None]:
    return [job.carried_from for one in mark_carried(attempts) for job in one.jobs]


def test_the_same_log_of_the_same_named_job_counts_under_the_earliest_attempt() -> None:
    assert _sources(_attempt(3, _job(3, "s")), _attempt(1, _job(1, "s")), _attempt(2, _job(2, "s"))) == [None, 1, 1]


def test_a_copy_of_a_copy_points_to_the_job_that_ran() -> None:
    third = _attempt(3, _job(3, "other"), started=LATER)
    assert _sources(_attempt(1, _job(1, "s")), _attempt(2, _job(2, "s")), third) == [None, 1, 1]


def test_a_job_that_ran_again_counts() -> None:
    assert _sources(_attempt(1, _job(1, "a")), _attempt(2, _job(2, "b", LATER), started=LATER)) == [None, None]


def test_a_job_that_started_before_its_attempt_is_carried_over() -> None:
    assert _sources(_attempt(1, _job(1, "a")), _attempt(2, _job(2, "b"), started=LATER)) == [None, 1]


def test_a_job_listed_again_under_its_old_id_is_carried_over() -> None:
    assert _sources(_attempt(1, _job(1, "")), _attempt(2, _job(1, ""))) == [None, 1]


def test_equal_logs_of_other_jobs_or_runs_are_their_own() -> None:
    other_name = _attempt(2, _job(2, "s", name="other / run"))
    assert _sources(_attempt(1, _job(1, "s")), other_name) == [None, None]
    assert _sources(_attempt(1, _job(1, "s")), _attempt(2, _job(2, "s"), run=78)) == [None, None]


def test_the_copy_counts_where_the_earlier_log_cannot_be_had() -> None:
    gone = JobEvidence(JobLog(Job(JobId(1), "lane / run", 1, "success", T0), LogState.GONE))
    assert _sources(_attempt(1, gone), _attempt(2, _job(2, "s"), started=LATER)) == [None, None]


def test_a_single_attempt_is_left_as_it_is() -> None:
    assert _sources(_attempt(2, _job(2, "s"), started=LATER)) == [None]
