"""Promises of the Action's script against a local GitHub: what it is given reaches the command, nothing else does."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.auth import installation_token, person_token
from bot.sandbox.generator.generate import Generated, generate
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox
from bot.sandbox.state.repo import Repo
from tests.waits import PATIENCE_S

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "action" / "run.sh"
NOT_OURS = ("RECALIBRATE_", "GITHUB_", "INPUT_", "PYTHON")


async def script(folder: Path, url: str, given: Mapping[str, str]) -> tuple[int, str]:
    """Run it as a step of a workflow would, from a folder with foreign modules. The status, and what it printed."""
    workspace = folder / "workspace"
    for name in ("bot", "aiohttp"):
        (workspace / name).mkdir(parents=True, exist_ok=True)
        (workspace / name / "__init__.py").write_text("raise SystemExit(99)\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OURS)}
    process = await asyncio.create_subprocess_exec(
        SCRIPT,
        cwd=workspace,
        env={
            **kept,
            "NO_PROXY": "127.0.0.1",
            "PYTHON": sys.executable,
            "PYTHONPATH": str(workspace),
            "RECALIBRATE_GITHUB_URL": url,
            **given,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(PATIENCE_S):
        out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


def between(printed: str) -> str:
    """What was printed while the runner took no commands."""
    found = re.fullmatch(r"::stop-commands::([0-9a-f]{32})\n(.*)\n::\1::\n", printed, re.DOTALL)
    assert found, printed
    return found[2]


@dataclass(frozen=True)
class Place:
    """A local GitHub with the generated world, and the script beside it."""

    folder: Path
    made: Generated
    scenario: Scenario
    url: str

    @property
    def repository(self) -> Repo:
        return next(iter(self.scenario.world.repos.values()))

    async def acts(self, **given: str) -> tuple[int, str]:
        """The script for the newest night, with these variables more or other."""
        usual = {"INPUT_REPOSITORY": "heron-lab/heron", "INPUT_RUN_ID": str(self.made.runs[-1].run_id)}
        return await script(self.folder, self.url, {**usual, **given})

    async def ends(self, word: str, **given: str) -> str:
        """What it printed; it ended well, with this word."""
        status, printed = await self.acts(**given)
        assert status == 0, printed
        assert word in between(printed)
        return printed


@asynccontextmanager
async def place(folder: Path) -> AsyncIterator[Place]:
    made = generate(folder / "made")
    scenario = load(folder / "made" / "scenario.json", folder / "github")
    sandbox = Sandbox(scenario.world)
    urls = await sandbox.start()
    try:
        yield Place(folder, made, scenario, urls.api)
    finally:
        await sandbox.stop()


def changes(scenario: Scenario) -> list[str]:
    calls = [f"{it.method} {it.route}" for it in scenario.world.journal if it.method in {"POST", "PATCH", "PUT"}]
    return [call for call in calls if not call.endswith(("graphql:repository", "access_tokens"))]


def test_a_token_previews_without_a_write_then_publishes_then_refreshes(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            token = person_token(at.scenario.world, at.repository.owner).secret
            given = {"INPUT_TOKEN": token, "INPUT_POLICY": "strict"}
            await at.ends("nothing was written", **given, INPUT_DRY_RUN="true")
            assert changes(at.scenario) == []
            assert token not in await at.ends("published: http://127.0.0.1", **given)
            await at.ends("refreshed:", **given)
            assert len(at.repository.issues) == 1

    asyncio.run(act())


def test_an_installations_token_publishes_as_the_app(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            (installation,) = at.scenario.world.installations.values()
            token = installation_token(at.scenario.world, installation, {}, None).secret
            await at.ends("published:", INPUT_TOKEN=token)
            (pull,) = at.repository.issues.values()
            assert pull.author == at.scenario.access.app.bot

    asyncio.run(act())


def test_an_app_publishes_as_itself_whatever_else_the_environment_has_and_a_token_leaves_it_alone(
    tmp_path: Path,
) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            given = {
                "INPUT_APP_ID": str(at.scenario.access.app.id),
                "INPUT_PRIVATE_KEY": at.scenario.access.private_pem.decode(),
                "RECALIBRATE_TOKEN": "another one's",
                "GITHUB_TOKEN": "the workflow's",
                "RECALIBRATE_PRIVATE_KEY_FILE": "/nowhere",
            }
            assert "PRIVATE KEY" not in await at.ends("published:", **given)
            (pull,) = at.repository.issues.values()
            assert pull.author == at.scenario.access.app.bot
            token = person_token(at.scenario.world, at.repository.owner).secret
            await at.ends("branch_of_another_app", INPUT_TOKEN=token)

    asyncio.run(act())


REFUSED = (
    ({"INPUT_RUN_ID": "1 --dry-run"}, "no run id"),
    ({"INPUT_RUN_ID": ""}, "no run id"),
    ({"INPUT_REPOSITORY": "--help"}, "OWNER/NAME"),
    ({"INPUT_REPOSITORY": "heron"}, "OWNER/NAME"),
    ({"INPUT_POLICY": "$(id)"}, "invalid choice"),
    ({"INPUT_TOKEN": "wrong"}, "rejected the credentials"),
    ({"INPUT_RUN_ID": "1"}, "actions/runs/1"),
)


def test_the_commands_own_refusals_are_its_status_and_stand_where_the_runner_takes_no_commands(tmp_path: Path) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            token = person_token(at.scenario.world, at.repository.owner).secret

            async def refused(changed: Mapping[str, str], says: str) -> None:
                status, printed = await at.acts(**{"INPUT_TOKEN": token, **changed})
                assert status == 2, (changed, printed)
                assert says in between(printed)

            await asyncio.gather(*(refused(*case) for case in REFUSED))
            assert changes(at.scenario) == []

    asyncio.run(act())


def test_wrong_inputs_are_named_and_nothing_is_started(tmp_path: Path) -> None:
    async def act() -> None:
        for given, says in (
            ({}, "no credentials"),
            ({"GITHUB_TOKEN": "the workflow's"}, "no credentials"),
            ({"INPUT_TOKEN": "a", "INPUT_APP_ID": "1"}, "keep one"),
            ({"INPUT_APP_ID": "1"}, "private-key"),
            ({"INPUT_TOKEN": "a", "INPUT_DRY_RUN": "yes"}, "dry-run: give true or false"),
        ):
            status, printed = await script(tmp_path, "http://127.0.0.1:9", given)
            assert status == 2
            assert printed.startswith("::error title=Recalibrate::")
            assert says in printed
            assert len(printed.splitlines()) == 1

    asyncio.run(act())
