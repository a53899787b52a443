"""Writes a small repository and nights of logs to try the program on.

DEST/repo is a git repository, DEST/runs/<KEY> one run directory a night, DEST/planned.json what
each scheduled file was made to do, DEST/scenario.json the same world for the local GitHub
(`bot.sandbox.scenario`). Same parameters, same bytes and same SHAs. What is written is
invented; no network, no clock.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.domain import CommitSha, RunId
from bot.errors import UserError
from bot.sandbox.generator.api import RestAnswers
from bot.sandbox.generator.artifact import write_run
from bot.sandbox.generator.fleet import with_fleet
from bot.sandbox.generator.night import Night, PlannedRow, night_jobs, night_plans, night_run, planned_rows
from bot.sandbox.generator.repository import write_repository
from bot.sandbox.generator.spec import Story
from bot.sandbox.generator.story import DEFAULT_BRANCH, FULL_NAME, MAINTAINER, STORY

STORY_JOBS = 2 + sum(suite.partitions for suite in STORY.suites)
STORY_EDITS = sum(test.after is not None for test in STORY.tests)


@dataclass(frozen=True, slots=True)
class Generate:
    """How large, and which bytes.

    `jobs` counts all jobs of one nightly; what is over the story's own are partitions of one
    further suite with `files_per_job` files each. `edits` counts the literals that the default
    policy changes over the first two nights; what is over the story's own lies in that suite.

    Raises:
        UserError: a number is too small, or the further suite has too few files for `edits`.
    """

    seed: int = 1
    nights: int = 2
    jobs: int = STORY_JOBS
    files_per_job: int = 2
    edits: int = STORY_EDITS

    def __post_init__(self) -> None:
        if self.seed < 0 or self.nights < 1 or self.files_per_job < 1:
            raise UserError("seed must be 0 or more, nights and files per job 1 or more")
        if self.jobs < STORY_JOBS or self.edits < STORY_EDITS:
            raise UserError(f"the smallest nightly has {STORY_JOBS} jobs and {STORY_EDITS} edits")
        if self.edits - STORY_EDITS > (self.jobs - STORY_JOBS) * self.files_per_job:
            raise UserError("too few files for that many edits: ask for more jobs or more files per job")

    def story(self) -> Story:
        """The story at this size."""
        partitions = self.jobs - STORY_JOBS
        return with_fleet(STORY, partitions, partitions * self.files_per_job, self.edits - STORY_EDITS)


SMALLEST = Generate()


@dataclass(frozen=True, slots=True)
class GeneratedRun:
    """One night as it was written."""

    directory: Path
    run_id: RunId
    head_sha: CommitSha
    rows: tuple[PlannedRow, ...]


@dataclass(frozen=True, slots=True)
class Generated:
    """Everything that was written. `edits` maps path to (before, after) under the default policy."""

    repository: Path
    base: CommitSha
    runs: tuple[GeneratedRun, ...]
    edits: dict[str, tuple[int, int]]


def generate(dest: Path, size: Generate = SMALLEST) -> Generated:
    """Write the repository, the nights and their descriptions; DEST is created, its parts must not exist.

    Raises:
        UserError: something is in the way at DEST, or git is missing.
    """
    repository = dest / "repo"
    for part in (repository, dest / "runs"):
        if part.exists():
            raise UserError(f"{part} exists: give an empty directory")
    story = size.story()
    commits = write_repository(repository, story, size.nights)
    nights = [Night(story, number, size.seed, head) for number, head in enumerate(commits.nights)]
    rest = RestAnswers(repository)
    runs = tuple(_write_night(dest / "runs" / f"night-{night.number + 1}", night, rest) for night in nights)
    edits = {test.path: (test.est, test.after) for test in story.tests if test.after is not None}
    made = Generated(repository, commits.base, runs, edits)
    for name, value in (("planned.json", _plain(made)), ("scenario.json", _scenario(made))):
        (dest / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    return made


def _write_night(directory: Path, night: Night, rest: RestAnswers) -> GeneratedRun:
    plans = night_plans(night)
    jobs = night_jobs(night, plans)
    write_run(directory, rest, night_run(night, jobs), jobs)
    return GeneratedRun(directory, night.run_id, night.head_sha, tuple(planned_rows(night, plans)))


def _plain(made: Generated) -> dict[str, object]:
    runs = [
        {
            "directory": run.directory.name,
            "run_id": run.run_id,
            "head_sha": run.head_sha,
            "rows": [asdict(row) for row in run.rows],
        }
        for run in made.runs
    ]
    return {"base": made.base, "edits": made.edits, "runs": runs}


def _scenario(made: Generated) -> dict[str, object]:
    repository = {
        "name": FULL_NAME,
        "source": made.repository.name,
        "runs": [f"runs/{run.directory.name}" for run in made.runs],
        "default_branch": DEFAULT_BRANCH,
        "roles": {MAINTAINER: "maintain"},
    }
    return {"repositories": [repository], "deliver": [{"run": run.run_id, "attempt": 1} for run in made.runs]}


def main(arguments: Sequence[str]) -> int:
    """The entry for use by hand. Gives the exit status."""
    cli = argparse.ArgumentParser(prog="python -m bot.sandbox.generator", description=__doc__)
    cli.add_argument("dest", type=Path)
    for name, default in asdict(SMALLEST).items():
        cli.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    given = vars(cli.parse_args(arguments))
    dest = given.pop("dest")
    try:
        made = generate(dest, Generate(**given))
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{made.repository} at {made.base}\n")
    for run in made.runs:
        sys.stdout.write(f"{run.directory}: run {run.run_id}, {len(run.rows)} files\n")
    return 0
