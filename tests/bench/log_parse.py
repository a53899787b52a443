"""Reading a large log against `grep`: one log of 67 MB in each dialect, hashed, line-counted and parsed.

`python -m tests.bench.log_parse` prints the figures; `measure` returns them. Needs
`RECALIBRATE_DATA`, whose `make_big_log.py` writes the log. Memory is measured in a process of its
own, above what the import alone takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bot.evidence.read import read_log
from tests.bench.clock import turns
from tests.bench.dialect_logs import FILES, block_log, older_log
from tests.bench.memory import high_water_mb

ROUNDS = 5
SIZES_MB = (16, 64)


def measure(data: Path, rounds: int = ROUNDS) -> dict[str, float]:
    """Processor times of reading over those of grep, growth from 16 to 64 MB (1.0: linear), peak in MB."""
    with tempfile.TemporaryDirectory() as scratch:
        small, large = (big_log(data, Path(scratch) / str(size), size) for size in SIZES_MB)
        older, block = older_log(large, Path(scratch) / "older.log"), block_log(large, Path(scratch) / "block.log")
        works = (
            lambda: _grep(large),
            lambda: read_log(large),
            lambda: read_log(small),
            lambda: _passes(older),
            lambda: _passes(block),
        )
        grep_s, large_s, small_s, older_s, block_s = map(min, turns(rounds, works))
        growth = (large_s / large.stat().st_size) / (small_s / small.stat().st_size)
        return {
            "log_parse_vs_grep": round(large_s / grep_s, 2),
            "log_parse_s": round(large_s, 4),
            "log_parse_grep_s": round(grep_s, 4),
            "log_parse_growth": round(growth, 2),
            "log_parse_peak_mb": round(_peak_mb(large), 1),
            "older_log_parse_vs_grep": round(older_s / grep_s, 2),
            "older_log_parse_peak_mb": round(_peak_mb(older), 1),
            "block_log_parse_vs_grep": round(block_s / grep_s, 2),
            "block_log_parse_peak_mb": round(_peak_mb(block), 1),
        }


def big_log(data: Path, out: Path, size_mb: int) -> Path:
    script = data / "nightlies" / "make_big_log.py"
    subprocess.run([sys.executable, str(script), str(out), "--mb", str(size_mb)], check=True, stdout=subprocess.PIPE)
    return next(out.glob("jobs/*/*.log"))


def _grep(log: Path) -> None:
    """To a pipe: grep stops at the first match when it writes to /dev/null."""
    subprocess.run(["grep", "-cF", "elapsed=", str(log)], check=True, stdout=subprocess.PIPE)


def _passes(log: Path) -> None:
    """Read a log of `dialect_logs`; what it must say is checked, so that speed is not bought with silence."""
    parsed = read_log(log).parsed
    records = parsed.records.values() if parsed else ()
    if sum(record.passed_line is not None for record in records) != FILES:
        raise AssertionError(log)


def _peak_mb(log: Path) -> float:
    code = "import sys; from tests.bench.log_parse import peak_of_reading; print(peak_of_reading(sys.argv[1]))"
    answer = subprocess.run([sys.executable, "-c", code, str(log)], check=True, stdout=subprocess.PIPE, text=True)
    return float(answer.stdout)


def peak_of_reading(log: str) -> float:
    """What reading adds to this process's peak of resident memory, in MB."""
    before = high_water_mb()
    read_log(Path(log))
    return high_water_mb() - before


if __name__ == "__main__":
    print(json.dumps(measure(Path(os.environ["RECALIBRATE_DATA"])), indent=1))
