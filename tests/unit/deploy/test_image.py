"""What can be held of the image without a container engine: it copies what exists and starts a real command."""

from __future__ import annotations

import re
import shlex
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
    (install,) = [rest for rest in of("RUN") if "pip install" in rest]
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
