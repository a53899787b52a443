"""Promises of a night read from a local GitHub: App credentials, pages, attempts, and every fate of a log."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain import LogState, RunId
from bot.forge.answers import BusyError, RefusedError
from bot.forge.auth import AppAuth, AppKey
from bot.forge.client import GitHubClient
from bot.forge.grants import CHECKS, READ
from bot.forge.runs import GitHubRuns
from bot.forge.secret import Secret
from bot.forge.tokens import Granted
from bot.forge.transport import new_session
from bot.network import DIRECT
from bot.records.measurements import RunQuery
from bot.sandbox.auth import generate_key
from bot.sandbox.state.actions import JobLogFile, LogFate, RunAttempt, Workflow
from tests.sandbox.forge_world import NAME, Scene, scene

LOG = b"\xef\xbb\xbf2026-08-02T15:09:00.0000000Z hello\nbroken \xff line"
CREATED, STARTED = "2026-08-02T15:07:52Z", "2026-08-02T15:09:00Z"


def add_run(here: Scene, number: int, attempt: int, jobs: list[dict[str, Any]], **run: Any) -> None:
    raw = {"id": number, "run_attempt": attempt, "run_number": number, "workflow_id": 9, "name": "Lane"}
    raw |= {"head_sha": here.base, "head_branch": "main", "event": "schedule", "path": ".github/workflows/lane.yml"}
    raw |= {"status": "completed", "conclusion": "success", "display_title": "Lane"}
    raw |= {"created_at": CREATED, "updated_at": CREATED}
    here.repo.runs.setdefault(number, {})[attempt] = RunAttempt(raw | run, jobs)


def job(number: int, **changes: Any) -> dict[str, Any]:
    raw = {"id": number, "run_id": 77, "name": f"suite ({number})", "run_attempt": 1, "head_sha": "a" * 40}
    raw |= {"status": "completed", "conclusion": "success", "runner_name": "gpu-1"}
    raw |= {"created_at": CREATED, "started_at": STARTED, "completed_at": STARTED}
    step = {"name": "Set up job", "number": 1, "status": "completed", "conclusion": "success"}
    return raw | {"steps": [step]} | changes


@asynccontextmanager
async def night(here: Scene, root: Path) -> AsyncIterator[GitHubRuns]:
    """Read as the installed App, with a real key, a signed JWT and a narrowed token."""
    private, here.app.public_pem = generate_key()
    async with new_session(DIRECT) as session:
        app = AppAuth(session, here.endpoint, AppKey(str(here.app.id), Secret(private.decode())))
        tokens = app.installation(await app.installation_id(NAME))
        client = GitHubClient(session, here.endpoint, Granted(tokens, READ.named(NAME)))
        yield GitHubRuns(client, session, root)


def test_a_night_of_more_jobs_than_a_page_is_read_whole(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            add_run(here, 77, 1, [job(number) for number in range(1, 138)])
            run = await runs.run(NAME, RunId(77), 1)
            assert (run.head_sha, run.workflow, run.trusted) == (here.base, ".github/workflows/lane.yml", False)
            assert [found.job_id for found in await runs.jobs(run)] == list(range(1, 138))

    asyncio.run(scenario())


def test_a_count_that_does_not_match_is_for_later(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            add_run(here, 77, 1, [job(1)])
            here.repo.runs[77][1].total_count = 2
            with pytest.raises(BusyError, match="1 jobs listed of 2"):
                await runs.jobs(await runs.run(NAME, RunId(77), 1))

    asyncio.run(scenario())


def test_the_first_attempt_is_read_while_the_second_is_queued(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            add_run(here, 77, 1, [job(1)], conclusion="failure")
            add_run(here, 77, 2, [], status="queued", conclusion=None)
            run = await runs.run(NAME, RunId(77), 1)
            assert (run.attempt, run.conclusion) == (1, "failure")
            assert len(await runs.jobs(run)) == 1
            assert (await runs.run(NAME, RunId(77))).attempt == 2

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("fate", "state"),
    [
        (LogFate.SERVED, LogState.PRESENT),
        (LogFate.EXPIRED_LINK, LogState.PRESENT),
        (LogFate.NOT_FOUND, LogState.GONE),
        (LogFate.GONE, LogState.GONE),
        (LogFate.FORBIDDEN, LogState.FORBIDDEN),
        (LogFate.EMPTY, LogState.EMPTY),
    ],
)
def test_every_fate_of_a_log_has_its_state(tmp_path: Path, fate: LogFate, state: LogState) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            file = tmp_path / "source.log"
            file.write_bytes(LOG)
            add_run(here, 77, 1, [job(1), job(2, conclusion="skipped", steps=[])])
            here.repo.logs[1] = JobLogFile(file, fate)
            run = await runs.run(NAME, RunId(77), 1)
            logs = [await runs.log(run, found) for found in await runs.jobs(run)]
            assert [log.state for log in logs] == [state, LogState.NEVER]
            if state is LogState.PRESENT:
                assert (logs[0].sha256, logs[0].lines) == (hashlib.sha256(LOG).hexdigest(), 1)
            assert not any("jobs/2/logs" in record.path for record in here.world.journal)

    asyncio.run(scenario())


def test_the_window_is_listed_by_workflow_event_branch_and_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            here.repo.workflows.append(Workflow(9, ".github/workflows/lane.yml", "renamed since"))
            for number in (1, 2, 3):
                add_run(here, number, 1, [], created_at=f"2026-08-0{number}T15:00:00Z")
            add_run(here, 4, 1, [], event="workflow_dispatch", created_at="2026-08-04T15:00:00Z")
            query = RunQuery(".github/workflows/lane.yml", "schedule", "main", datetime(2026, 8, 2, tzinfo=UTC))
            assert [run.run_id for run in await runs.recent(NAME, query, 10)] == [3, 2]
            with pytest.raises(RefusedError):
                await runs.recent(NAME, RunQuery("gone.yml", "schedule", "main", query.since), 10)

    asyncio.run(scenario())


def test_an_installation_without_the_permission_is_told_which(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            private, here.app.public_pem = generate_key()
            here.installation.permissions.pop("checks")
            async with new_session(DIRECT) as session:
                app = AppAuth(session, here.endpoint, AppKey(str(here.app.id), Secret(private.decode())))
                with pytest.raises(RefusedError, match="checks: write"):
                    await app.installation(here.installation.id).token(CHECKS)
                assert (await app.me()).slug == "recalibrate"

    asyncio.run(scenario())


def test_a_narrowed_token_cannot_do_more(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here, night(here, tmp_path / "logs") as runs:
            add_run(here, 77, 1, [job(1)])
            await runs.run(NAME, RunId(77), 1)
            (token,) = [it for it in here.world.tokens.values() if it.installation is not None]
            assert token.permissions == {"metadata": "read", "actions": "read", "contents": "read"}
            assert token.repositories == frozenset({here.repo.id})

    asyncio.run(scenario())
