"""The systemd unit: a real command, settings that exist, secrets from files, a confined process."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.settings import server_settings
from tests.unit.deploy.deployed import DEPLOY, ROOT, accepted, is_setting

FOLDER = DEPLOY / "systemd"
LINES = [
    tuple(line.split("=", 1))
    for line in (FOLDER / "recalibrate.service").read_text(encoding="utf-8").splitlines()
    if "=" in line and not line.startswith("#")
]
EXAMPLE = dict(
    line.split("=", 1)
    for line in (FOLDER / "recalibrate.env.example").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def of(key: str) -> list[str]:
    return [value for name, value in LINES if name == key]


def variables() -> dict[str, str]:
    return dict(word.split("=", 1) for line in of("Environment") for word in shlex.split(line))


def test_it_starts_a_real_command_as_a_module_of_the_checkout() -> None:
    (command,) = of("ExecStart")
    python, *words = shlex.split(command)
    assert words[:3] == ["-P", "-m", "bot"]
    assert accepted(words[3:])
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    assert f"venv {python.removesuffix('/bin/python')}\n" in manual
    assert f"{variables()['PYTHONPATH']}\n" in manual


def test_its_variables_and_the_examples_are_settings() -> None:
    ours = [name for name in {**variables(), **EXAMPLE} if name.startswith("RECALIBRATE_")]
    commented = re.findall(r"^#(RECALIBRATE_[A-Z_]+)=", (FOLDER / "recalibrate.env.example").read_text(), re.MULTILINE)
    assert commented
    assert [name for name in [*ours, *commented] if not is_setting(name)] == []


def test_the_example_is_enough_to_start_with_the_secrets() -> None:
    secrets = {"RECALIBRATE_PRIVATE_KEY": "k", "RECALIBRATE_WEBHOOK_SECRET": "s"}
    settings = server_settings({**EXAMPLE, **secrets})
    assert (settings.app_id, settings.port) == (12345, 8080)


def test_secrets_are_credentials_and_each_has_its_variable() -> None:
    loaded = [line.split(":")[0] for line in of("LoadCredential")]
    named = {value.removeprefix("%d/") for name, value in variables().items() if name.endswith("_FILE")}
    assert sorted(loaded) == sorted(named) == ["private-key", "webhook-secret"]


def test_it_is_no_root_and_writes_its_state_alone() -> None:
    assert of("DynamicUser") == ["yes"]
    assert of("ProtectSystem") == ["strict"]
    assert of("NoNewPrivileges") == ["yes"]
    assert of("CapabilityBoundingSet") == [""]
    assert variables()["RECALIBRATE_WORK_DIR"] == f"/var/lib/{of('StateDirectory')[0]}"
    assert "ReadWritePaths" not in dict(LINES)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not on PATH: it reads the unit")
@pytest.mark.parametrize("spoilt", ["", "ProtectSistem=strict\n"], ids=["as_it_is", "misspelt"])
def test_systemd_knows_every_directive(tmp_path: Path, spoilt: str) -> None:
    text = (FOLDER / "recalibrate.service").read_text(encoding="utf-8")
    (command,) = of("ExecStart")
    here = text.replace(command.split()[0], sys.executable).replace("[Install]", f"{spoilt}[Install]")
    (tmp_path / "recalibrate.service").write_text(here, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "recalibrate.service")],
        capture_output=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    said = [line for line in done.stderr.splitlines() if "recalibrate.service" in line]
    assert bool(said) == bool(spoilt), done.stderr
