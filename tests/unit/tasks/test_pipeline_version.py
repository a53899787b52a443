"""A pipeline whose steps or kept values changed has another version, so that no task goes on with steps not its own."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest

from bot.tasks.queue import PIPELINE_VERSION
from tests.unit.tasks.pipeline_record import kept_kinds, present, recorded, shape, steps_of, with_present

RULE = (
    "Steps or what they keep have changed. Raise PIPELINE_VERSION in bot/tasks/queue.py, so that tasks in flight are "
    "started over instead of going on with steps that are not theirs, then run "
    "`python -m tests.unit.tasks.pipeline_record`"
)
ROAD = """
async def road(steps, request):
    found = await take(steps, PINNED, "pin", work)
    for run in runs:
        await steps.take(f"read {run}", work)
    await self._steps.pause(3)
"""


def test_steps_and_kept_values_are_those_of_the_version() -> None:
    assert recorded().get(PIPELINE_VERSION) == present(), RULE


def test_each_version_differs_from_the_one_before() -> None:
    versions = recorded()
    order = sorted(versions, key=int)
    assert order[-1] == PIPELINE_VERSION
    assert all(versions[one] != versions[other] for one, other in itertools.pairwise(order))


def test_a_recorded_version_is_never_changed() -> None:
    assert with_present({"1": {"a": 1}}, "2", {"b": 2}) == {"1": {"a": 1}, "2": {"b": 2}}
    assert with_present({"1": {"a": 1}}, "1", {"a": 1}) == {"1": {"a": 1}}
    with pytest.raises(ValueError, match="raise PIPELINE_VERSION"):
        with_present({"1": {"a": 1}}, "1", {"a": 2})


def test_every_step_of_a_road_is_seen_with_its_name_and_what_it_keeps() -> None:
    seen = ["m.road: 'pin' -> PINNED", "m.road: take f'read {run}'", "m.road: pause 3"]
    assert steps_of("m", ROAD) == seen
    assert steps_of("m", ROAD.replace('"pin"', '"fix"')) != seen
    assert steps_of("m", ROAD.replace("PINNED", "MOVED")) != seen


def test_every_kind_that_a_step_keeps_is_recorded() -> None:
    used = {line.rpartition(" -> ")[2] for line in present()["steps"] if " -> " in line}
    assert len(used) > 10
    assert used - {"kind"} <= kept_kinds().keys()


def test_a_field_that_older_values_lack_counts_unless_it_has_a_default() -> None:
    @dataclass
    class Before:
        one: int

    @dataclass
    class After:
        one: int
        two: str = ""

    @dataclass
    class Broken:
        one: int
        two: str

    assert shape(Before) == shape(After) == {"one": "int"}
    assert shape(Broken) == {"one": "int", "two": "str"}
    assert shape(tuple[Before, ...]) != shape(Before)
