"""What tests print while they run: training progress, bars, servers, and lines that look like the runner's.

All of it is invented. No line here is a record of the suite runner; some are meant to be taken
for one by a careless reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.sandbox.generator.dice import Dice


@dataclass(frozen=True, slots=True)
class Said:
    """One line and how far into the test's time it falls, from 0 to 1."""

    at: float
    text: str


def chatter(path: str, lines: int, dice: Dice) -> tuple[Said, ...]:
    """About `lines` lines in order of time; every file gets look-alikes once in its middle."""
    texts = list(_texts(path, lines, dice))
    texts[len(texts) // 2 : len(texts) // 2] = _look_alikes(path, dice)
    return tuple(Said((number + 1) / (len(texts) + 1), text) for number, text in enumerate(texts))


def _texts(path: str, lines: int, dice: Dice) -> Iterator[str]:
    yield "weights and data are in place, nothing to fetch"
    yield f"\x1b[36m(Trainer pid={dice.below(9000) + 1000})\x1b[0m 4 ranks joined, {dice.below(40) + 60} GiB free each"
    step, said = 0, 2
    while said < lines:
        block = _block(path, step, dice)
        yield from block
        said += len(block)
        step += 1


def _block(path: str, step: int, dice: Dice) -> list[str]:
    kind = step % 4
    if kind == 0:
        loss, norm = dice.between(0.2, 2.4), dice.between(0.1, 2.0)
        return [f"\x1b[36m(Trainer pid=4711)\x1b[0m step {step}: {{'loss': {loss:.6f}, 'grad_norm': {norm:.5f}}}"]
    if kind == 1:
        total = (dice.below(6) + 2) * 32
        return ["", *(_bar("samples", total * part // 3, total) for part in range(4))]
    if kind == 2:
        running, waiting = dice.below(64), dice.below(40)
        return [f"[server] decode batch: running={running} waiting={waiting} tokens/s={dice.between(900, 9000):.1f}"]
    return [f"\x1b[33mWARNING\x1b[0m {path.rpartition('/')[2]}: object store is short of memory, spilling"]


def _bar(what: str, done: int, total: int) -> str:
    filled = 10 * done // total
    return (
        f"{what}: {100 * done // total:3d}%|{'█' * filled}{' ' * (10 - filled)}| {done}/{total} [00:0{filled % 10}<?]"
    )


def _look_alikes(path: str, dice: Dice) -> list[str]:
    seconds = dice.below(80) + 10
    return [
        f"[2/4] warm-up variant  PASS  elapsed={seconds}s",
        f"End (eval 1/1): elapsed={seconds}.4",
        f"{{'phase': 'evaluate', 'elapsed': {seconds}.25, 'estimated': 90}}",
        f"{path}::case_{dice.below(9)} \x1b[32mPASSED\x1b[0m [ 50%]",
        "Test Summary: 4/4 variants passed",
        "PASSED:",
        "  variant-a",
        "  variant-b",
    ]
