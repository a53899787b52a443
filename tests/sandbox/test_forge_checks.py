"""Promises of check runs: one of each identity, always completed, every annotation once."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.forge.answers import BusyError
from bot.forge.checks import Checks
from bot.publish.ports.checks import Annotation, AnnotationLevel, CheckConclusion, CheckReport, CheckState
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.traffic import Fault
from tests.sandbox.forge_world import Scene, scene

CHECKS, CHECK = "/repos/{owner}/{repo}/check-runs", "/repos/{owner}/{repo}/check-runs/{check_run_id}"


def report(here: Scene, annotations: int) -> CheckReport:
    found = tuple(
        Annotation(f"tests/test_{n}.py", n + 1, AnnotationLevel.WARNING, "t", f"m{n}") for n in range(annotations)
    )
    return CheckReport(
        "recalibrate", here.base, "digest-1", CheckConclusion.NEUTRAL, "2 of 3", "summary", "text", found
    )


async def put(here: Scene, given: CheckReport) -> CheckState:
    return await here.write(lambda session: Checks(session).put(given))


def only(here: Scene) -> CheckRun:
    (found,) = here.repo.checks.values()
    return found


@pytest.mark.parametrize(("annotations", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (120, 3)])
def test_annotations_go_in_fifties_and_the_conclusion_with_the_last(
    tmp_path: Path, annotations: int, requests: int
) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            state = await put(here, report(here, annotations))
            assert (state.completed, state.annotations, state.identity) == (True, annotations, "digest-1")
            check = only(here)
            assert [raw["message"] for raw in check.annotations] == [f"m{n}" for n in range(annotations)]
            assert (check.conclusion, check.title, check.summary, check.text) == (
                "neutral",
                "2 of 3",
                "summary",
                "text",
            )
            assert sum(record.method != "GET" for record in here.world.journal) == requests

    asyncio.run(scenario())


def test_a_repeated_report_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            first = await put(here, report(here, 60))
            writes = len(here.world.journal)
            assert await put(here, report(here, 60)) == first
            assert [record.method for record in here.world.journal[writes:]] == ["GET"]

    asyncio.run(scenario())


def test_a_report_of_another_identity_is_another_check_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            await put(here, report(here, 1))
            await put(here, replace(report(here, 2), identity="digest-2"))
            assert [check.external_id for check in here.repo.checks.values()] == ["digest-1", "digest-2"]

    asyncio.run(scenario())


@pytest.mark.parametrize("after", [False, True])
def test_a_step_that_broke_between_batches_goes_on_where_it_was(tmp_path: Path, after: bool) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.world.faults.append(Fault("PATCH", CHECK, 502, after=after))
            with pytest.raises(BusyError):
                await put(here, report(here, 120))
            state = await put(here, report(here, 120))
            assert state.completed
            assert [raw["message"] for raw in only(here).annotations] == [f"m{n}" for n in range(120)]

    asyncio.run(scenario())


def test_refused_annotations_do_not_lose_the_check_run(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.world.faults.append(Fault("POST", CHECKS, 422, {"message": "Invalid request.\n\nannotations"}))
            state = await put(here, report(here, 3))
            assert (state.completed, state.annotations) == (True, 0)
            assert "refused the annotations" in (only(here).summary or "")

    asyncio.run(scenario())
