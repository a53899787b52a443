"""Editing and reading against the same work as people write it by hand: how fast, and how often wrong.

Files of about 300 lines with one call each are edited; the peers rewrite, ours also proves every edit. A large log
is read by ours and by a loop over lines. Rounds in which all take turns, the median of each, in processor
time. Errors are counted on small tables: `hostile` for registrations, the dialects' own examples for logs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bot.domain import Status
from bot.evidence.dialects import DIALECTS
from bot.evidence.dialects.port import Dialect, Example
from bot.evidence.read import read_log
from tests.bench import hostile, peers
from tests.bench.clock import turns
from tests.bench.log_parse import big_log
from tests.bench.registry import source
from tests.unit.evidence.tiny_logs import judged

FILES, ROUNDS = 20, 3
LOG_MB = 16
REWRITERS: Mapping[str, hostile.Rewriter] = {
    "recalibrate": hostile.ours,
    "regular expression": peers.by_pattern,
    "ast, line and column": peers.by_position,
}


@dataclass(frozen=True, slots=True)
class Contender:
    """One way of doing it: time for one unit of work, and what it gets wrong of how many cases."""

    name: str
    took: float
    wrong: tuple[str, ...]
    cases: int


def editing(rounds: int = ROUNDS) -> list[Contender]:
    """Milliseconds for one file."""
    call = f'register_{hostile.BACKEND}_ci(est_time=60, suite="{hostile.SUITE}", labels=["alpha"])'
    raws = [source(number, (call,)) for number in range(FILES)]
    times = _medians(rounds, [lambda one=one: _edit_all(one, raws) for one in REWRITERS.values()])
    return [
        Contender(name, seconds * 1000 / FILES, tuple(hostile.wrong(rewriter)), len(hostile.ROWS))
        for (name, rewriter), seconds in zip(REWRITERS.items(), times, strict=True)
    ]


def reading(data: Path | None, rounds: int = ROUNDS) -> list[Contender]:
    """Milliseconds for one MB of log, 0 where there is no log to read."""
    times = [0.0, 0.0]
    if data is not None:
        with tempfile.TemporaryDirectory(prefix="recalibrate-peers-") as name:
            log = big_log(data, Path(name) / "log", LOG_MB)
            times = _medians(rounds, [lambda: read_log(log), lambda: peers.by_lines(log)])
    cases = [(dialect, example) for dialect in DIALECTS.values() for example in dialect.EXAMPLES]
    found = (("recalibrate", _ours), ("loop over lines", _looped))
    return [
        Contender(name, seconds * 1000 / LOG_MB, _misread(read, cases), len(cases))
        for (name, read), seconds in zip(found, times, strict=True)
    ]


def _edit_all(rewriter: hostile.Rewriter, raws: Sequence[bytes]) -> None:
    for raw in raws:
        if rewriter(raw, hostile.BACKEND, hostile.SUITE, hostile.VALUE) == raw:
            raise AssertionError(rewriter)  # so that speed is not bought with doing nothing


def _medians(rounds: int, works: Sequence[Callable[[], object]]) -> list[float]:
    return [median(times) for times in turns(rounds, works)]


_Read = Callable[[Dialect, Example], Mapping[str, int | None]]


def _misread(read: _Read, cases: Sequence[tuple[Dialect, Example]]) -> tuple[str, ...]:
    """The examples whose passes, by file and seconds, come out otherwise."""
    wrong = []
    for dialect, example in cases:
        right = {path: elapsed for path, status, elapsed in example.rows if status is Status.PASSED}
        if read(dialect, example) != right:
            wrong.append(f"{dialect.NAME}: {example.name}")
    return tuple(wrong)


def _ours(dialect: Dialect, example: Example) -> Mapping[str, int | None]:
    rows = judged(example.log, example.conclusion, dialect=dialect).rows
    return {row.path: row.elapsed_s for row in rows if row.status is Status.PASSED}


def _looped(_dialect: Dialect, example: Example) -> Mapping[str, int | None]:
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "job.log"
        log.write_bytes(example.log)
        return dict(peers.by_lines(log))
