"""The parts of a chaos run: the kill points on each database, and the walk in two halves. Each is one process."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from zlib import crc32

from bot.sandbox.generator import Generate, Generated, generate
from tests.chaos.killing import Killer, kill_all
from tests.chaos.ledger import Ledger
from tests.chaos.process import killed_rig
from tests.chaos.walk import Walker, walk
from tests.sandbox.service import rig

NIGHTS = 3
KILLS, WALKS = ("sqlite", "postgres"), ("walk0", "walk1")

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """What one process plays. `server`: the URL of a Postgres. `match`: text in the name of a point or cell."""

    name: str
    folder: Path
    server: str
    ledger: Path
    seed: int
    every: int = 1
    match: str = ""


def play(part: Part) -> None:
    """Play everything of a part that its ledger does not know as good."""
    logging.disable(logging.CRITICAL)
    part.folder.mkdir()
    made = generate(part.folder / "made", Generate(seed=part.seed, nights=NIGHTS))
    if part.name in WALKS:
        _walk(part, made)
    else:
        _kill(part, made)


def _kill(part: Part, made: Generated) -> None:
    store, queue = f"sqlite:///{part.folder / 'store.sqlite'}", f"sqlite:///{part.folder / 'queue.sqlite'}"
    if part.name == "postgres":
        store = queue = part.server
    ledger = Ledger(part.ledger)
    with killed_rig(part.folder, store, queue) as running:
        killer = Killer(running, made)
        points = list(killer.points())[:: part.every]
        kill_all(killer, _left(part, ledger, part.name, points), ledger, part.name)


def _walk(part: Part, made: Generated) -> None:
    ledger, half = Ledger(part.ledger), WALKS.index(part.name)
    with rig(part.folder) as running:
        walker = Walker(running, made)
        # by name: two services may make their calls in another order
        cells = sorted(walker.cells(), key=str)[:: part.every]
        mine = [cell for cell in cells if crc32(str(cell).encode()) % len(WALKS) == half]
        walk(walker, _left(part, ledger, "walk", mine), ledger)


def _left(part: Part, ledger: Ledger, kind: str, every: Sequence[T]) -> list[T]:
    """What is not known as good yet."""
    done = ledger.done()
    named = {f"{kind}: {one}": one for one in every}
    wanted = {name: one for name, one in named.items() if part.match in name}
    ledger.plan(part.name, len(wanted))
    return [one for name, one in wanted.items() if name not in done]
