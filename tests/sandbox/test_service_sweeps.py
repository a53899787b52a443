"""Sweeps over real HTTP: what never arrived is found, what has gone quiet is said once and withdrawn when healed."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from bot.domain import CommitSha, TaskKind, TaskRequest
from bot.sandbox import events
from bot.sandbox.faults import FaultKind, planned
from bot.sandbox.generator import Generated
from bot.sandbox.state.actions import Workflow
from bot.sandbox.traffic import Delivery, Fault
from bot.store.schema.effects import outcomes, publications
from bot.store.schema.repositories import repositories
from tests.sandbox.service import Case, Ended, Rig, rig
from tests.sandbox.talking import Talking

HOURS = itertools.count()
LAST = [0]  # the hour of the last sweep
ATTEMPTS = "POST /app/hook/deliveries/{delivery_id}/attempts"


@pytest.fixture(scope="module")
def service_rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("sweeps")) as made:
        yield made


def sweep(here: Rig, again: int = 0) -> Ended:
    """The next sweep, or a later take of it, and how it ended."""
    LAST[0] = next(HOURS)
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=LAST[0])
    request = TaskRequest(TaskKind.SWEEP, 0, delivery=f"{at:%Y-%m-%dT%H:%MZ}", again=again)
    assert here.running
    here.sandbox.run(here.running.queue.enqueue(request))
    found = cast("dict[str, str]", here.sandbox.run(here.running.queue.result(request.take_id)))
    return Ended(found["outcome"], found["detail"])


def tell(case: Case, action: str) -> None:
    """Deliver an `installation` event and wait for its task."""
    payload = events.installation(case.rig.world, case.installation, action)
    sent = case.rig.sandbox.deliver("installation", payload)
    assert case.rig.running
    case.rig.sandbox.run(case.rig.running.queue.result(f"installation:{case.installation.id}:{sent.guid}"))


def installed(here: Rig, made: Generated, name: str, *, days_ago: float = 0.5) -> tuple[Case, list[int]]:
    """A repository that the service knows, with its nights at most so long ago."""
    case, runs = here.started(made, name)
    aged(case, days_ago)
    tell(case, "created")
    return case, runs


def aged(case: Case, days_ago: float) -> None:
    """Have the repository's nights be created so long ago, one a minute."""
    for number, run in enumerate(sorted(case.repo.runs)):
        at = datetime.now(UTC) - timedelta(days=days_ago) + timedelta(minutes=number)
        for attempt in case.repo.runs[run].values():
            attempt.run["created_at"] = f"{at:%Y-%m-%dT%H:%M:%SZ}"


def removed(case: Case) -> None:
    """The App is uninstalled from this case's account, so that later sweeps do not see it."""
    del case.rig.world.installations[case.installation.id]
    tell(case, "deleted")


def titles(case: Case, state: str = "open") -> list[str]:
    return [issue.title for issue in case.issues if issue.state == state]


# ------------------------------------------------------------------- what never arrived


def test_a_completed_nightly_that_nobody_told_of_is_found_and_worked_on(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "missed")
    ended = sweep(service_rig)
    assert ended.outcome == "swept"
    assert "2 nightlies without a task found" in ended.detail
    assert case.ended(runs[0]).outcome == "published"
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    assert len(case.pulls) == 1
    before = case.seen()
    again = sweep(service_rig)
    assert again.outcome == "nothing_to_do"
    assert again.detail.startswith("nothing to do, because every delivery arrived")
    assert case.seen() == before
    removed(case)


def test_a_sweep_that_was_parked_asks_for_first_takes_of_the_nightlies_it_finds(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "missed-late")
    assert "2 nightlies without a task found" in sweep(service_rig, again=2).detail
    assert case.ended(runs[0]).outcome == "published"
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    removed(case)


def test_a_fault_of_ours_in_one_repository_keeps_no_other_from_being_looked_at(
    service_rig: Rig, generated: Generated
) -> None:
    broken, runs = installed(service_rig, generated, "broken")
    other, others = installed(service_rig, generated, "beside")
    with service_rig.store.database.write() as connection:
        row = {"task_id": broken.key(runs[0]), "repository_id": broken.repository_id, "kind": "none", "name": ""}
        connection.execute(outcomes.insert().values(**row, detail="", ended_at=datetime.now(UTC)))
    ended = sweep(service_rig)
    assert f"{broken.repository_id}: ValueError, our fault" in ended.detail
    assert other.ended(others[0]).outcome == "published"
    assert other.ended(others[1]).outcome in ("published", "refreshed")
    removed(broken)
    removed(other)


