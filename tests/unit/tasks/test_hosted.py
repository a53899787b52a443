"""Promises of a request about a run of another repository: it survives the queue and finds both sides."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

from bot.domain import HostRepository, RepositoryId, RunId, TaskKind, TaskRequest
from bot.records.repositories import Repository
from bot.tasks.hosted import for_guest, where_it_ran
from bot.tasks.queue import request_from_json

OWN = TaskRequest(TaskKind.NIGHTLY, 3, RepositoryId(7), "zoo/park", RunId(11), 2)
HOSTED = replace(OWN, host=HostRepository(4, RepositoryId(8), "zoo/ci"))


def test_a_request_comes_out_of_the_queue_as_it_went_in() -> None:
    for one in (OWN, HOSTED):
        assert request_from_json(json.loads(json.dumps(asdict(one)))) == one


def test_a_request_of_an_earlier_release_has_no_host() -> None:
    data = asdict(OWN)
    del data["host"]
    assert request_from_json(data) == OWN


def test_the_run_is_looked_for_where_it_took_place() -> None:
    there = where_it_ran(HOSTED)
    assert (there.installation_id, there.repository_id, there.repository) == (4, 8, "zoo/ci")
    assert (there.run_id, there.attempt, there.host) == (11, 2, None)
    assert where_it_ran(OWN) == OWN


def test_a_host_whose_task_is_taken_up_again_asks_for_the_same_task_of_its_guest() -> None:
    host, guest = replace(OWN, again=0), Repository(RepositoryId(9), "zoo/guest", 5)
    asked = for_guest(host, guest)
    assert for_guest(replace(host, again=3), guest) == asked
    assert (asked.take_id, asked.repository, asked.installation_id) == ("nightly:9:11:2", "zoo/guest", 5)
    assert where_it_ran(asked) == host


def test_the_guests_task_is_the_guests_and_not_the_hosts() -> None:
    assert HOSTED.key == OWN.key != where_it_ran(HOSTED).key
    assert HOSTED.lane == OWN.lane
