"""`make chaos`: every kill point on both databases, and every call with every fault. Takes the better part of an hour.

`python -m tests.chaos [--every N] [--only kill|walk]`; N plays every N-th point and cell only.
Exit status 1 where anything was lost or came twice.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.sandbox.generator import Generate, Generated, generate
from tests.chaos.killing import Killer, Tally, kill_all
from tests.chaos.process import killed_rig
from tests.chaos.walk import Walker, walk
from tests.postgres_server import postgres
from tests.sandbox.service import rig

NIGHTS = 3


def say(line: str) -> None:
    """One line, at once."""
    print(line[:1000], flush=True)


@contextmanager
def databases(folder: Path) -> Iterator[dict[str, tuple[str, str]]]:
    """By kind: the store's URL and the queue's."""
    with postgres() as server:
        yield {
            "sqlite": (f"sqlite:///{folder / 'store.sqlite'}", f"sqlite:///{folder / 'queue.sqlite'}"),
            "postgres": (server, server),
        }


def killed(folder: Path, made: Generated, every: int) -> Tally:
    """Play the kill points on both databases."""
    whole = Tally()
    with databases(folder) as known:
        for kind, (store, queue) in known.items():
            started = time.monotonic()
            (folder / kind).mkdir()
            with killed_rig(folder / kind, store, queue) as running:
                killer = Killer(running, made)
                tally = kill_all(killer, list(killer.points())[::every], say)
            say(f"{kind}: {tally.points} kill points in {time.monotonic() - started:.0f} s")
            whole.points += tally.points
            whole.lost += tally.lost
            whole.duplicated += tally.duplicated
    return whole


def walked(folder: Path, made: Generated, every: int) -> tuple[int, list[str]]:
    """Walk the calls; how many cells, and the findings."""
    started = time.monotonic()
    with rig(folder) as running:
        walker = Walker(running, made)
        ends, findings = walk(walker, list(walker.cells())[::every], say)
    for how, times in ends.most_common():
        say(f"{times:>6} {how}")
    say(f"{sum(ends.values())} cells of call and fault in {time.monotonic() - started:.0f} s")
    return sum(ends.values()), findings


def main() -> int:
    """Run it."""
    cli = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    cli.add_argument("--every", type=int, default=1)
    cli.add_argument("--only", choices=("kill", "walk"))
    given = cli.parse_args()
    logging.disable(logging.CRITICAL)
    tally, cells, findings = Tally(), 0, []
    with tempfile.TemporaryDirectory(prefix="recalibrate-chaos-") as name:
        folder = Path(name)
        made = generate(folder / "made", Generate(nights=NIGHTS))
        if given.only != "kill":
            (folder / "walk").mkdir()
            cells, findings = walked(folder / "walk", made, given.every)
        if given.only != "walk":
            tally = killed(folder, made, given.every)
    lost, duplicated = len(tally.lost) + len(findings), len(tally.duplicated)
    say(f"kill points: {tally.points}, faults: {cells}, lost: {lost}, duplicated: {duplicated}")
    return 1 if lost or duplicated else 0


if __name__ == "__main__":
    sys.exit(main())