def test_a_delivery_that_failed_is_asked_for_again_under_its_guid_and_not_for_ever(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "lost", days_ago=10)
    world, app = service_rig.world, service_rig.app
    url, app.webhook_url = app.webhook_url, "http://127.0.0.1:9/webhook"  # nobody listens there
    lost = case.deliver(runs[0])
    assert lost.status_code == 502
    app.webhook_url = url
    ended = sweep(service_rig)
    assert "1 deliveries asked for again" in ended.detail
    assert case.ended(runs[0]).outcome == "published"
    assert [one.status_code for one in world.deliveries if one.guid == lost.guid] == [502, 202]
    hopeless = [Delivery(world.next_id(), app.id, "hopeless", "workflow_run", {}, world.clock()) for _ in range(5)]
    world.deliveries.extend(hopeless)
    mark = len(world.journal)
    assert "1 deliveries given up" in sweep(service_rig).detail
    assert case.calls(mark)[ATTEMPTS] == 0
    world.deliveries[:] = [one for one in world.deliveries if one.guid != "hopeless"]
    removed(case)


def test_a_refused_list_of_deliveries_keeps_no_sweep_from_its_nights(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "unlisted")
    service_rig.world.faults.append(planned(FaultKind.NOT_FOUND, "GET", "/app/hook/deliveries"))
    ended = sweep(service_rig)
    service_rig.world.faults.clear()
    assert ended.outcome == "swept"
    assert "1 lists of deliveries that were refused, 2 nightlies without a task found" in ended.detail
    assert "RECALIBRATE_APP_ID" in ended.detail
    assert case.ended(runs[0]).outcome == "published"
    removed(case)


def test_a_delivery_that_github_will_not_give_again_keeps_no_other_from_being_asked_for(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "withheld", days_ago=10)
    app = service_rig.app
    url, app.webhook_url = app.webhook_url, "http://127.0.0.1:9/webhook"  # nobody listens there
    lost = [case.deliver(run) for run in runs]
    lost[0].at -= timedelta(minutes=1)  # it is the first to be asked for
    app.webhook_url = url
    service_rig.world.faults.append(replace(planned(FaultKind.RULESET, *ATTEMPTS.split(" ")), times=1))
    assert "1 deliveries asked for again, 1 deliveries given up" in sweep(service_rig).detail
    service_rig.world.faults.clear()
    assert case.ended(runs[1]).outcome == "published"
    assert "1 deliveries asked for again" in sweep(service_rig).detail
    assert case.ended(runs[0]).outcome in ("published", "refreshed")
    assert {one.status_code for one in lost} == {502}
    removed(case)


def test_a_nightly_that_is_too_old_or_none_is_left(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "old", days_ago=4)
    case.repo.runs[runs[1]][1].run["event"] = "pull_request"
    sweep(service_rig)
    assert case.store.outcomes.newest(10, case.repository_id) == ()
    removed(case)


def test_an_installation_whose_event_never_arrived_is_found_and_so_are_its_nightlies(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "unheard")
    aged(case, 0.5)
    assert "installations that had not told" in sweep(service_rig).detail
    noted(case)
    assert service_rig.store.repositories.find(case.repository_id)
    assert "2 nightlies without a task found" in sweep(service_rig).detail
    assert case.ended(runs[0]).outcome == "published"
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    del service_rig.world.installations[case.installation.id]  # and nobody tells
    assert "installations that had not told" in sweep(service_rig).detail
    noted(case)
    known = service_rig.store.repositories.find(case.repository_id)
    assert known
    assert known.installation_id is None
    assert "had not told" not in sweep(service_rig).detail


def noted(case: Case) -> None:
    """Wait for the task about this installation that the last sweep asked for."""
    at = f"{datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=LAST[0]):%Y-%m-%dT%H:%MZ}"
    assert case.rig.running
    key = f"installation:{case.installation.id}:sweep:{at}:{case.installation.id}"
    case.rig.sandbox.run(case.rig.running.queue.result(key))


def crowd(case: Case, run: int, count: int, path: str) -> None:
    """So many scheduled runs of another workflow, all later than the nightlies."""
    like = case.repo.runs[run][1]
    workflow = Workflow(case.rig.world.next_id(), path, "Other")
    case.repo.workflows.append(workflow)
    for number in range(run + 1000, run + 1000 + count):
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        changed = {"id": number, "path": path, "workflow_id": workflow.id, "created_at": at}
        case.repo.runs[number] = {1: type(like)({**like.run, **changed}, [])}


def test_a_nightly_is_found_among_any_number_of_other_runs_where_its_workflow_is_configured(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "crowded")
    crowd(case, runs[1], 130, ".github/workflows/lint.yml")
    ended = sweep(service_rig)
    assert "2 nightlies without a task found" in ended.detail
    assert "cut" not in ended.detail
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    case.configure("version: 1\n")
    assert "1 lists of runs that were cut" in sweep(service_rig).detail
    removed(case)


