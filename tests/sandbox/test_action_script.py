"""Promises of the Action's script against a local GitHub: what it is given reaches the command, nothing else does."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from bot.sandbox.auth import installation_token, person_token
from bot.sandbox.generator.generate import Generated, generate
from bot.sandbox.scenario import Scenario, load
from bot.sandbox.server import Sandbox

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
    async with asyncio.timeout(120):
        out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


def between(printed: str) -> str:
    """What was printed while the runner took no commands."""
    found = re.fullmatch(r"::stop-commands::([0-9a-f]{32})\n(.*)\n::\1::\n", printed, re.DOTALL)
    assert found, printed
    return found[2]


def started(folder: Path) -> tuple[Generated, Scenario, Sandbox]:
    made = generate(folder / "made")
    scenario = load(folder / "made" / "scenario.json", folder / "github")
    return made, scenario, Sandbox(scenario.world)


def changes(scenario: Scenario) -> list[str]:
    calls = [f"{it.method} {it.route}" for it in scenario.world.journal if it.method in {"POST", "PATCH", "PUT"}]
    return [call for call in calls if not call.endswith(("graphql:repository", "access_tokens"))]


def test_a_token_previews_without_a_write_then_publishes_then_refreshes(tmp_path: Path) -> None:
    async def act() -> None:
        made, scenario, sandbox = started(tmp_path)
        url = (await sandbox.start()).api
        repository = next(iter(scenario.world.repos.values()))
        token = person_token(scenario.world, repository.owner).secret
        given = {
            "INPUT_REPOSITORY": "heron-lab/heron",
            "INPUT_RUN_ID": str(made.runs[-1].run_id),
            "INPUT_TOKEN": token,
            "INPUT_POLICY": "strict",
        }
        try:
            status, printed = await script(tmp_path, url, {**given, "INPUT_DRY_RUN": "true"})
            assert status == 0, printed
            assert "nothing was written" in between(printed)
            assert changes(scenario) == []

            status, printed = await script(tmp_path, url, given)
            assert status == 0, printed
            assert "published: http://127.0.0.1" in between(printed)
            assert token not in printed

            status, printed = await script(tmp_path, url, given)
            assert status == 0, printed
            assert "refreshed:" in between(printed)
            assert len(repository.issues) == 1
        finally:
            await sandbox.stop()

    asyncio.run(act())


def test_an_installations_token_publishes_as_the_app(tmp_path: Path) -> None:
    async def act() -> None:
        made, scenario, sandbox = started(tmp_path)
        url = (await sandbox.start()).api
        (installation,) = scenario.world.installations.values()
        given = {
            "INPUT_REPOSITORY": "heron-lab/heron",
            "INPUT_RUN_ID": str(made.runs[-1].run_id),
            "INPUT_TOKEN": installation_token(scenario.world, installation, {}, None).secret,
        }
        try:
            status, printed = await script(tmp_path, url, given)
            assert status == 0, printed
            assert "published:" in between(printed)
            (pull,) = next(iter(scenario.world.repos.values())).issues.values()
            assert pull.author == scenario.access.app.bot
        finally:
            await sandbox.stop()

    asyncio.run(act())


def test_an_app_publishes_as_itself_whatever_else_the_workflow_has_in_its_environment(tmp_path: Path) -> None:
    async def act() -> None:
        made, scenario, sandbox = started(tmp_path)
        url = (await sandbox.start()).api
        given = {
            "INPUT_REPOSITORY": "heron-lab/heron",
            "INPUT_RUN_ID": str(made.runs[-1].run_id),
            "INPUT_APP_ID": str(scenario.access.app.id),
            "INPUT_PRIVATE_KEY": scenario.access.private_pem.decode(),
            "RECALIBRATE_TOKEN": "another one's",
            "GITHUB_TOKEN": "the workflow's",
            "RECALIBRATE_PRIVATE_KEY_FILE": "/nowhere",
        }
        try:
            for word in ("published:", "refreshed:"):
                status, printed = await script(tmp_path, url, given)
                assert status == 0, printed
                assert word in between(printed)
            repository = next(iter(scenario.world.repos.values()))
            (pull,) = repository.issues.values()
            assert pull.author == scenario.access.app.bot
        finally:
            await sandbox.stop()

    asyncio.run(act())


def test_the_commands_own_refusals_are_its_status_and_stand_where_the_runner_takes_no_commands(tmp_path: Path) -> None:
    async def act() -> None:
        _, scenario, sandbox = started(tmp_path)
        url = (await sandbox.start()).api
        token = person_token(scenario.world, next(iter(scenario.world.repos.values())).owner).secret
        right = {"INPUT_REPOSITORY": "heron-lab/heron", "INPUT_RUN_ID": "1", "INPUT_TOKEN": token}
        try:
            for changed, says in (
                ({"INPUT_RUN_ID": "1 --dry-run"}, "no run id"),
                ({"INPUT_RUN_ID": ""}, "no run id"),
                ({"INPUT_REPOSITORY": "--help"}, "OWNER/NAME"),
                ({"INPUT_REPOSITORY": "heron"}, "OWNER/NAME"),
                ({"INPUT_POLICY": "$(id)"}, "invalid choice"),
                ({"INPUT_TOKEN": "wrong"}, "rejected the credentials"),
                ({}, "actions/runs/1"),
            ):
                status, printed = await script(tmp_path, url, {**right, **changed})
                assert status == 2, (changed, printed)
                assert says in between(printed)
            assert changes(scenario) == []
        finally:
            await sandbox.stop()

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
