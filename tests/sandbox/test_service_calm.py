"""What keeps the service quiet: a schedule, a declined value, a suite that moved together; and what it gives up."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.domain import CommitSha, Keep, KeepReason, Run, RunEvidence, RunId
from bot.repo_config.estimation import GuardName
from bot.sandbox.generator import Generated
from tests.sandbox.service import CONFIG, Case, Rig
from tests.sandbox.test_service_people import again

EVERY_CHANGE = CONFIG + f"estimate: {{material: off, guards: [{', '.join(get_args(GuardName))}]}}\n"


def kept(case: Case) -> dict[str, KeepReason]:
    """Reasons of the newest evaluation by test file."""
    (name,) = case.store.evaluations.newest(case.repository_id, 1)
    evaluation = case.store.evaluations.find(name)
    assert evaluation
    return {one.registration.key.path: one.reason for one in evaluation.decisions if isinstance(one, Keep)}


@pytest.mark.parametrize("schedule", ["weekly", "0 6 1 1 *"])
def test_the_pull_request_is_updated_once_a_schedule(service_rig: Rig, generated: Generated, schedule: str) -> None:
    case, runs = service_rig.started(generated, f"calm-{schedule[:1]}")
    case.configure(EVERY_CHANGE + f'pull_request: {{schedule: "{schedule}"}}\n')
    assert case.nightly(runs[0]).outcome == "published"
    tip, body = case.tip(), case.pull.body
    assert case.nightly(runs[1]).outcome == "not_due"
    assert (case.tip(), case.pull.body) == (tip, body)


def test_a_pull_request_that_was_closed_starts_no_schedule_of_its_own(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "calm-closed")
    case.configure(EVERY_CHANGE + "pull_request: {schedule: weekly}\n")
    assert case.nightly(runs[0]).outcome == "published"
    case.person().close(case.pull.number)
    assert case.nightly(runs[1]).outcome == "not_due"
    assert [pull.state for pull in case.pulls] == ["closed"]


def test_a_schedule_that_is_none_is_said_with_its_line(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "no-schedule")
    case.configure(EVERY_CHANGE + "pull_request: {schedule: fortnightly}\n")
    ended = case.nightly(runs[0])
    assert ended.outcome == "config_invalid"
    assert "pull_request.schedule: neither nightly, weekly nor a cron expression" in ended.detail


def test_declined_values_are_left_alone_one_by_one(service_rig: Rig, generated: Generated) -> None:
    """The second night would lower more; what the closed pull request raised stays as it is."""
    case, runs = service_rig.started(generated, "declined-keys")
    case.configure(EVERY_CHANGE)
    assert case.nightly(runs[0]).outcome == "published"
    raised = set(case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split())
    case.person().close(case.pull.number)
    assert case.nightly(runs[1]).outcome == "published"
    reasons = kept(case)
    held = {path for path, reason in reasons.items() if reason is KeepReason.DECLINED}
    assert held
    assert held <= raised
    assert [pull.state for pull in case.pulls] == ["closed", "open"]
    again = set(case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split())
    assert not held & {path for path in again if not path.endswith("_lora_ci.py")}


def test_a_suite_that_moved_together_is_a_question_and_no_proposal(service_rig: Rig, generated: Generated) -> None:
    """The second night is a little slower throughout; here that little counts."""
    case, runs = service_rig.started(generated, "mass")
    asked = "mass_change: {share: 0.3, files: 3, factor: 1.01}, nights: {raise: 2, lower: 2}"
    case.configure("version: 1\nestimate: {material: off, " + asked + "}\nlabels: {rules: []}\n")
    assert case.nightly(runs[0]).outcome == "nothing_to_change"
    assert case.nightly(runs[1]).outcome == "published"  # of the suite that did not move
    (question,) = case.issues
    assert question.state == "open"
    assert "`stage-c-4-gpu-h200` (cuda): " in question.body
    assert "became slower in one night" in question.body
    held = {path for path, reason in kept(case).items() if reason is KeepReason.MASS_CHANGE}
    assert held
    assert not held & set(case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split())

    case.configure(EVERY_CHANGE)
    assert again(case, runs[1]) == "published"
    assert question.state == "closed"
    assert KeepReason.MASS_CHANGE not in kept(case).values()


def test_runs_older_than_is_kept_are_given_up(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "retention")
    case.configure(EVERY_CHANGE)
    for run in runs:
        case.nightly(run)
    newest = case.store.history.newest(case.repository_id)
    assert newest
    assert len(case.store.history.runs(case.repository_id)) == 2
    assert case.store.history.forget_before(case.repository_id, newest) == 1
    assert list(case.store.history.runs(case.repository_id)) == [runs[1]]


def test_a_first_nightly_reads_the_nights_that_github_still_has(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "backfill")
    case.configure(EVERY_CHANGE)
    assert case.nightly(runs[1]).outcome == "published"
    assert list(case.store.history.runs(case.repository_id)) == runs
    assert "lower" in _actions(case)  # two nights are known at once


def test_what_another_workflow_left_in_the_store_keeps_no_night_from_being_read(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "backfill-other")
    case.configure(EVERY_CHANGE)
    stale = Run("zoo/otter", RunId(1), 1, CommitSha("a" * 40), workflow=".github/workflows/stale.yml")
    case.store.runs.record(case.repository_id, RunEvidence(stale, ()))
    case.nightly(runs[1])
    assert list(case.store.history.runs(case.repository_id)) == [1, *runs]


def test_a_night_that_was_missed_is_read_with_the_next_one(service_rig: Rig, generated: Generated) -> None:
    """Only the newest night is known, as after a backfill that GitHub cut short; a second attempt asks again."""
    case, runs = service_rig.started(generated, "backfill-again")
    case.configure(EVERY_CHANGE + "history: {backfill_days: 0}\n")
    case.nightly(runs[1])
    assert list(case.store.history.runs(case.repository_id)) == [runs[1]]
    case.configure(EVERY_CHANGE)
    again(case, runs[1])
    assert list(case.store.history.runs(case.repository_id)) == runs


def test_backfill_can_be_turned_off(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "no-backfill")
    case.configure(EVERY_CHANGE + "history: {backfill_days: 0}\n")
    case.nightly(runs[1])
    assert list(case.store.history.runs(case.repository_id)) == [runs[1]]


def _actions(case: Case) -> set[str]:
    (name,) = case.store.evaluations.newest(case.repository_id, 1)
    evaluation = case.store.evaluations.find(name)
    assert evaluation
    return {one.action for one in evaluation.decisions}