def test_a_repository_that_a_task_noted_after_its_installation_was_gone_loses_it_again(
    service_rig: Rig, generated: Generated
) -> None:
    case, _ = installed(service_rig, generated, "orphaned")
    known = service_rig.store.repositories.find(case.repository_id)
    assert known
    removed(case)
    service_rig.store.repositories.save(known)
    assert "could not be looked at" not in sweep(service_rig).detail
    (lost,) = service_rig.store.repositories.lost_before(datetime.now(UTC) + timedelta(days=1), 1000)[-1:]
    assert (lost.repository_id, lost.installation_id) == (case.repository_id, None)


# ------------------------------------------------------------------- what has gone quiet


def test_a_nightly_that_stays_away_is_one_issue_until_one_completes(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "silent")
    assert case.nightly(runs[0]).outcome == "published"
    aged(case, 5)
    assert "nightly-silent" in sweep(service_rig).detail
    assert "nightly-silent" in sweep(service_rig).detail
    (title,) = titles(case)
    assert "no nightly has completed" in title
    aged(case, 1)
    sweep(service_rig)
    assert titles(case) == []
    assert len(titles(case, "closed")) == 1
    removed(case)


def test_a_repository_that_never_had_a_nightly_misses_none(service_rig: Rig, generated: Generated) -> None:
    case, _ = installed(service_rig, generated, "fresh", days_ago=40)
    case.configure("version: 1\n")
    sweep(service_rig)
    assert case.issues == []
    removed(case)


def test_a_nightly_among_more_runs_than_are_listed_is_neither_missed_nor_lost(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "drowned")
    assert case.nightly(runs[0]).outcome == "published"
    crowd(case, runs[1], 130, ".github/workflows/every-five-minutes.yml")
    case.configure("version: 1\n")
    assert "nightly-silent" not in sweep(service_rig).detail
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    assert case.issues == []
    removed(case)


def test_a_workflow_that_moved_is_said_with_the_one_that_runs(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "renamed")
    assert case.nightly(runs[0]).outcome == "published"  # the configuration is read with it
    for run in runs:
        case.repo.runs[run][1].run["path"] = ".github/workflows/pr-test-base.yml"
    assert "workflow-unmatched" in sweep(service_rig).detail
    (issue,) = case.issues
    assert "`.github/workflows/pr-test-base.yml` has run" in (issue.body or "")
    assert ".github/workflows/nightly.yml" in (issue.body or "")
    for run in runs:
        case.repo.runs[run][1].run["path"] = ".github/workflows/nightly.yml"
        case.repo.runs[run][1].run["name"] = "Another name"  # which nobody goes by
    sweep(service_rig)
    assert issue.state == "closed"
    removed(case)


def test_nightlies_of_a_workflow_that_was_configured_since_are_found(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "reconfigured")
    assert case.nightly(runs[0]).outcome == "published"
    case.repo.runs[runs[1]][1].run["path"] = ".github/workflows/other.yml"
    case.configure("version: 1\nnightly: {workflows: [.github/workflows/other.yml]}\n")
    payload = case.completed(runs[1])
    assert json.loads(case.send(payload).response)["verdict"] == "other_workflow"
    assert "1 nightlies without a task found" in sweep(service_rig).detail
    assert case.ended(runs[1]).outcome in ("published", "refreshed")
    assert case.issues == []
    assert json.loads(case.send(payload).response)["verdict"].startswith("nightly:")
    removed(case)


def test_a_permission_that_is_missing_is_said_and_withdrawn_when_it_is_granted(
    service_rig: Rig, generated: Generated
) -> None:
    case, _ = installed(service_rig, generated, "expired", days_ago=40)
    case.installation.permissions["checks"] = "read"
    assert "permission-missing" in sweep(service_rig).detail
    (issue,) = [one for one in case.issues if "permission" in one.title]
    assert "checks: write" in (issue.body or "")
    case.installation.permissions["checks"] = "write"
    sweep(service_rig)
    assert issue.state == "closed"
    removed(case)


def test_a_trouble_is_said_though_github_has_revoked_the_token_that_would_say_it(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "withdrawn")
    assert {case.nightly(run).outcome for run in runs} <= {"published", "refreshed"}
    case.installation.permissions["checks"] = "read"
    case.revoke_tokens()
    assert "permission-missing" in sweep(service_rig).detail
    (title,) = titles(case)
    assert "permission is missing" in title
    removed(case)


