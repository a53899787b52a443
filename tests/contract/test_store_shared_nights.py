"""The measured nightlies go in and come out whole: every attempt, every job, every timing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.domain import RepositoryId, RunEvidence
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job, run_evidence
from bot.evidence.carried import mark_carried
from bot.evidence.samples import key_of
from bot.records.measurements import NightWindow
from bot.store.open import Store

REPO = RepositoryId(7)


@pytest.fixture(scope="session")
def nights(shared_data: Path) -> tuple[RunEvidence, ...]:
    """All nine attempts as the evidence stage reads them, carried-over jobs marked."""
    source = ArtifactSource(sorted((shared_data / "nightlies").glob("*/attempt-*")))

    async def read() -> list[RunEvidence]:
        found = []
        for run in source.runs:
            logs = [await source.log(run, job) for job in await source.jobs(run)]
            found.append(run_evidence(run, [read_job(run, log) for log in logs]))
        return found

    every = asyncio.run(read())
    by_run = {one.run.run_id: [other for other in every if other.run.run_id == one.run.run_id] for one in every}
    return tuple(one for attempts in by_run.values() for one in mark_carried(attempts))


def test_nine_attempts_come_back_as_they_were_read(store: Store, nights: tuple[RunEvidence, ...]) -> None:
    for one in (*nights, *nights):
        store.runs.record(REPO, one)
    found = store.runs.evidence(REPO, NightWindow(nights=100))
    assert len(found) == 9
    assert sum(len(one.rows) for one in found) == 624
    assert {(one.run.run_id, one.run.attempt): one for one in found} == {
        (one.run.run_id, one.run.attempt): one for one in nights
    }


def test_the_history_of_every_key_is_what_its_rows_say(store: Store, nights: tuple[RunEvidence, ...]) -> None:
    for one in nights:
        store.runs.record(REPO, one)
    keys = {key_of(row) for one in nights for row in one.rows}
    for key in sorted(keys)[::10]:
        rows = {row for one in nights for row in one.rows if key_of(row) == key}
        assert {known.row for known in store.timings.of_key(REPO, key, 1000)} == rows
