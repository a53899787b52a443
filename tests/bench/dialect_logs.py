"""Large logs of the other dialects, made of a large log's own chatter: for `log_parse`.

The older suite runner's records stand between stretches of the chatter, and for the structured block
one follows them. What the chatter's own runner printed is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

FILES = 100
_STAMP = b"2026-08-20T15:00:00.0000000Z "
_OF_THE_RUNNER = (b"_estimated_time=", b"  elapsed=", b"Begin (", b"End (", b"Test Summary: ", b" (est_time=",
                  b"Hardware: ", b" test(s) (est total ")  # fmt: skip


def older_log(large: Path, out: Path) -> Path:
    """The chatter of `large` as a log of the older suite runner in which 100 files pass."""
    return _written(out, [*_older(_chatter(large))])


def block_log(large: Path, out: Path) -> Path:
    """The same with a structured block at its end."""
    entries = [json.dumps({"file": path, "passed": True, "elapsed": 60}) for path in _paths()]
    framed = ["===== TIMINGS BEGIN =====", *entries, "===== TIMINGS END ====="]
    return _written(out, [*_older(_chatter(large)), *(_line(line) for line in framed)])


def _written(out: Path, pieces: list[bytes]) -> Path:
    with out.open("wb") as stream:
        stream.writelines(pieces)
    return out


def _chatter(large: Path) -> list[bytes]:
    lines = large.read_bytes().splitlines(keepends=True)
    return [line for line in lines if not any(text in line for text in _OF_THE_RUNNER)]


def _older(chatter: list[bytes]) -> Iterator[bytes]:
    paths = list(_paths())
    yield _line("| Hardware   | Suite    | Nightly   | Partition   |")
    yield _line("| CUDA       | lane-big | True      | full        |")
    yield _line(f"✅ Enabled {FILES} test(s) (est total {60.0 * FILES}s):")
    yield from (_line(f"  - {path} (est_time=60.0)") for path in paths)
    share = len(chatter) // FILES
    for number, path in enumerate(paths):
        yield _line(f"Begin ({number}/{FILES - 1}):")
        yield from chatter[number * share : (number + 1) * share]
        yield _line(f"End ({number}/{FILES - 1}):")
        yield _line(f"filename='{path}', elapsed=60, estimated_time=60.0")
    rule = "=" * 60
    summary = [rule, f"Test Summary: {FILES}/{FILES} passed", rule, "✓ PASSED:", *(f"  {p}" for p in paths), rule]
    yield from map(_line, summary)


def _paths() -> Iterator[str]:
    return (f"test/zoo/test_{number}.py" for number in range(FILES))


def _line(text: str) -> bytes:
    return _STAMP + text.encode() + b"\n"
