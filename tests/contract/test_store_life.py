"""One contract on both databases: processes that live, repositories that are lost, pull requests that stand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.domain import CommitSha, RepositoryId, TaskKind
from bot.records import Host, Publication, PullRequestEnd, Repository, Role, TaskOutcome
from bot.store.open import Store

NOW = datetime(2026, 8, 2, 15, tzinfo=UTC)
ME = Host("host-1", Role.WORKER, "1")
REPO = RepositoryId(5)
OTTER = Repository(REPO, "zoo/otter", 9, "main")


def test_a_living_processs_number_rises_and_a_restarted_one_is_noted_as_it_is(store: Store) -> None:
    store.hosts.beat(ME)
    store.hosts.beat(ME)
    store.hosts.beat(Host("host-2", Role.WEB, "1"))
    assert [(one.executor_id, one.role, one.beats) for one in store.hosts.every()] == [
        ("host-1", Role.WORKER, 2),
        ("host-2", Role.WEB, 1),
    ]
    store.hosts.beat(replace(ME, version="2", role=Role.ALL))
    (first, _) = store.hosts.every()
    assert (first.version, first.role, first.beats) == ("2", Role.ALL, 3)
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
    store.repositories.forget(REPO)
    assert store.repositories.find(REPO) is None
    assert store.outcomes.newest(10, REPO) == ()
    assert store.publications.standing(REPO) == ()
    assert not store.states.find(REPO).paused
    assert store.repositories.find(lynx)
    assert len(store.outcomes.newest(10, lynx)) == len(store.publications.standing(lynx)) == 1
    assert store.states.find(lynx).paused


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
