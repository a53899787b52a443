"""`make bench`: everything measured, printed beside its goal and written to `bench.json`.

Where it can be, a figure is a ratio taken in one run on one machine, so that it means the same on another. A
goal that is missed is shown and fails nothing: a busy neighbour is no regression. What reads a large log
needs `RECALIBRATE_DATA` and is left out, with a word about it, where that is unset. Names of parts as
arguments measure those alone; `bench.json` keeps what an earlier run found of the others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from tests.bench import ack, calls, growth, log_parse, registry, rewriting, scale, service
from tests.bench.goals import FIGURES, missed
from tests.bench.record import Record, read, this_machine, write

OUT = Path(__file__).parents[2] / "bench.json"
Part = Callable[[Record], Record]


def _data() -> Path | None:
    named = os.environ.get("RECALIBRATE_DATA")
    return Path(named) if named else None


def _with(record: Record, found: Mapping[str, float]) -> Record:
    return replace(record, figures={**record.figures, **found})


def _logs(record: Record) -> Record:
    data = _data()
    if data is None:
        print("logs: left out, RECALIBRATE_DATA is not set", file=sys.stderr)
        return record
    return _with(record, log_parse.measure(data))


def _calls(record: Record) -> Record:
    found = calls.measure()
    over = {"github_calls_over_jobs": float(calls.over_jobs(found))}
    return _with(replace(record, calls=tuple(found)), over)


PARTS: Mapping[str, Part] = {
    "logs": _logs,
    "registry": lambda record: _with(record, registry.measure()),
    "peers": lambda record: replace(
        record, editing=tuple(rewriting.editing()), reading=tuple(rewriting.reading(_data()))
    ),
    "nightly": lambda record: _with(record, service.measure()),
    "answers": lambda record: _with(record, ack.measure()),
    "calls": _calls,
    "growth": lambda record: replace(record, growth=tuple(growth.measure(_data()))),
    "large": lambda record: replace(record, large=scale.large(scale.FILES, scale.NIGHTS)),
}


def table(figures: Mapping[str, float]) -> str:
    """One line a figure: name, value, goal, and whether it is missed."""
    lines = [f"{'':<28}{'measured':>10}{'at most':>10}"]
    for name in [one for one in FIGURES if one in figures]:
        most = FIGURES[name].most
        said = "" if most is None else f"{most:>10g}{'  missed' if missed(name, figures[name]) else ''}"
        lines.append(f"{name:<28}{figures[name]:>10g}{said}")
    return "\n".join(lines)


def _earlier() -> Record:
    """What an earlier run has written; an empty record where there is none, or one of an older bench."""
    if OUT.exists():
        try:
            return read(OUT)
        except ValidationError:
            print(f"{OUT.name}: of another version of the bench; begun anew", file=sys.stderr)
    return Record(this_machine())


def main(names: Sequence[str]) -> int:
    """Measure, print, write; after each part, so that an end by hand loses one part alone."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"no part {', '.join(unknown)}: there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    record = replace(_earlier() if names else Record(this_machine()), machine=this_machine())
    for name in names or PARTS:
        print(f"{name} …", flush=True)
        record = PARTS[name](record)
        write(record, OUT)
    print(table(record.figures))
    for one in record.growth:
        print(f"time over {one.name}: exponent {one.exponent:g}, at most {one.goal:g}")
    print(f"written to {OUT.name}; `make performance-page` makes the page of it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
