"""One contract on both databases: processes that live, repositories that are lost, pull requests that stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.domain import CommitSha, RepositoryId, RunId, TaskKind, TaskRequest
from bot.records.publications import Publication, PullRequestEnd
from bot.records.repositories import Repository
from bot.records.work import Host, Parked, ProcessRole, TaskOutcome
from bot.store.open import Store

NOW = datetime(2026, 8, 2, 15, tzinfo=UTC)
ME = Host("host-1", ProcessRole.WORKER, "1")
REPO = RepositoryId(5)
OTTER = Repository(REPO, "zoo/otter", 9, "main")


def test_a_living_processs_number_rises_and_a_restarted_one_is_noted_as_it_is(store: Store) -> None:
    store.hosts.beat(ME)
    store.hosts.beat(ME)
    store.hosts.beat(Host("host-2", ProcessRole.WEB, "1"))
    assert [(one.executor_id, one.role, one.beats) for one in store.hosts.every()] == [
        ("host-1", ProcessRole.WORKER, 2),
        ("host-2", ProcessRole.WEB, 1),
    ]
    store.hosts.beat(replace(ME, version="2", role=ProcessRole.ALL))
    (first, _) = store.hosts.every()
    assert (first.version, first.role, first.beats) == ("2", ProcessRole.ALL, 3)
    assert first.beat_at


def test_only_a_process_whose_number_has_not_risen_is_forgotten(store: Store) -> None:
    store.hosts.beat(ME)
    store.hosts.beat(ME)
    store.hosts.forget("host-1", 1)
    assert len(store.hosts.every()) == 1
    store.hosts.forget("host-1", 2)
    assert store.hosts.every() == ()


def test_a_repository_is_lost_from_when_its_access_went_until_it_comes_back(store: Store) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    store.repositories.save(OTTER)
    assert store.repositories.covered() == (OTTER,)
    assert store.repositories.lost_before(later, 10) == ()
    store.repositories.lose_access(REPO)
    assert store.repositories.covered() == ()
    assert [one.repository_id for one in store.repositories.lost_before(later, 10)] == [REPO]
    assert store.repositories.lost_before(datetime.now(UTC) - timedelta(hours=1), 10) == ()
    store.repositories.save(OTTER)
    assert store.repositories.lost_before(later, 10) == ()
    store.installations.remove(9)
    assert [one.repository_id for one in store.repositories.lost_before(later, 10)] == [REPO]


def test_a_forgotten_repository_leaves_nothing_and_its_neighbour_everything(store: Store) -> None:
    lynx = RepositoryId(6)
    for number in (REPO, lynx):
        store.repositories.save(replace(OTTER, repository_id=number))
        store.outcomes.record(TaskOutcome(f"nightly:{number}:1:1", number, TaskKind.NIGHTLY, "published", NOW))
        store.publications.record(published(number, "a", 1))
        store.states.set_paused(number, paused=True)
        store.parked.park(owing(number, NOW))
    store.repositories.forget(REPO)
    assert store.repositories.find(REPO) is None
    assert store.outcomes.newest(10, REPO) == ()
    assert store.publications.standing(REPO) == ()
    assert not store.states.find(REPO).paused
    assert [one.repository_id for one in store.parked.every(10)] == [lynx]
    assert store.repositories.find(lynx)
    assert len(store.outcomes.newest(10, lynx)) == len(store.publications.standing(lynx)) == 1
    assert store.states.find(lynx).paused


def owing(repository: RepositoryId, due: datetime | None, again: int = 1) -> Parked:
    request = TaskRequest(TaskKind.NIGHTLY, 9, repository, "zoo/o\x00tter", RunId(1), 1, again=again)
    return Parked(request.key, repository, request, "pull request", due)


def test_a_parked_task_is_due_from_its_time_on_until_it_is_asked_for_and_gone_when_it_ends(store: Store) -> None:
    soon, later = owing(REPO, NOW), owing(RepositoryId(6), NOW + timedelta(hours=1))
    for one in (later, soon):
        store.parked.park(one)
    assert store.parked.due(NOW - timedelta(seconds=1), 10) == ()
    assert store.parked.due(NOW, 10) == (soon,)
    assert store.parked.due(NOW + timedelta(hours=2), 10) == (soon, later)
    assert store.parked.due(NOW + timedelta(hours=2), 1) == (soon,)
    store.parked.taken_up(soon)
    assert store.parked.due(NOW + timedelta(hours=2), 10) == (later,)
    assert store.parked.find(soon.key) == replace(soon, due_at=None)
    again = owing(REPO, NOW + timedelta(hours=3), again=2)
    store.parked.park(again)
    store.parked.taken_up(soon)  # by a process that was slow: this is about the take before
    assert store.parked.find(soon.key) == again
    store.parked.ended(soon.key)
    assert store.parked.every(10) == (later,)


def published(repository: RepositoryId, commit: str, number: int | None, base: str = "main") -> Publication:
    sha = CommitSha(commit * 40)
    return Publication(repository, sha, f"recalibrate/{base}", base, CommitSha("b" * 40), "d", NOW, pull_request=number)


def test_what_stands_is_the_newest_commit_of_each_pull_request_that_has_not_ended(store: Store) -> None:
    first, second = published(REPO, "a", 1), replace(published(REPO, "c", 1), published_at=NOW + timedelta(days=1))
    other, unborn = published(REPO, "d", 2, "release"), published(REPO, "e", None)
    for one in (second, first, other, unborn):
        store.publications.record(one)
    assert store.publications.standing(REPO) == (second, other)
    store.publications.end(REPO, 1, PullRequestEnd.CLOSED, None)
    assert store.publications.standing(REPO) == (other,)
