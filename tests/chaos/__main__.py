"""`make chaos`: every kill point on both databases, and every call with every fault. Takes about half an hour.

`python -m tests.chaos [--every N] [--only kill|walk|PART] [--match TEXT] [--seed N] [--resume FILE] [--at-once N]`
N plays every N-th point and cell only, TEXT those whose name holds it. FILE keeps the verdicts: a
run that was stopped goes on there, and what was not good is played again. Of the four parts two are
played at a time, or as many as `--at-once` says. Exit status 1 where anything was lost or came twice.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from tests.chaos.ledger import PART, Ledger, Standing, Verdict
from tests.chaos.parts import KILLS, WALKS, Part, play
from tests.postgres_server import postgres

AT_ONCE = 2  # by default
TELL_S = 60.0


def say(line: str) -> None:
    """One line, at once."""
    print(line[:1000], flush=True)


def run(parts: list[Part], ledger: Ledger, at_once: int) -> None:
    """Play the parts, so many at a time, and say each minute how far they are."""
    known, started = len(ledger.read().verdicts), time.monotonic()
    told: set[str] = set()
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        by: dict[Future[None], Part] = {pool.submit(play, part): part for part in parts}
        running = set(by)
        while running:
            done, running = wait(running, TELL_S, FIRST_COMPLETED)
            for one in done:
                error = one.exception()  # the other parts go on
                ledger.note(f"part {by[one].name}", Verdict([repr(error)] if error else [], how=PART))
            standing = ledger.read()
            for what in [one for one in (*standing.lost, *standing.duplicated) if one not in told]:
                told.add(what)
                say(what)
            say(progress(standing, known, time.monotonic() - started))


def progress(standing: Standing, known: int, took_s: float) -> str:
    """How far it is, and when it may end. `known`: how many verdicts there were at the start."""
    done, total = len(standing.verdicts), sum(standing.planned.values())
    left = took_s / (done - known) * (total - done) if done > known else 0.0
    end = f"{time.strftime('%H:%M', time.localtime(time.time() + left))}" if left else "?"
    return f"{done} of {total} planned so far, {took_s:.0f} s, done about {end}"


def conclude(standing: Standing, seed: int) -> int:
    """Say what came of it; the exit status."""
    for how, times in Counter(one.how for one in standing.verdicts.values() if one.how).most_common():
        say(f"{times:>6} {how}")
    for what in (*standing.lost, *standing.duplicated):
        say(f"{what}\n  again: python -m tests.chaos --seed {seed} --match '{_name(standing, what)}'")
    lost, duplicated = len(standing.lost), len(standing.duplicated)
    say(f"kill points: {standing.points}, faults: {standing.cells}, lost: {lost}, duplicated: {duplicated}")
    return 1 if lost or duplicated else 0


def _name(standing: Standing, what: str) -> str:
    return next(name for name in standing.verdicts if what.startswith(f"{name}: "))


def main() -> int:
    """Run it."""
    cli = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    cli.add_argument("--every", type=int, default=1)
    cli.add_argument("--only", choices=("kill", "walk", *KILLS, *WALKS), default="")
    cli.add_argument("--match", default="")
    cli.add_argument("--seed", type=int, default=1)
    cli.add_argument("--resume", type=Path)
    cli.add_argument("--at-once", type=int, default=AT_ONCE)
    given = cli.parse_args()
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="recalibrate-chaos-") as name, postgres() as server:
        folder = Path(name)
        path = given.resume or folder / "ledger.jsonl"
        names = {"kill": KILLS, "walk": WALKS, "": (*KILLS, *WALKS)}.get(given.only, (given.only,))
        parts = [Part(one, folder / one, server, path, given.seed, given.every, given.match) for one in names]
        run(parts, Ledger(path), given.at_once)
        return conclude(Ledger(path).read(), given.seed)


if __name__ == "__main__":
    sys.exit(main())