def test_a_pull_request_on_which_no_workflow_starts_says_so_once_until_one_does(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "unchecked")
    assert case.nightly(runs[0]).outcome == "published"
    commit = str(case.tip())
    started(case, runs[1], "e" * 40)
    sweep(service_rig)
    assert case.repo.comments == {}  # it is younger than half an hour
    case.repo.runs[runs[1]][1].run["event"] = "push"
    hour_ago(case, commit)
    sweep(service_rig)
    assert case.repo.comments == {}  # nothing runs on any pull request here
    started(case, runs[1], "e" * 40)
    assert "checks-missing" in sweep(service_rig).detail
    assert "checks-missing" in sweep(service_rig).detail
    (comment,) = case.repo.comments.values()
    assert comment.number == case.pull.number
    assert commit in comment.body
    started(case, runs[1], commit)
    sweep(service_rig)
    assert list(case.repo.comments.values()) == [comment]
    assert "have started" in comment.body
    removed(case)


def hour_ago(case: Case, commit: str) -> None:
    """Have a publication be an hour old."""
    with case.store.database.write() as connection:
        this = publications.c.repository_id == case.repository_id
        at = datetime.now(UTC) - timedelta(hours=1)
        connection.execute(publications.update().where(this).values(published_at=at))
    assert case.store.publications.find(case.repository_id, CommitSha(commit))


def started(case: Case, run: int, head: str) -> None:
    """Have a run be one of a pull request's head."""
    case.repo.runs[run][1].run |= {
        "event": "pull_request",
        "head_sha": head,
        "created_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
    }


# ------------------------------------------------------------------- life and death of an installation


def test_a_suspended_installation_is_left_alone_by_tasks_and_sweeps(service_rig: Rig, generated: Generated) -> None:
    case, runs = installed(service_rig, generated, "suspended")
    case.installation.suspended_at = datetime.now(UTC)
    tell(case, "suspend")
    assert case.nightly(runs[0]).outcome == "suspended"
    mark = len(service_rig.world.journal)
    sweep(service_rig)
    assert not [one for one in case.since(mark) if case.repo.full_name in one.path]
    assert case.pulls == []
    case.installation.suspended_at = None
    tell(case, "unsuspend")
    sweep(service_rig)
    assert case.ended(runs[1]).outcome == "published"
    removed(case)


def test_everything_of_a_repository_that_was_lost_long_ago_is_deleted_and_nothing_of_another(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = installed(service_rig, generated, "gone")
    other, others = installed(service_rig, generated, "stays", days_ago=40)
    for one, run in ((case, runs[0]), (other, others[0])):
        assert one.nightly(run).outcome == "published"
        talking = Talking(one)
        assert talking.say(one.pull.number, "/recalibrate explain no/such/test_heron.py").ended.outcome
        press(one)
    removed(case)
    sweep(service_rig)
    assert case.evidence(runs[0])  # it may come back within the set time
    lost_long_ago(case)
    kept = rows(service_rig, other.repo.full_name)
    assert rows(service_rig, case.repo.full_name)
    assert "1 repositories forgotten" in sweep(service_rig).detail
    assert rows(service_rig, case.repo.full_name) == []
    assert rows(service_rig, str(runs[0])) == rows(service_rig, str(others[0]))  # generated ids are the same
    assert kept == rows(service_rig, other.repo.full_name)
    assert case.evidence(runs[0]) == []
    assert other.evidence(others[0])
    removed(other)


def press(case: Case) -> None:
    """A person presses the button of the nightly's check run, and waits for the end."""
    check = next(iter(case.repo.checks.values()))
    payload = events.check_run(case.rig.world, case.repo, check, "rerequested", case.person().account)
    sent = case.rig.sandbox.deliver("check_run", payload)
    case.ended_by(f"check_action:{case.installation.id}:{sent.guid}")


def lost_long_ago(case: Case) -> None:
    this = repositories.c.repository_id == case.repository_id
    with case.store.database.write() as connection:
        connection.execute(repositories.update().where(this).values(lost_at=datetime.now(UTC) - timedelta(days=40)))


def rows(here: Rig, words: str) -> list[tuple[str, str, int]]:
    """Where the two databases hold these words: file, table, and in how many rows."""
    found = []
    for url in (here.settings.database_url, here.settings.queue_url):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
            names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
            for name in sorted(names):
                held = sum(words in repr(row) for row in database.execute(f'select * from "{name}"'))  # noqa: S608 - its own names
                found += [(url.rpartition("/")[2], name, held)] if held else []
    return found


def test_a_list_of_installations_that_is_refused_ends_the_sweep_with_what_to_do(service_rig: Rig) -> None:
    service_rig.world.faults.append(Fault("GET", "/app/installations", 403, {"message": "Not for this App"}))
    ended = sweep(service_rig)
    assert ended.outcome == "refused"
    assert "RECALIBRATE_APP_ID" in ended.detail
