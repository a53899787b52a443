"""Every nightly that leads to no pull request ends with a stored name, or is dropped with one before it is a task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.domain import Evaluation, RejectionReason, RepositoryId
from bot.sandbox.generator import Generated
from bot.sandbox.state.actions import JobLogFile, LogFate
from bot.sandbox.traffic import Exchange
from tests.sandbox.service import CONFIG, EVIDENCE, Case, Ended, Rig, watched


def nothing_published(case: Case) -> bool:
    return case.pulls == [] and case.tip() is None


def dropped(case: Case, run: int) -> str:
    """The verdict of a delivery that became no task, and called nobody."""
    mark = len(case.rig.world.journal)
    delivery = case.deliver(run)
    assert delivery.status_code == 202
    assert case.since(mark) == []
    assert case.store.outcomes.find(case.key(run)) is None
    return str(json.loads(delivery.response)["verdict"])


def test_nothing_to_change(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "calm")
    case.configure(CONFIG + "estimate:\n  nights: {raise: 2}\n")
    assert case.nightly(runs[0]) == Ended("nothing_to_change", "")
    assert nothing_published(case)
    assert case.tip(EVIDENCE) is None


def test_observe_reports_and_edits_nothing(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "observe")
    case.configure(CONFIG + "mode: observe\n")
    assert case.nightly(runs[0]).outcome == "observed"
    assert nothing_published(case)
    assert case.evidence(runs[0])


@pytest.mark.parametrize(
    ("name", "config", "said"),
    [
        ("event", "nightly: {events: [workflow_dispatch]}", "event schedule"),
        ("branch", "nightly: {branches: [release]}", "branch main"),
        ("workflow", "nightly: {workflows: [.github/workflows/other.yml]}", "workflow .github/workflows/nightly.yml"),
    ],
)
def test_what_the_configuration_calls_no_nightly_is_none_and_is_dropped_from_then_on(
    service_rig: Rig, generated: Generated, name: str, config: str, said: str
) -> None:
    case, runs = service_rig.started(generated, name)
    case.configure(f"version: 1\n{config}\n")
    ended = case.nightly(runs[0])
    assert ended.outcome == "not_a_nightly"
    assert ended.detail.startswith(said)
    assert dropped(case, runs[1]) == f"other_{name}"
    assert nothing_published(case)


def test_a_workflow_is_told_by_its_path_whatever_it_is_called(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "renamed")
    for attempts in case.repo.runs.values():
        attempts[1].run["name"] = "Nightly, rebuilt"
    assert case.nightly(runs[0]).outcome == "published"


@pytest.mark.parametrize("event", ["pull_request", "workflow_dispatch", "push"])
def test_runs_of_other_events_are_no_nightlies(service_rig: Rig, generated: Generated, event: str) -> None:
    case, runs = service_rig.started(generated, event.replace("_", "-"))
    case.repo.runs[runs[0]][1].run["event"] = event
    assert dropped(case, runs[0]) == "other_event"


def test_a_run_of_a_fork_is_dropped(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "forked")
    payload = case.completed(runs[0])
    payload["workflow_run"]["head_repository"]["id"] += 1
    assert json.loads(case.send(payload).response)["verdict"] == "fork"


def test_a_repository_archived_meanwhile(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "archive")
    payload = case.completed(runs[0])
    case.repo.archived = True
    assert case.send(payload).status_code == 202
    assert case.ended(runs[0]).outcome == "archived"
    assert json.loads(case.deliver(runs[1]).response)["verdict"] == "archived"


def test_a_run_that_vanished(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "vanished")
    payload = case.completed(runs[0])
    del case.repo.runs[runs[0]]
    assert case.send(payload).status_code == 202
    ended = case.ended(runs[0])
    assert ended.outcome == "run_gone"
    assert str(runs[0]) in ended.detail


def test_a_repository_replaced_under_its_name(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "replaced")
    payload = case.completed(runs[0])
    payload["repository"]["id"] += 500_000
    payload["workflow_run"]["head_repository"]["id"] += 500_000
    assert case.send(payload).status_code == 202
    other = Case(service_rig, case.repo, case.installation)
    key = f"nightly:{payload['repository']['id']}:{runs[0]}:1"
    assert service_rig.running
    service_rig.sandbox.run(service_rig.running.queue.result(key))
    stored = service_rig.store.outcomes.find(key)
    assert stored
    assert (stored.name, stored.repository_id) == ("refused", RepositoryId(payload["repository"]["id"]))
    assert nothing_published(other)


def test_logs_without_a_plan(service_rig: Rig, generated: Generated, tmp_path: Path) -> None:
    case, runs = service_rig.started(generated, "plain")
    plain = tmp_path / "plain.log"
    plain.write_text("2026-09-02T02:30:00.0000000Z Set up job\n2026-09-02T02:30:01.0000000Z done\n")
    for log in case.repo.logs.values():
        log.path = plain
    ended = case.nightly(runs[0])
    assert ended.outcome == "no_timings"
    assert nothing_published(case)


def test_a_head_that_the_base_does_not_hold_measures_nothing(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "aside")
    del case.repo.runs[runs[0]]  # the base does hold that one's head
    case.person().push("main", case.git("rev-list", "--max-parents=0", generated.base).strip())
    case.configure(CONFIG)
    assert case.nightly(runs[1]).outcome == "nothing_to_change"
    evaluation = newest_evaluation(case)
    assert evaluation.samples == ()
    assert {one.reason for one in evaluation.rejections} == {RejectionReason.HEAD_NOT_IN_BASE}
    assert nothing_published(case)


def test_a_base_that_is_gone(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "baseless")
    for attempts in case.repo.runs.values():
        attempts[1].run["head_branch"] = "release/9"
    case.configure("version: 1\nnightly: {branches: [main, release/9]}\n")
    payload = case.completed(runs[0])
    assert json.loads(case.send(payload).response)["verdict"] == "other_branch"  # unknown yet: the default branch only
    case.repo.runs[runs[1]][1].run["head_branch"] = "main"
    assert case.nightly(runs[1]).outcome == "published"
    assert case.nightly(runs[0]).outcome == "refused"


# ---------------------------------------------------------------------- logs that cannot be had


def suite_jobs(case: Case, run: int) -> list[int]:
    """Jobs of a run with a log, by id."""
    return [int(job["id"]) for job in case.repo.runs[run][1].jobs if job["conclusion"] != "skipped"]


def newest_evaluation(case: Case) -> Evaluation:
    (name,) = case.store.evaluations.newest(case.repository_id, 1)
    evaluation = case.store.evaluations.find(name)
    assert evaluation
    return evaluation


def lowers(case: Case) -> list[str]:
    """Paths whose last decision lowers a literal."""
    return sorted(one.registration.key.path for one in newest_evaluation(case).decisions if one.action == "lower")


@pytest.mark.parametrize("fate", [LogFate.NOT_FOUND, LogFate.GONE, LogFate.EMPTY])
def test_a_lost_log_makes_its_suite_partial_and_holds_lowers_back(
    service_rig: Rig, generated: Generated, fate: LogFate
) -> None:
    case, runs = service_rig.started(generated, fate.value.replace("_", "-"))
    assert case.nightly(runs[0]).outcome == "published"
    gpu = [job for job in suite_jobs(case, runs[1]) if "stage-c" in name_of(case, runs[1], job)]
    case.repo.logs[gpu[0]] = JobLogFile(case.repo.logs[gpu[0]].path, fate)
    mark = len(service_rig.world.journal)
    assert case.nightly(runs[1]).outcome in ("published", "refreshed")
    (kept,) = case.evidence(runs[1])
    assert {str(suite) for suite in kept.partial} == {"stage-c-4-gpu-h200"}
    assert not [path for path in lowers(case) if "stage-c" in suite_of(case, path)]
    assert (case.tip() or "") in case.repo.verified
    asked = case.calls(mark)["GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs"]
    times = 2 if fate is LogFate.EMPTY else 1  # an empty one is asked for again, later
    assert asked == times * len(suite_jobs(case, runs[1]))


def name_of(case: Case, run: int, job: int) -> str:
    return next(str(it["name"]) for it in case.repo.runs[run][1].jobs if it["id"] == job)


def suite_of(case: Case, path: str) -> str:
    return case.file(case.repo.git.ref("refs/heads/main") or "", path).decode()


def test_an_empty_log_that_fills_is_read(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "fills")
    jobs = suite_jobs(case, runs[0])
    empty = case.repo.logs[jobs[-1]]
    empty.fate = LogFate.EMPTY
    asked: list[str] = []

    def fill(exchange: Exchange) -> None:
        """The log has bytes when the logs are asked for a second time."""
        asked.extend([exchange.route] if exchange.route.endswith("/logs") else [])
        empty.fate = LogFate.SERVED if len(asked) > len(jobs) else LogFate.EMPTY

    with watched(service_rig.world, fill):
        assert case.nightly(runs[0]).outcome == "published"
    (kept,) = case.evidence(runs[0])
    assert kept.partial == frozenset()
    assert len(kept.rows) == len(generated.runs[0].rows)


def test_logs_that_may_not_be_read_are_said_loudly(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "forbidden")
    for job in suite_jobs(case, runs[0]):
        case.repo.logs[job].fate = LogFate.FORBIDDEN
    ended = case.nightly(runs[0])
    assert ended.outcome == "logs_forbidden"
    assert "actions: read" in ended.detail
    assert nothing_published(case)
    (issue,) = case.issues
    assert "actions: read" in (issue.body or "")
    assert case.nightly(runs[1]).outcome == "published"
    assert issue.state == "closed"


# ------------------------------------------------------------------------- attempts and pages


def test_the_delivered_attempt_is_read_though_a_newer_one_exists(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "attempts")
    second_attempt(case, runs[0])
    mark = len(service_rig.world.journal)
    assert case.nightly(runs[0], 1).outcome == "published"
    assert [one.run.attempt for one in case.evidence(runs[0])] == [1]
    paths = {record.path for record in case.since(mark)}
    assert any(path.endswith(f"/runs/{runs[0]}/attempts/1/jobs") for path in paths)
    assert not any(path.endswith("/attempts/2/jobs") for path in paths)


def test_a_second_attempt_is_new_evidence_for_the_same_pull_request(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "again")
    assert case.nightly(runs[0], 1).outcome == "published"
    tip = case.tip()
    second_attempt(case, runs[0])
    assert case.nightly(runs[0], 2).outcome == "refreshed"
    assert case.tip() == tip
    assert len(case.pulls) == 1
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 2
    assert [one.run.attempt for one in case.evidence(runs[0])] == [1, 2]
    second = case.evidence(runs[0])[1]
    assert all(job.carried_from for job in second.jobs if job.rows)  # the same logs: counted once


def test_attempts_that_were_never_delivered_are_read_with_the_one_that_is(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "missed")
    second_attempt(case, runs[0])
    assert case.nightly(runs[0], 2).outcome == "published"
    assert [one.run.attempt for one in case.evidence(runs[0])] == [1, 2]


def second_attempt(case: Case, run: int) -> None:
    """Re-run: jobs carried over with ids of their own, the logs copies."""
    first = case.repo.runs[run][1]
    jobs = [{**job, "id": job["id"] + 500, "run_attempt": 2} for job in first.jobs]
    for job in first.jobs:
        if job["id"] in case.repo.logs:
            case.repo.logs[job["id"] + 500] = JobLogFile(case.repo.logs[job["id"]].path)
    later = {"run_started_at": "2026-12-01T00:00:00Z", "updated_at": "2026-12-01T00:10:00Z"}
    case.repo.runs[run][2] = type(first)({**first.run, **later, "run_attempt": 2}, jobs)


def test_all_pages_of_jobs_are_read(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "pages")
    attempt = case.repo.runs[runs[0]][1]
    template = next(job for job in attempt.jobs if job["conclusion"] == "skipped")
    more = [{**template, "id": template["id"] + 1000 + n, "name": f"skipped {n}"} for n in range(131)]
    attempt.jobs[:] = more + attempt.jobs  # 137: the suites are on the second page
    assert len(attempt.jobs) == 137
    assert case.nightly(runs[0]).outcome == "published"
    (kept,) = case.evidence(runs[0])
    assert len(kept.jobs) == 137
    assert len(kept.rows) == len(generated.runs[0].rows)


def test_pages_that_do_not_add_up_are_asked_for_again_and_then_named(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "short")
    for run in runs:
        case.repo.runs[run][1].total_count = 137
    mark = len(service_rig.world.journal)
    ended = case.nightly(runs[0])
    assert ended.outcome == "parked"
    assert "6 jobs listed of 137" in ended.detail
    assert case.calls(mark)["GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs"] == 6
    assert nothing_published(case)
