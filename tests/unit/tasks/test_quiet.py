"""A nightly that stays away is missed, whatever else runs by schedule."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bot.domain import CommitSha, RepositoryId, Run, RunId
from bot.publish.notice import Trouble
from bot.records.repositories import Repository
from bot.repo_config import DEFAULT
from bot.tasks.quiet import Listed, quiet

NOW = datetime(2026, 9, 10, 12, tzinfo=UTC)
REPOSITORY = Repository(RepositoryId(7), "acme/zoo", default_branch="main")
NIGHTLY, STALE = ".github/workflows/nightly.yml", ".github/workflows/stale.yml"


def ran(workflow: str, hours_ago: int) -> Run:
    return Run(
        "acme/zoo",
        RunId(hours_ago + 1),
        1,
        CommitSha("a" * 40),
        created_at=NOW - timedelta(hours=hours_ago),
        event="schedule",
        head_branch="main",
        workflow=workflow,
    )


def troubles(*runs: Run, known: frozenset[str] = frozenset({NIGHTLY})) -> list[Trouble]:
    listed = Listed(runs, NOW - timedelta(days=3))
    return [one.trouble for one in quiet(listed, DEFAULT, REPOSITORY, NOW, known)]


def test_another_scheduled_workflow_does_not_stand_in_for_the_nightly() -> None:
    assert troubles(ran(STALE, 1), ran(STALE, 2)) == [Trouble.NIGHTLY_SILENT]


def test_a_nightly_that_ran_is_not_missed_on_whatever_ref_its_file_is() -> None:
    assert troubles(ran(STALE, 1), ran(f"{NIGHTLY}@refs/heads/main", 20)) == []


def test_where_no_night_was_ever_read_none_is_missed() -> None:
    assert troubles(ran(STALE, 1), known=frozenset()) == []
    assert troubles(known=frozenset()) == []
