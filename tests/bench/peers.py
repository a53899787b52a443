"""The same work as people write it by hand: a regular expression, `ast` with line and column, a loop over lines.

What they are measured against, beside `grep` and `ast.parse`. Each is what a competent hour makes of it;
none is a straw man, and none proves anything. What they get wrong is counted in `hostile`.
"""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path

_RECORD = re.compile(r"filename='([^']+)', elapsed=(\d+), _?estimated_time=")
_STATUS = re.compile(r"\[\d+/\d+\] (\S+)  (PASS|FAIL|TIMEOUT)  elapsed=(\d+)s")


def by_pattern(raw: bytes, backend: str, suite: str, value: int) -> bytes:
    """Replace the digits after `est_time=` in calls that name the suite."""
    call = rf"(register_{backend}_ci\([^)]*?est_time\s*=\s*)\d+(?=[^)]*suite\s*=\s*[\"']{re.escape(suite)}[\"'])"
    return _written(re.sub(call, rf"\g<1>{value}", _read(raw)))


def by_position(raw: bytes, backend: str, suite: str, value: int) -> bytes:
    """Find the calls with `ast`, and splice the number in by line and column."""
    text = _read(raw)
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        if node.func.id != f"register_{backend}_ci":
            continue
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        given |= dict(zip(("est_time", "suite"), node.args, strict=False))
        number, name = given.get("est_time"), given.get("suite")
        if isinstance(name, ast.Constant) and name.value == suite and isinstance(number, ast.Constant):
            line = lines[number.lineno - 1]
            lines[number.lineno - 1] = line[: number.col_offset] + str(value) + line[number.end_col_offset :]
    return _written("".join(lines))


def by_lines(log: Path) -> dict[str, int]:
    """Path to seconds of every test that passed: one loop, one `PASS` line or End record at a time."""
    seconds: dict[str, int] = {}
    passed: dict[str, int] = {}
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if found := _RECORD.search(line):
                seconds[found[1]] = int(found[2])
            elif (found := _STATUS.search(line)) and found[2] == "PASS":
                passed[found[1]] = seconds.get(found[1], int(found[3]))
    return passed


def _read(raw: bytes) -> str:
    """As `Path.read_text` does."""
    return io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8").read()


def _written(text: str) -> bytes:
    """As `Path.write_text` does on Linux."""
    return text.encode("utf-8")
