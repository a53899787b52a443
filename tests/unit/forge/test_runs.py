"""Promises about runs, jobs and logs over HTTP: complete, or said not to be; no credential for a log's host."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain import CommitSha, Job, JobId, LogState, Run, RunId
from bot.forge.answers import BusyError, RefusedError
from bot.forge.logs import LogLimits
from bot.forge.runs import GitHubRuns
from bot.forge.transport import new_session
from bot.network import DIRECT
from bot.records.measurements import RunQuery
from tests.unit.forge.fake_github import FakeGitHub, ManualTime, Reply, reading

REPO = "/api/v3/repos/zoo/otter"
RUN = Run("zoo/otter", RunId(77), 1, CommitSha("a" * 40))
JOB = Job(JobId(5), "suite (0) / run", 1, "success", steps=3)
LOG = b"\xef\xbb\xbf2026-01-01T00:00:00.0000000Z one\ntwo\r\n\xff\nno newline"


def run_payload(**changes: Any) -> dict[str, Any]:
    return {
        "id": 77,
        "run_attempt": 1,
        "head_sha": "a" * 40,
        "head_branch": "main",
        "event": "schedule",
        "path": ".github/workflows/lane.yml@refs/heads/main",
        "conclusion": "failure",
        "created_at": "2026-08-02T15:07:52Z",
        "run_started_at": "2026-08-02T15:08:00Z",
        "html_url": "https://github.com/zoo/otter/actions/runs/77",
    } | changes


def job_payload(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": number, "name": f"job {number}", "run_attempt": 1, "conclusion": "success", "steps": [{}]} | changes


@asynccontextmanager
async def runs_of(
    fake: FakeGitHub, root: Path, limits: LogLimits | None = None, time: ManualTime | None = None
) -> AsyncIterator[GitHubRuns]:
    async with reading(fake, time) as client, new_session(DIRECT) as logs:
        yield GitHubRuns(client, logs, root, limits or LogLimits())


def logs_at(fake: FakeGitHub, host: FakeGitHub, number: int = 5) -> None:
    fake.on(
        "GET", f"{REPO}/actions/jobs/{number}/logs", Reply(302, headers={"location": f"{host.origin}/signed?sig=1"})
    )


def content(path: str) -> bytes:
    return Path(path).read_bytes()


def names_below(root: Path) -> list[str]:
    return [file.name for file in root.rglob("*") if file.is_file()]


def test_an_attempt_is_read_from_its_own_endpoint(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            fake.on("GET", f"{REPO}/actions/runs/77", Reply(data=run_payload(run_attempt=2, status="queued")))
            fake.on("GET", f"{REPO}/actions/runs/77/attempts/1", Reply(data=run_payload()))
            assert await runs.run("zoo/otter", RunId(77), 1) == Run(
                repository="zoo/otter",
                run_id=RunId(77),
                attempt=1,
                head_sha=CommitSha("a" * 40),
                created_at=datetime(2026, 8, 2, 15, 7, 52, tzinfo=UTC),
                started_at=datetime(2026, 8, 2, 15, 8, tzinfo=UTC),
                event="schedule",
                head_branch="main",
                workflow=".github/workflows/lane.yml",
                conclusion="failure",
                url="https://github.com/zoo/otter/actions/runs/77",
                trusted=False,
            )
            assert (await runs.run("zoo/otter", RunId(77))).attempt == 2

    asyncio.run(scenario())


def test_an_answer_about_another_attempt_is_not_taken(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            fake.on("GET", f"{REPO}/actions/runs/77/attempts/1", Reply(data=run_payload(run_attempt=2)))
            with pytest.raises(BusyError, match="attempt 1, got 2"):
                await runs.run("zoo/otter", RunId(77), 1)

    asyncio.run(scenario())


def paged(fake: FakeGitHub, total: int, *pages: list[dict[str, Any]]) -> None:
    path = f"{REPO}/actions/runs/77/attempts/1/jobs?per_page=100"
    for number, page in enumerate(pages, 1):
        here = path if number == 1 else f"{path}&page={number}"
        more = {"link": f'<{fake.origin}{path}&page={number + 1}>; rel="next"'} if number < len(pages) else {}
        fake.on("GET", here, Reply(data={"total_count": total, "jobs": page}, headers=more))


def test_every_page_of_jobs_is_read(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            paged(fake, 137, [job_payload(n) for n in range(100)], [job_payload(n) for n in range(100, 137)])
            assert [job.job_id for job in await runs.jobs(RUN)] == list(range(137))
            assert len(fake.seen) == 2

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("total", "numbers"),
    [(137, range(136)), (3, range(4)), (4, [0, 1, 2, 2]), (1, [])],
    ids=["fewer", "more", "twice", "none"],
)
def test_jobs_that_do_not_add_up_are_asked_for_later(tmp_path: Path, total: int, numbers: list[int]) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            paged(fake, total, [job_payload(n) for n in numbers])
            with pytest.raises(BusyError, match="jobs listed of"):
                await runs.jobs(RUN)

    asyncio.run(scenario())


def test_a_run_without_jobs_has_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            paged(fake, 0, [])
            assert await runs.jobs(RUN) == ()

    asyncio.run(scenario())


def test_a_jobs_facts_are_kept_and_absent_ones_stay_absent(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            first = job_payload(1, started_at="2026-08-02T15:09:00Z", runner_name="gpu-7", run_attempt=2, steps=[])
            paged(fake, 2, [first, {"id": 2, "name": "x", "conclusion": None, "runner_name": None, "steps": None}])
            assert await runs.jobs(RUN) == (
                Job(JobId(1), "job 1", 2, "success", datetime(2026, 8, 2, 15, 9, tzinfo=UTC), None, "gpu-7", steps=0),
                Job(JobId(2), "x", 1, "", steps=None),
            )

    asyncio.run(scenario())


def test_a_log_is_fetched_from_its_own_host_without_a_credential(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", Reply(raw=LOG, content_type="text/plain"))
            log = await runs.log(RUN, JOB)
            assert log.state is LogState.PRESENT
            assert content(log.path) == LOG
            assert (log.sha256, log.size, log.lines) == (hashlib.sha256(LOG).hexdigest(), len(LOG), 3)
            assert "Authorization" not in host.seen[0].headers
            assert "Cookie" not in host.seen[0].headers

    asyncio.run(scenario())


def test_a_log_of_many_chunks_is_measured_as_it_is_on_disk(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            body = b"0123456789\n" * 200_000
            host.on("GET", "/signed?sig=1", Reply(raw=body, content_type="text/plain"))
            log = await runs.log(RUN, JOB)
            assert (log.sha256, log.size, log.lines) == (hashlib.sha256(body).hexdigest(), len(body), 200_000)
            assert names_below(tmp_path) == ["job-5.log"]

    asyncio.run(scenario())


def test_a_log_that_is_on_disk_is_not_fetched_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", Reply(raw=LOG, content_type="text/plain"))
            assert await runs.log(RUN, JOB) == await runs.log(RUN, JOB)
            assert (len(fake.seen), len(host.seen)) == (1, 1)

    asyncio.run(scenario())


@pytest.mark.parametrize("job", [replace(JOB, conclusion="skipped"), replace(JOB, steps=0, conclusion="cancelled")])
def test_a_job_that_never_ran_costs_no_call(tmp_path: Path, job: Job) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            assert (await runs.log(RUN, job)).state is LogState.NEVER
            assert fake.seen == []

    asyncio.run(scenario())


@pytest.mark.parametrize(("status", "state"), [(410, LogState.GONE), (404, LogState.GONE), (403, LogState.FORBIDDEN)])
def test_a_log_that_cannot_be_had_is_a_state_and_the_rest_goes_on(tmp_path: Path, status: int, state: LogState) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host, 5)
            logs_at(fake, host, 7)
            fake.on("GET", f"{REPO}/actions/jobs/6/logs", Reply(status, {"message": "Resource not accessible"}))
            host.on("GET", "/signed?sig=1", Reply(raw=LOG, content_type="text/plain"))
            jobs = [replace(JOB, job_id=JobId(number)) for number in (5, 6, 7)]
            logs = [await runs.log(RUN, job) for job in jobs]
            assert [log.state for log in logs] == [LogState.PRESENT, state, LogState.PRESENT]
            if state is LogState.FORBIDDEN:
                assert "actions: read" in logs[1].reason

    asyncio.run(scenario())


def test_a_log_gone_between_the_link_and_the_fetch_is_gone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            assert (await runs.log(RUN, JOB)).state is LogState.GONE

    asyncio.run(scenario())


def test_zero_bytes_are_no_log_and_are_asked_for_again_later(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", [Reply(raw=b""), Reply(raw=LOG, content_type="text/plain")])
            first, second = await runs.log(RUN, JOB), await runs.log(RUN, JOB)
            assert (first.state, first.path) == (LogState.EMPTY, "")
            assert second.state is LogState.PRESENT

    asyncio.run(scenario())


def test_an_expired_link_is_asked_for_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            links = iter(("/old", "/new"))
            script = lambda _: Reply(302, headers={"location": host.origin + next(links)})  # noqa: E731 - a script of one line
            fake.on("GET", f"{REPO}/actions/jobs/5/logs", script)
            host.on(
                "GET", "/old", Reply(403, raw=b"<Error>AuthenticationFailed</Error>", content_type="application/xml")
            )
            host.on("GET", "/new", Reply(raw=LOG, content_type="text/plain"))
            assert (await runs.log(RUN, JOB)).state is LogState.PRESENT

    asyncio.run(scenario())


def test_links_that_never_work_end_as_a_busy_server(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path) as runs:
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", Reply(403))
            with pytest.raises(BusyError, match="expired"):
                await runs.log(RUN, JOB)
            assert len(host.seen) == 3

    asyncio.run(scenario())


def test_a_redirect_of_the_logs_host_is_not_followed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with (
            FakeGitHub() as fake,
            FakeGitHub() as host,
            FakeGitHub() as elsewhere,
            runs_of(fake, tmp_path) as runs,
        ):
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", Reply(302, headers={"location": f"{elsewhere.origin}/"}))
            with pytest.raises(BusyError):
                await runs.log(RUN, JOB)
            assert elsewhere.seen == []

    asyncio.run(scenario())


def test_a_log_over_the_limit_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, FakeGitHub() as host, runs_of(fake, tmp_path, LogLimits(max_bytes=10)) as runs:
            logs_at(fake, host)
            host.on("GET", "/signed?sig=1", Reply(raw=LOG, content_type="text/plain"))
            log = await runs.log(RUN, JOB)
            assert (log.state, log.reason) == (LogState.GONE, "larger than the limit for one log")
            assert names_below(tmp_path) == []

    asyncio.run(scenario())


def test_a_connection_that_breaks_in_the_middle_leaves_no_half_log(tmp_path: Path) -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def scenario() -> None:
        server = await asyncio.start_server(half, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            location = {"location": f"http://127.0.0.1:{port}/log"}
            fake.on("GET", f"{REPO}/actions/jobs/5/logs", Reply(302, headers=location))
            with pytest.raises(BusyError, match="downloaded"):
                await runs.log(RUN, JOB)
            assert len(fake.seen) == 3
            assert names_below(tmp_path) == []

    asyncio.run(scenario())


def test_a_limit_on_logs_is_not_a_missing_permission(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            fake.on(
                "GET",
                f"{REPO}/actions/jobs/5/logs",
                Reply(403, {"message": "secondary rate limit"}, {"retry-after": "500"}),
            )
            with pytest.raises(BusyError) as busy:
                await runs.log(RUN, JOB)
            assert busy.value.after_s == 500

    asyncio.run(scenario())


def test_recent_runs_are_filtered_by_github_and_bounded_by_us(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            page = [run_payload(id=number) for number in range(5)]
            fake.on(
                "GET", f"{REPO}/actions/workflows/lane.yml/runs", Reply(data={"total_count": 5, "workflow_runs": page})
            )
            query = RunQuery(".github/workflows/lane.yml", "schedule", "a&b", datetime(2026, 8, 1, tzinfo=UTC))
            assert [run.run_id for run in await runs.recent("zoo/otter", query, 3)] == [0, 1, 2]
            asked = fake.seen[0].path.partition("?")[2]
            assert asked == (
                "event=schedule&branch=a%26b&created=%3E%3D2026-08-01T00:00:00Z&status=completed&per_page=3"
            )

    asyncio.run(scenario())


@pytest.mark.parametrize("sha", ["A" * 40, "a" * 39, "HEAD", ""])
def test_a_head_that_is_no_sha_is_not_believed(tmp_path: Path, sha: str) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            fake.on("GET", f"{REPO}/actions/runs/77", Reply(data=run_payload(head_sha=sha)))
            with pytest.raises(BusyError, match="unreadable"):
                await runs.run("zoo/otter", RunId(77))

    asyncio.run(scenario())


def test_a_repository_that_is_hidden_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FakeGitHub() as fake, runs_of(fake, tmp_path) as runs:
            with pytest.raises(RefusedError, match="installation"):
                await runs.jobs(RUN)

    asyncio.run(scenario())
