"""Who sees what: GitHub's word for each visitor, kept for minutes and no longer, and never a guess."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest

from bot.dashboard import access
from bot.dashboard.access import NO_S, YES_S, Access
from bot.dashboard.session import Session
from bot.domain import RepositoryId
from bot.errors import RetryableError
from bot.records.repositories import Repository
from tests.unit.dashboard.asked_github import GitHub

T = TypeVar("T")
MONA, HUBOT = Session(number=1, login="mona", token="m"), Session(number=2, login="hubot", token="h")


def repository(number: int, name: str = "") -> Repository:
    return Repository(RepositoryId(number), name or f"octo/r{number}", 1)


@dataclass
class Clock:
    at: float = 0.0

    def __call__(self) -> float:
        return self.at


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def test_each_visitor_is_answered_for_themselves() -> None:
    rule = Access(GitHub({"m": {7}}))
    seven = repository(7)
    assert run(rule.may_read(MONA, seven.repository_id, seven))
    assert not run(rule.may_read(HUBOT, seven.repository_id, seven))


def test_a_yes_is_kept_for_minutes_and_a_no_for_one() -> None:
    github, clock = GitHub({"m": {7}}), Clock()
    rule, seven = Access(github, clock), repository(7)
    assert run(rule.may_read(MONA, seven.repository_id, seven))
    assert not run(rule.may_read(HUBOT, seven.repository_id, seven))
    github.readers = {"h": {7}}
    clock.at = NO_S - 1
    assert not run(rule.may_read(HUBOT, seven.repository_id, seven))
    clock.at = NO_S
    assert run(rule.may_read(HUBOT, seven.repository_id, seven))
    assert run(rule.may_read(MONA, seven.repository_id, seven))
    clock.at = YES_S
    assert not run(rule.may_read(MONA, seven.repository_id, seven))


def test_no_answer_is_no_access_and_is_not_kept() -> None:
    github = GitHub({"m": {7}}, away=True)
    rule, seven = Access(github), repository(7)
    with pytest.raises(RetryableError):
        run(rule.may_read(MONA, seven.repository_id, seven))
    github.away = False
    assert run(rule.may_read(MONA, seven.repository_id, seven))


def test_an_unknown_repository_costs_one_question_like_a_hidden_one() -> None:
    github = GitHub()
    rule = Access(github)
    assert not run(rule.may_read(MONA, RepositoryId(404), None))
    assert not run(rule.may_read(MONA, RepositoryId(7), repository(7)))
    unknown, hidden = github.asked
    assert hidden == "m:7"
    assert unknown == "m:0"  # the same question, about a number that GitHub gives to nothing


def test_signing_out_forgets_what_was_answered() -> None:
    github = GitHub({"m": {7}})
    rule, seven = Access(github), repository(7)
    assert run(rule.may_read(MONA, seven.repository_id, seven))
    rule.forget(MONA)
    github.readers = {}
    assert not run(rule.may_read(MONA, seven.repository_id, seven))


def test_a_list_holds_what_the_visitor_may_see_by_name_and_nothing_of_the_rest() -> None:
    rule = Access(GitHub({"m": {2, 3}}))
    listed = run(rule.readable(MONA, [repository(1), repository(2, "octo/z"), repository(3, "octo/a")], 50))
    assert [one.full_name for one in listed.repositories] == ["octo/a", "octo/z"]
    assert listed.after == 0


def test_pages_of_a_list_follow_one_another_without_a_gap() -> None:
    rule = Access(GitHub({"m": set(range(0, 100, 3))}))
    candidates = [repository(number) for number in range(100)]
    found: list[int] = []
    after, pages = -1, 0
    while after:
        listed = run(rule.readable(MONA, [one for one in candidates if one.repository_id > after], 10))
        found += sorted(one.repository_id for one in listed.repositories)
        after, pages = listed.after, pages + 1
    assert (found, pages) == (list(range(0, 100, 3)), 4)


def test_a_list_asks_a_bounded_number_of_questions_and_goes_on_later() -> None:
    github = GitHub({"m": {access.MOST_ASKED + 5}})
    rule = Access(github)
    candidates = [repository(number) for number in range(1, access.MOST_ASKED + 50)]
    first = run(rule.readable(MONA, candidates, 10))
    assert (first.repositories, len(github.asked)) == ((), access.MOST_ASKED)
    rest = [one for one in candidates if one.repository_id > first.after]
    assert [one.repository_id for one in run(rule.readable(MONA, rest, 10)).repositories] == [access.MOST_ASKED + 5]


@dataclass
class Slow(GitHub):
    """Takes three seconds for an answer, by this clock."""

    clock: Clock = field(default_factory=Clock)

    async def may_read(self, token: str, repository: Repository) -> bool:
        self.clock.at += 3.0
        return await GitHub.may_read(self, token, repository)


def test_a_list_asks_for_a_bounded_time_and_goes_on_later() -> None:
    github = Slow({"m": {1, 9}})
    rule = Access(github, github.clock)
    candidates = [repository(number) for number in range(1, 30)]
    first = run(rule.readable(MONA, candidates, 10))
    assert [one.repository_id for one in first.repositories] == [1]
    assert (first.after, len(github.asked)) == (access.AT_ONCE, access.AT_ONCE)
    second = run(rule.readable(MONA, [one for one in candidates if one.repository_id > first.after], 10))
    assert [one.repository_id for one in second.repositories] == [9]


def test_answers_are_kept_within_bounds() -> None:
    async def many(rule: Access) -> None:
        for number in range(access.MOST_KEPT + 1):
            await rule.may_read(MONA, RepositoryId(number), None)

    github = GitHub()
    rule = Access(github, Clock())
    run(many(rule))
    asked = len(github.asked)
    run(rule.may_read(MONA, RepositoryId(access.MOST_KEPT), None))
    assert len(github.asked) == asked
    run(rule.may_read(MONA, RepositoryId(0), None))  # the oldest gave way
    assert len(github.asked) == asked + 1
