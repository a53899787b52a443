"""What is kept for long enough is deleted once a day, with an outcome that counts it; measurements stay."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from bot.domain import RepositoryId, TaskKind
from bot.records.work import TaskOutcome
from bot.sandbox.generator import Generated
from bot.store.open import Store
from bot.tasks.retaining import retention_request
from tests.sandbox.service import Case, rig

OLD = datetime.now(UTC) - timedelta(days=91)


@pytest.fixture(scope="module")
def worked(generated: Generated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    with rig(tmp_path_factory.mktemp("retention")) as running:
        case, runs = running.started(generated, "kept")
        assert case.nightly(runs[0]).outcome == "published"
        assert case.nightly(runs[1]).outcome in ("published", "refreshed")
        yield case


def engine_rows(case: Case) -> set[str]:
    path = Path(case.rig.settings.queue_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT workflow_uuid FROM workflow_status")}


def step_rows(case: Case) -> set[str]:
    path = Path(case.rig.settings.queue_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT workflow_uuid FROM operation_outputs")}


def aged(case: Case, key: str) -> None:
    """A task's row as if it had ended long ago."""
    path = Path(case.rig.settings.queue_url.removeprefix("sqlite:///"))
    at = int(OLD.timestamp() * 1000)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE workflow_status SET completed_at = ? WHERE workflow_uuid = ?", (at, key))


def retained(case: Case, day: datetime) -> tuple[str, str]:
    request = retention_request(day)
    assert case.rig.running
    case.rig.sandbox.run(case.rig.running.queue.enqueue(request))
    found = cast("dict[str, str]", case.rig.sandbox.run(case.rig.running.queue.result(request.key)))
    stored = case.store.outcomes.find(request.key)
    assert stored
    assert (stored.name, stored.detail) == (found["outcome"], found["detail"])
    return stored.name, stored.detail


def test_old_deliveries_outcomes_and_ended_tasks_go_and_everything_else_stays(worked: Case) -> None:
    first, second = (worked.key(run) for run in sorted(worked.repo.runs))
    long_ago = Store.of(worked.store.database, lambda: OLD)
    long_ago.deliveries.note("old", "workflow_run", first)
    for kind in (TaskKind.COMMAND, TaskKind.NIGHTLY):
        outcome = TaskOutcome(f"{kind.value}:old", RepositoryId(worked.repo.id), kind, "answered", OLD)
        worked.store.outcomes.record(outcome)
    aged(worked, first)
    timings = [len(worked.evidence(run)) for run in worked.repo.runs]

    name, detail = retained(worked, datetime(2026, 1, 1, tzinfo=UTC))
    assert name == "trimmed"
    assert detail == "1 deliveries, 1 outcomes, 1 ended tasks older than 90 days deleted"
    assert worked.store.deliveries.find("old") is None
    assert len(worked.store.deliveries.newest(10)) == 2
    assert worked.store.outcomes.find("command:old") is None
    assert worked.store.outcomes.find("nightly:old")
    assert first not in engine_rows(worked) | step_rows(worked)
    assert second in engine_rows(worked) & step_rows(worked)
    assert [len(worked.evidence(run)) for run in worked.repo.runs] == timings


def test_with_nothing_old_it_says_so(worked: Case) -> None:
    retained(worked, datetime(2026, 1, 2, tzinfo=UTC))
    assert retained(worked, datetime(2026, 1, 3, tzinfo=UTC)) == ("nothing_to_do", "nothing is older than 90 days")


def test_a_delivery_whose_task_was_deleted_is_worked_on_again_and_changes_nothing(worked: Case) -> None:
    run = max(worked.repo.runs)
    before = worked.seen()
    aged(worked, worked.key(run))
    retained(worked, datetime(2026, 1, 4, tzinfo=UTC))
    assert worked.nightly(run).outcome in ("published", "refreshed")
    assert worked.seen() == before
