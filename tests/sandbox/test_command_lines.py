"""Promises of the commands a person types against a local GitHub: demo and run, as processes of their own."""

import asyncio
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.cli.demo import stage
from bot.sandbox.auth import person_token
from bot.sandbox.generator.generate import Generated, generate
from bot.sandbox.generator.story import MAINTAINER
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox
from bot.settings import server_settings
from tests.sandbox.page_visit import Visitor
from tests.waits import PATIENCE_S

WRITES = {"POST", "PATCH", "PUT", "DELETE"}
READING = ("graphql:repository", "access_tokens")


@dataclass(frozen=True)
class Place:
    """A local GitHub with the generated world, and the environment of a command that uses it."""

    made: Generated
    scenario: Scenario
    environment: Mapping[str, str]

    @property
    def newest(self) -> str:
        return str(self.made.runs[-1].run_id)

    def written(self) -> list[str]:
        """Every request so far that changed something."""
        calls = [f"{it.method} {it.route}" for it in self.scenario.world.journal if it.method in WRITES]
        return [call for call in calls if not call.endswith(READING)]


@asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    made = generate(folder / "made")
    scenario = load(folder / "made" / "scenario.json", folder / "github")
    sandbox = Sandbox(scenario.world)
    urls = await sandbox.start()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}
    environment = {
        **kept,
        "NO_PROXY": "127.0.0.1",
        "RECALIBRATE_GITHUB_URL": urls.api,
        "RECALIBRATE_APP_ID": str(scenario.access.app.id),
        "RECALIBRATE_PRIVATE_KEY": scenario.access.private_pem.decode(),
    }
    try:
        yield Place(made, scenario, environment)
    finally:
        await sandbox.stop()


