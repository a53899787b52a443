"""What can be held of the image without a container engine: it copies what exists, and what it copies serves."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
STEPS = [tuple(line.split(maxsplit=1)) for line in LINES if line and not line.startswith("#")]


def of(word: str) -> list[str]:
    return [rest for step, rest in STEPS if step == word]


def test_everything_that_is_copied_exists_and_is_sent_to_the_builder() -> None:
    copied = [shlex.split(rest)[0] for rest in of("COPY") if not rest.startswith("--from")]
    sent = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert copied == ["deploy/requirements.txt", "bot"]
    assert all((ROOT / path).exists() for path in copied)
    assert sorted(sent) == sorted(copied)


def test_packages_are_pinned_by_hash_and_the_service_is_not_root() -> None:
    (install,) = [rest for rest in of("RUN") if re.search(r"/pip +install ", rest)]
    assert "--require-hashes" in install
    assert of("USER") == ["recalibrate"]
    assert [step for step, _ in STEPS].index("USER") < [step for step, _ in STEPS].index("ENTRYPOINT")


def test_its_variables_are_settings_and_its_command_is_one() -> None:
    documented = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    (variables,) = of("ENV")
    ours = re.findall(r"RECALIBRATE_[A-Z_]+", variables)
    assert ours
    assert all(name in documented for name in ours)
    assert of("ENTRYPOINT") == ['["python", "-m", "bot"]']
    (command,) = of("CMD")
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*re.findall(r'"(\w+)"', command), "--help"])


def test_both_stages_begin_with_one_release_of_python() -> None:
    (argument,) = of("ARG")
    assert re.fullmatch(r"PYTHON=python:3\.11\.\d+-slim-\w+", argument)
    assert {rest.split(" AS ")[0] for rest in of("FROM")} == {"${PYTHON}"}
    assert len(of("FROM")) == 2


@contextmanager
def started(folder: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """What the image copies and nothing else, serving as `web`, which asks GitHub nothing; and its environment."""
    shutil.copytree(ROOT / "bot", folder / "app" / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "data").mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(folder / "app"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "RECALIBRATE_HOST": "127.0.0.1",
        "RECALIBRATE_PORT": "0",
        "RECALIBRATE_WORK_DIR": str(folder / "data"),
        "RECALIBRATE_APP_ID": "12345",
        "RECALIBRATE_WEBHOOK_SECRET": "planted",
        "http_proxy": "http://127.0.0.1:9",  # engines put their own proxy into containers
    }
    assert set(re.findall(r"(\w+)=", of("ENV")[0])) <= set(environment)
    words = json.loads(of("ENTRYPOINT")[0])[1:] + json.loads(of("CMD")[0])
    words = [sys.executable, *words, "--role", "web"]
    with subprocess.Popen(words, cwd=folder / "data", env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, environment
        finally:
            process.kill()


def test_what_is_copied_serves_and_the_health_check_tells_by_any_proxy_of_the_environment(tmp_path: Path) -> None:
    (check,) = of("HEALTHCHECK")
    asks = json.loads(check.partition(" CMD ")[2])[1:]

    def healthy(environment: dict[str, str]) -> bool:
        done = subprocess.run([sys.executable, *asks], env=environment, capture_output=True, check=False, timeout=60)
        return done.returncode == 0

    with started(tmp_path) as (process, environment):
        assert process.stdout
        port = re.search(r":(\d+)/webhook", process.stdout.readline())
        assert port
        here = {**environment, "RECALIBRATE_PORT": port[1]}
        assert healthy(here)
        process.terminate()
        assert process.wait(timeout=60) == 0
        assert not healthy(here)
