"""The repositories and nights that the road is tried on, built once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from bot.repo_config.estimation import GuardName
from bot.sandbox.generator import Generated, generate
from tests.stages.road import Outcome, local


@dataclass(frozen=True)
class LookAlike:
    """A repository with the registrations of a measured one, commit by commit, and the runs that measured it."""

    repository: Path
    runs: Path
    facts: Path  # registrations-<sha7>.json, expected-merged.json

    def attempts(self, *names: str) -> tuple[Path, ...]:
        """Artifact directories of runs by their letter, or of one attempt as `E.2`."""
        found = []
        for name in names:
            key, _, attempt = name.partition(".")
            found += sorted((self.runs / key).glob(f"attempt-{attempt or '*'}"))
        return tuple(found)


@pytest.fixture(scope="session")
def look(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> LookAlike:
    """Built by the shared data's own script. Read only: a test that writes clones it."""
    dest = tmp_path_factory.mktemp("look-alike")
    nightlies = shared_data / "nightlies"
    subprocess.run([sys.executable, str(nightlies / "lookalike.py"), str(dest)], check=True, capture_output=True)
    return LookAlike(dest / "repo", dest / "runs", nightlies)


Road = Callable[..., Outcome]

# `default` without materiality and what comes with it, and the same with every guard rail.
FIRST_RULES = "version: 1\nestimate: {material: off}\n"
EVERY_GUARD = f"version: 1\nestimate: {{material: off, guards: [{', '.join(get_args(GuardName))}]}}\n"
SETTINGS = {"first-rules": FIRST_RULES, "every-change": EVERY_GUARD}


@pytest.fixture(scope="session")
def road(look: LookAlike, tmp_path_factory: pytest.TempPathFactory) -> Road:
    """`road(base, policy, *runs)`: the look-alike calibrated, each question once; or `default` under `SETTINGS`."""
    known: dict[tuple[str, ...], Outcome] = {}

    def ask(base: str, policy: str, *runs: str) -> Outcome:
        question = (base, policy, *runs)
        if question not in known:
            out = tmp_path_factory.mktemp("out")
            more = ["--policy", policy]
            if policy in SETTINGS:
                more = ["--config", str(out / "settings.yml")]
                (out / "settings.yml").write_text(SETTINGS[policy], encoding="utf-8")
            known[question] = local(look.repository, f"facts-{base}", look.attempts(*runs), out, *more)
        assert known[question].status == 0, known[question].stderr
        return known[question]

    return ask


@pytest.fixture
def made(tmp_path: Path) -> Generated:
    """A small repository and two nights of our own, the test's to change."""
    return generate(tmp_path / "made")


@pytest.fixture
def nights(made: Generated) -> tuple[Path, ...]:
    """Their artifact directories."""
    return tuple(run.directory / "attempt-1" for run in made.runs)