async def command(environment: Mapping[str, str], *arguments: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        env=dict(environment),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


def test_a_run_is_previewed_without_a_write_then_published_and_the_third_time_only_refreshed(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            words = ("run", "--repo", "heron-lab/heron", "--run", at.newest)
            status, out, err = await command(at.environment, *words, "--dry-run")
            assert (status, err) == (0, "")
            assert "nothing was written" in out
            assert "+register_cuda_ci(est_time=1200" in out
            assert at.written() == []

            status, out, err = await command(at.environment, *words)
            assert (status, err) == (0, "")
            assert "published: http://127.0.0.1" in out
            repository = next(iter(at.scenario.world.repos.values()))
            tip = repository.git.commit_of("refs/heads/recalibrate/main")
            assert tip is not None
            assert repository.git.run("rev-parse", f"{tip}^").decode().strip() == at.made.base

            status, out, err = await command(at.environment, *words)
            assert (status, err) == (0, "")
            assert "refreshed:" in out
            assert repository.git.commit_of("refs/heads/recalibrate/main") == tip
            assert len(repository.issues) == 1

    asyncio.run(act())


def test_a_preview_needs_a_token_that_may_only_read(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            world = at.scenario.world
            next(iter(world.repos.values())).private = True
            reading = {"metadata": "read", "contents": "read", "actions": "read"}
            token = person_token(world, world.account(MAINTAINER), reading)
            given = {
                "RECALIBRATE_GITHUB_URL": at.environment["RECALIBRATE_GITHUB_URL"],
                "RECALIBRATE_TOKEN": token.secret,
            }
            bare = {name: value for name, value in at.environment.items() if not name.startswith("RECALIBRATE_")}
            words = ("run", "--repo", "heron-lab/heron", "--run", at.newest, "--dry-run")
            status, out, err = await command({**bare, **given}, *words)
            assert (status, err) == (0, "")
            assert "+register_cuda_ci(est_time=1200" in out
            assert at.written() == []

    asyncio.run(act())


def test_a_run_that_is_no_nightly_only_reports(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            repository = next(iter(at.scenario.world.repos.values()))
            repository.runs[int(at.newest)][1].run["event"] = "workflow_dispatch"
            words = ("run", "--repo", "heron-lab/heron", "--run", at.newest, "--nights", "1")
            status, out, err = await command(at.environment, *words)
            assert (status, err) == (0, "")
            assert "report_only" in out
            assert at.written() == ["POST /repos/{owner}/{repo}/check-runs"]  # the report itself

    asyncio.run(act())


REFUSED: tuple[tuple[tuple[str, ...], dict[str, str], str], ...] = (
    (("--repo", "heron-lab/heron", "--run", "12x"), {}, "no run id"),
    (("--repo", "heron", "--run", "1"), {}, "OWNER/NAME"),
    (("--repo", "heron-lab/heron", "--run", "1"), {}, "actions/runs/1"),
    (("--repo", "heron-lab/nowhere", "--run", "1"), {}, "not installed"),
    (("--repo", "heron-lab/heron", "--run", "1"), {"RECALIBRATE_APP_ID": "x"}, "RECALIBRATE_APP_ID"),
    (("--repo", "heron-lab/heron", "--run", "1"), {"RECALIBRATE_PRIVATE_KEY": "no key"}, "private key"),
)


def test_what_a_person_can_fix_is_told_in_one_line_with_status_two(tmp_path: Path) -> None:
    async def refused(at: Place, words: tuple[str, ...], changed: dict[str, str], says: str) -> None:
        status, out, err = await command({**at.environment, **changed}, "run", *words)
        assert (status, out) == (2, ""), words
        assert says in err
        assert len(err.splitlines()) == 1
        assert "BEGIN" not in err

    async def act() -> None:
        async with place(tmp_path) as at:
            await asyncio.gather(*(refused(at, *case) for case in REFUSED))

    asyncio.run(act())


def test_without_credentials_the_message_names_the_variables() -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}
    status, _, err = asyncio.run(command(bare, "run", "--repo", "a/b", "--run", "1"))
    assert status == 2
    assert "RECALIBRATE_APP_ID" in err
    assert "RECALIBRATE_TOKEN" in err


def test_the_demo_needs_nothing_and_shows_body_diff_and_evidence() -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}
    status, out, err = asyncio.run(command({**bare, "DEMO_EXIT": "1"}, "demo"))
    assert (status, [line for line in err.splitlines() if "Error" in line or "Traceback" in line]) == (0, [])
    assert out.count("published: http://127.0.0.1:") == 2
    for part in ("===== The pull request", "===== Its diff", "===== The first rows of evidence.csv", "Where to look"):
        assert part in out
    assert "+register_cuda_ci(est_time=1200" in out
    assert out.count("workflow_run_id,job_id,") == 1
    assert "<details>" not in out
    assert "(folded: Blob SHAs)" in out
    assert re.search(rf"http://127\.0\.0\.1:\d+/pages \(sign in as {MAINTAINER}\)", out)


def test_the_demos_pages_can_be_signed_in_to(tmp_path: Path) -> None:
    async def act() -> str:
        made = generate(tmp_path / "made")
        async with stage(made.repository.parent / "scenario.json", tmp_path) as running:
            browser = Visitor(running.pages.removesuffix("/pages"))
            to = await asyncio.to_thread(browser.sign_in, MAINTAINER)
            return await asyncio.to_thread(browser.text, to)

    assert f"Signed in as <b>{MAINTAINER}</b>" in asyncio.run(act())


def test_a_webhook_that_is_no_address_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    status, _, err = asyncio.run(command(os.environ, "sandbox", str(tmp_path / "any.json"), "--webhook", "here:8080"))
    assert status == 2
    assert "--webhook: here:8080: not an address; give http://" in err


def test_a_folder_that_cannot_be_made_is_told_with_its_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = {"APP_ID": "1", "WEBHOOK_SECRET": "s", "WORK_DIR": str(tmp_path / "file" / "data")}
    given = {**os.environ, **{f"RECALIBRATE_{name}": value for name, value in settings.items()}}
    status, _, err = asyncio.run(command(given, "serve", "--role", "web"))
    assert status == 2
    assert "RECALIBRATE_WORK_DIR: " in err
    assert "cannot be made: Not a directory; name another" in err


def test_what_the_sandbox_prints_are_settings_of_a_service_with_pages(tmp_path: Path) -> None:
    made = generate(tmp_path / "made")
    file = made.repository.parent / "scenario.json"
    maintainer = load(file, tmp_path / "again").world.account(MAINTAINER)
    words = (sys.executable, "-m", "bot", "sandbox", str(file))

    async def printed() -> list[str]:
        process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
        assert process.stdout
        async with asyncio.timeout(PATIENCE_S):
            lines = [(await process.stdout.readline()).decode()]
            while lines[-1] and not lines[-1].startswith("Waiting"):
                lines.append((await process.stdout.readline()).decode())
            told = server_settings(dict(word.split("=", 1) for word in exports(lines)))
            process.terminate()
            await process.wait()
        assert told.pages
        return [told.pages.url, *map(str, told.pages.operators)]

    def exports(lines: list[str]) -> list[str]:
        return [shlex.split(line)[1] for line in lines if line.startswith("export ")]

    assert asyncio.run(printed()) == ["http://127.0.0.1:8080", str(maintainer.id)]


def test_check_config_tells_line_and_key(tmp_path: Path) -> None:
    path = tmp_path / "recalibrate.yml"
    path.write_text("version: 1\nnightly:\n  workflow: [a]\n")
    status, _, err = asyncio.run(command(os.environ, "check-config", str(path)))
    assert status == 2
    assert "line 3: nightly.workflow: unknown key" in err
    path.write_text("version: 1\n")
    assert asyncio.run(command(os.environ, "check-config", str(path)))[0] == 0
