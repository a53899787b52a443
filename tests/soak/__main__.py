"""`make soak`: 2,000 deliveries at the service while it works a nightly of 60 jobs, on SQLite and on Postgres.

Each delivery must get its answer, be noted once, and where it asks for a task have that task ended
once; the nightly must become its one pull request. Exit status 1 where anything was lost or came
twice; a goal that is missed is shown and fails nothing.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.sandbox.generator import Generate, Generated, generate
from tests.chaos.process import KilledRig, killed_rig
from tests.chaos.worlds import repeated
from tests.postgres_server import postgres
from tests.soak.deliveries import Sent, Writer
from tests.soak.sending import Reply, send

MANY = 2000
JOBS, EDITS = 60, 40
REPOSITORIES = 8
SERVE = ("-m", "bot", "serve")
PATIENCE_S = 600.0


@dataclass
class Soaked:
    """What came of one burst."""

    p99_ms: float
    peak_mb: float
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)


def soak(folder: Path, made: Generated, urls: tuple[str, str]) -> Soaked:
    """Send one burst at a service on these databases."""
    with killed_rig(folder, *urls, SERVE) as rig:
        cases = [rig.started(made, f"soak{n}") for n in range(REPOSITORIES)]
        busy, runs = cases[0]
        writer = Writer(rig.world, rig.app, [case.repo for case, _ in cases], runs[0])
        burst = writer.burst(MANY)
        night = threading.Thread(target=busy.deliver, args=(runs[0],))
        night.start()
        replies = send(rig.app.webhook_url, burst)
        night.join()
        tasks = [busy.key(runs[0]), *dict.fromkeys(one.task for one in burst if one.task)]
        unfinished = _wait(rig, tasks)
        found = Soaked(_p99(replies) * 1000, _peak_mb(rig))
        found.lost += [f"task {key} has no end" for key in unfinished] + _unanswered(rig, burst, replies)
        found.duplicated += repeated(busy.repo) + _asked_twice(rig)
        if len(busy.pulls) != 1:
            found.lost.append(f"{len(busy.pulls)} pull requests of the nightly")
    return found


def _wait(rig: KilledRig, tasks: Sequence[str]) -> list[str]:
    until, waiting = time.monotonic() + PATIENCE_S, list(tasks)
    while waiting and time.monotonic() < until:
        waiting = [key for key in waiting if rig.store.outcomes.find(key) is None]
        time.sleep(0.2)
    return waiting


def _unanswered(rig: KilledRig, burst: Sequence[Sent], replies: Sequence[Reply]) -> list[str]:
    """Answers that are not what the request deserves, and good deliveries that were not noted."""
    wrong = [
        f"{one.guid}: {status} and not {one.status}"
        for one, (status, _) in zip(burst, replies, strict=True)
        if status not in (one.status, one.limited or one.status)
    ]
    good = dict.fromkeys(one.guid for one in burst if one.status == 202)
    return wrong + [f"{guid} was not noted" for guid in good if rig.store.deliveries.find(guid) is None]


def _asked_twice(rig: KilledRig) -> list[str]:
    """Runs that were asked for more than once: each task asks GitHub once."""
    asked = Counter(it.path for it in rig.world.journal if it.route.endswith("/attempts/{attempt_number}"))
    return [f"{path} was worked {times} times" for path, times in asked.items() if times > 1]


def _p99(replies: Sequence[Reply]) -> float:
    ordered = sorted(seconds for _, seconds in replies)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def _peak_mb(rig: KilledRig) -> float:
    """The largest resident sizes of the service and its workers, together (Linux's VmHWM)."""
    assert rig.child
    parent = rig.child.pid
    tasks = Path(f"/proc/{parent}/task").glob("*/children")
    pids = {parent, *(int(pid) for task in tasks for pid in task.read_text().split())}
    sizes = [line for pid in pids for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmHWM" in line]
    return sum(int(line.split()[1]) for line in sizes) / 1024


def main() -> int:
    """Run both and say what came of it."""
    logging.disable(logging.CRITICAL)
    found: dict[str, Soaked] = {}
    with tempfile.TemporaryDirectory(prefix="recalibrate-soak-") as name, postgres() as server:
        folder = Path(name)
        made = generate(folder / "made", Generate(jobs=JOBS, edits=EDITS))
        files = (f"sqlite:///{folder / 'store.sqlite'}", f"sqlite:///{folder / 'queue.sqlite'}")
        for kind, urls in {"sqlite": files, "postgres": (server, server)}.items():
            (folder / kind).mkdir()
            started = time.monotonic()
            found[kind] = one = soak(folder / kind, made, urls)
            for what in [*one.lost, *one.duplicated][:20]:
                print(what[:500])
            took = time.monotonic() - started
            print(
                f"{kind}: peak memory {one.peak_mb:.0f} MB with its workers, everything done in {took:.0f} s",
                flush=True,
            )
    lost, duplicated = (sum(len(getattr(one, name)) for one in found.values()) for name in ("lost", "duplicated"))
    times = ", ".join(f"{one.p99_ms:.0f} ms ({kind})" for kind, one in found.items())
    print(f"soak: sent {MANY}, lost {lost}, duplicated {duplicated}, p99 {times}")
    return 1 if lost or duplicated else 0


if __name__ == "__main__":
    sys.exit(main())
