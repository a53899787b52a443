"""What GitHub is asked for: requests of a first, a second and an unchanged nightly, and of each comment command.

Counted in the local GitHub's journal, on a nightly of 60 jobs and 40 edits. Each log costs one request that
answers with a link, and is then fetched from a host of its own, which is no request to the API. Fresh access
tokens, three an hour, are in the first nightly's count.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from bot.commands import COMMANDS
from bot.sandbox.generator import Generate, generate
from bot.sandbox.logs import ROUTE as LOGS_ORIGIN
from bot.sandbox.state.actions import RunAttempt
from tests.sandbox.service import Case, rig
from tests.sandbox.talking import Talking

SIZE = Generate(jobs=60, edits=40)
TEST, OTHER = "tests/e2e/train/test_resume_from_checkpoint.py", "tests/e2e/train/test_pipeline_schedule.py"


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that was asked of the service, how it ended, and the requests that it cost."""

    what: str
    outcome: str
    calls: int


def measure() -> list[Asked]:
    """Nightlies and commands in an order in which each has something to do."""
    with tempfile.TemporaryDirectory(prefix="recalibrate-calls-") as name, rig(Path(name) / "rig") as running:
        made = generate(Path(name) / "made", SIZE)
        case, runs = running.started(made, "calls")
        return [*_nightlies(case, runs), *_commands(case, runs)]


def over_jobs(found: list[Asked]) -> int:
    """The first nightly's requests beyond one a job."""
    return found[0].calls - SIZE.jobs


def _nightlies(case: Case, runs: list[int]) -> list[Asked]:
    found = [
        _counted(case, "first nightly", lambda: case.nightly(runs[0]).outcome),
        _counted(case, "second nightly", lambda: case.nightly(runs[1]).outcome),
    ]
    case.nightly(_same_again(case, runs))
    return [*found, _counted(case, "unchanged nightly", lambda: case.nightly(_same_again(case, runs)).outcome)]


def _same_again(case: Case, runs: list[int]) -> int:
    """One more night that measured what the second did, as a run of its own; its id."""
    last = case.repo.runs[runs[1]][1]
    number = max(case.repo.runs) + 1
    day = datetime.fromisoformat(last.run["created_at"]) + timedelta(days=number - runs[1])
    later = {**last.run, "id": number, "created_at": day.strftime("%Y-%m-%dT%H:%M:%SZ")}
    case.repo.runs[number] = {1: RunAttempt(later, [{**job, "run_id": number} for job in last.jobs])}
    return number


def _commands(case: Case, runs: list[int]) -> list[Asked]:
    """Each command of the table, said on the pull request by somebody who may."""
    talk, number = Talking(case), case.pull.number
    words = {
        "evaluate": "",
        "run": f"run {runs[1]}",
        "explain": f"explain {TEST}",
        "matrix": f"matrix {TEST} {OTHER}",
    }
    return [
        _counted(
            case,
            f"/recalibrate {words.get(name, name)}".split(" tests/")[0].strip(),
            lambda name=name: talk.say(number, f"/recalibrate {words.get(name, name)}".strip()).ended.outcome,
        )
        for name in COMMANDS
    ]


def _counted(case: Case, what: str, do: Callable[[], str]) -> Asked:
    mark = len(case.rig.world.journal)
    outcome = do()
    calls = case.calls(mark)
    calls.pop(f"GET {LOGS_ORIGIN}", None)
    return Asked(what, outcome, calls.total())


def main() -> int:
    """Measure once and print."""
    found = measure()
    for one in found:
        print(f"{one.calls:6} {one.what:<24} {one.outcome}")
    print(json.dumps({"github_calls_over_jobs": over_jobs(found)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
