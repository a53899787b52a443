"""Writes a job's log in the suite runner's format, on a clock of its own.

The format is that of the runner in radixark/miles (tests/ci/run_suite.py and ci_utils.py) as
GitHub's job logs show it: a BOM, seven-digit timestamps, the plan twice, Begin and End records
counted from zero, attempt lines counted from one, one final summary. Which file ends how is the
story's business; the REST shapes are `bot.sandbox.generator.api`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.sandbox.generator.dice import Dice
from bot.sandbox.generator.job import JobPlan
from bot.sandbox.generator.records import FileRecords
from bot.sandbox.generator.story import FULL_NAME, LABELS
from bot.sandbox.generator.writer import RULE, LogWriter


@dataclass(frozen=True, slots=True)
class WrittenLog:
    """A log's bytes and when its job's steps began; the last time is the job's end."""

    raw: bytes
    times: tuple[datetime, ...]


def suite_log(plan: JobPlan) -> WrittenLog:
    """The complete log of a suite job."""
    dice = Dice(plan.seed)
    out = LogWriter(plan.started_at, dice)
    times = [out.now]
    _setup(out, plan, dice)
    times.append(out.now)
    _step(out, f"{_command(plan)} --list-only")
    _print_plan(out, plan)
    times.append(out.now)
    _step(out, _command(plan))
    _print_plan(out, plan)
    if plan.suite.backend == "cpu":
        _one_session(out, plan)
    else:
        FileRecords(out, plan, dice).run()
    times.append(out.now)
    _finish(out, () if plan.succeeds else ("##[error]Process completed with exit code 255.",))
    times.append(out.now)
    return WrittenLog(out.encode(), tuple(times))


def plain_log(name: str, started_at: datetime, seed: str) -> WrittenLog:
    """The log of a job that runs no suite."""
    out = LogWriter(started_at, Dice(seed))
    times = [out.now]
    out.say("Current runner version: '2.330.0'", "Runner name: 'GitHub Actions 31'", f"Complete job name: {name}")
    out.wait(1.2)
    out.say("##[group]Run echo cadence=nightly", "shell: /usr/bin/bash -e {0}", "##[endgroup]", "cadence=nightly")
    times.append(out.now)
    _finish(out, ())
    times.append(out.now)
    return WrittenLog(out.encode(), tuple(times))


def _command(plan: JobPlan) -> str:
    parts = [f"python tests/ci/run_suite.py --hw {plan.suite.backend} --suite {plan.suite.name}"]
    if plan.suite.partitions > 1:
        parts.append(f"--auto-partition-id {plan.partition_id} --auto-partition-size {plan.suite.partitions}")
    parts.append("--cadence nightly")
    if plan.suite.retry:
        parts.append("--enable-retry --max-attempts 2")
    return " ".join(parts)


def _setup(out: LogWriter, plan: JobPlan, dice: Dice) -> None:
    sha = plan.head_sha
    out.say("Current runner version: '2.330.0'", f"Runner name: '{plan.runner_name}'", "Runner group name: 'Default'")
    out.say("##[group]GITHUB_TOKEN Permissions", "Contents: read", "Metadata: read", "##[endgroup]")
    out.say("Secret source: Actions", "Prepare workflow directory", f"Complete job name: {plan.name}")
    out.wait(2.4)
    out.say(
        "##[group]Run actions/checkout@v5", "with:", f"  repository: {FULL_NAME}", "  fetch-depth: 1", "##[endgroup]"
    )
    out.say(f"Syncing repository: {FULL_NAME}", "##[group]Fetching the repository")
    fetch = "[command]/usr/bin/git -c protocol.version=2 fetch --no-tags --prune --no-recurse-submodules --depth=1"
    out.say(f"{fetch} origin +{sha}:refs/remotes/origin/main")
    out.wait(3.1)
    out.say(f"From https://github.com/{FULL_NAME}", f" * [new ref]         {sha} -> origin/main", "##[endgroup]")
    out.say("[command]/usr/bin/git log -1 --format=%H", sha)
    out.say("##[group]Run scripts/sync_dependencies.sh", "shell: bash -e {0}", "##[endgroup]")
    out.wait(4.5)
    out.say("From https://github.com/heron-lab/feathers", " * branch            main -> FETCH_HEAD")
    out.say(f"HEAD is now at {dice.digits16(9)} feathers: faster gather")


def _step(out: LogWriter, command: str) -> None:
    out.wait(0.4)
    out.say(f"##[group]Run {command}", f"\x1b[36;1m{command}\x1b[0m", "shell: bash --noprofile --norc -e {0}")
    out.say("env:", "  HERON_TOKEN: ***", "##[endgroup]")
    out.wait(1.1)


def _print_plan(out: LogWriter, plan: JobPlan) -> None:
    suite = plan.suite
    where = f"{plan.partition_id + 1}/{suite.partitions} (0-based id={plan.partition_id})"
    out.say(f"Policy: cadence='nightly' bypass_fastfail=True include_labels={sorted(LABELS)}", "", RULE)
    out.say(
        f"Hardware: {suite.backend.upper()}  Suite: {suite.name}  Cadence: nightly  Continue on error: True  "
        f"Partition: {where if suite.partitions > 1 else 'full'}",
        RULE,
    )
    if plan.disabled:
        out.say(f"Skipped {len(plan.disabled)} test(s):")
        out.say(*(f"  - {path} (reason: {reason})" for path, reason in plan.disabled), "")
    out.say(f"Enabled {len(plan.tests)} test(s) (est total {sum(test.est for test, _ in plan.tests)}s):")
    out.say(*(f"  - {test.path} (est_time={float(test.est)}s)" for test, _ in plan.tests), "")


def _one_session(out: LogWriter, plan: JobPlan) -> None:
    """A CPU suite: all files in one pytest session, without records of their own."""
    paths = [test.path for test, _ in plan.tests]
    out.say(f"Running: pytest {' '.join(paths)} -v", f"{' test session starts ':=^78}", "collected 2 items", "")
    for number, path in enumerate(paths):
        out.wait(1.5)
        out.say(f"{path}::test_case \x1b[32mPASSED\x1b[0m [{100 * (number + 1) // len(paths):3d}%]")
    out.say("", f"\x1b[32m{f' {len(paths)} passed in 4.02s ':=^78}\x1b[0m")


def _finish(out: LogWriter, failure: tuple[str, ...]) -> None:
    out.say(*failure)
    out.wait(0.5)
    out.say("Post job cleanup.", "[command]/usr/bin/git version", "git version 2.43.0")
    out.wait(0.4)
    out.say("Cleaning up orphan processes")
