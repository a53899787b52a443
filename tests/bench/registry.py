"""How long reading all registrations takes, against `ast.parse` of the same files.

Generates its files: 300 of about 300 lines, of which 60 (or all) carry two calls. Ratios of
one process on one machine; the best of several passes, so that a busy neighbour counts less. A file of
1,000 estimates in YAML is read against composing it.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import json
from collections.abc import Callable

import yaml

from bot.domain import BlobSha, TestPath
from bot.edit.ports import TreeEntry
from bot.edit.registrations import Dialects
from bot.edit.tree_reader import Known, read_all, read_one
from bot.repo_config.registrations import Registrations, YamlRegistrations
from tests.bench.clock import turns

FILES = 300
CARRYING = 60
ENTRIES = 1000
_PASSES = 2


def measure() -> dict[str, float]:
    """`registry_cold_vs_ast`, `registry_warm_vs_ast` (by blob SHA) and `registry_all_vs_ast`."""
    some = _tree(CARRYING)
    every = _tree(FILES)
    newer = _tree(FILES, _NEWER)
    times = _times()
    warm: Known = {}
    read_all(*some, warm)
    parse_some, parse_every = _seconds(lambda: _parse(some)), _seconds(lambda: _parse(every))
    return {
        "registry_cold_vs_ast": round(_seconds(lambda: read_all(*some, {})) / parse_some, 3),
        "registry_warm_vs_ast": round(_seconds(lambda: read_all(*some, warm)) / parse_some, 4),
        "registry_all_vs_ast": round(_seconds(lambda: read_all(*every, {})) / parse_every, 3),
        "registry_newer_all_vs_ast": round(_seconds(lambda: read_all(*newer, {})) / parse_every, 3),
        "registry_yaml_vs_compose": round(_seconds(lambda: _read_times(times)) / _seconds(lambda: _compose(times)), 3),
    }


_Tree = tuple[dict[TestPath, TreeEntry], dict[BlobSha, bytes]]


def _tree(carrying: int, calls: tuple[str, ...] = ()) -> _Tree:
    files: dict[TestPath, TreeEntry] = {}
    contents: dict[BlobSha, bytes] = {}
    for number in range(FILES):
        raw = source(number, (calls or _calls(number)) if number < carrying else ())
        blob = BlobSha(hashlib.sha1(b"blob %d\0%b" % (len(raw), raw)).hexdigest())  # noqa: S324 - git's own hash
        files[TestPath(f"tests/generated/{number % 40}/test_{number}.py")] = TreeEntry(blob, "100644")
        contents[blob] = raw
    return files, contents


def source(number: int, calls: tuple[str, ...]) -> bytes:
    lines = [f'"""Generated test {number}."""', "import os", "", *calls]
    for case in range(27):
        lines += [
            "",
            f"def test_case_{case}(tmp_path, seed={case}):",
            f'    """Case {case} of file {number}."""',
            f"    values = [x * {case} for x in range(10) if x % 3 != seed % 3]  # the usual series",
            '    table = {"name": f"case-{seed}", "path": str(tmp_path / "out.json"), "env": dict(os.environ)}',
            "    for index, value in enumerate(values):",
            "        if value > 4 and index not in (2, 3):",
            '            table[f"value_{index}"] = (value ** 2, value - 1, not value)',
            "        else:",
            "            table.setdefault(index, []).append(lambda y=value: y + index)",
            '    assert table["name"].startswith("case"), table',
        ]
    return ("\n".join(lines) + "\n").encode()


def _calls(number: int) -> tuple[str, ...]:
    return (
        "from tests.ci.ci_register import register_cuda_ci, register_rocm_ci",
        f'register_cuda_ci(est_time={60 + number}, suite="stage-{number % 7}", labels=["alpha", "beta"])',
        "register_rocm_ci(",
        f"    est_time={90 + number},  # seen 71-85s",
        f'    suite="stage-{number % 5}",',
        '    labels=["alpha"],',
        ")",
    )


_NEWER = (
    "from tests.ci.ci_register import register_amd_ci, register_cuda_ci",
    'register_cuda_ci(est_time=60, stage="base-b", runner_config="1-gpu-large")  # seen 48 s',
    "register_amd_ci(",
    '    est_time=90, stage="base-b", runner_config="2-gpu-amd", hardware=["a", "b"],',
    ")",
)


def _times() -> bytes:
    lines = [f"  tests/e2e/zoo/test_{number}.py: {60 + number}  # seen {number} s" for number in range(ENTRIES)]
    return "\n".join(["estimated_times:", *lines, ""]).encode()


def _read_times(raw: bytes) -> None:
    section = YamlRegistrations(file="times.yaml", key="estimated_times")
    found = read_one(TestPath("times.yaml"), BlobSha(""), raw, Dialects(Registrations(yaml=(section,))))
    if len(found.registrations) != ENTRIES:
        raise AssertionError(found.refused)


def _compose(raw: bytes) -> None:
    yaml.compose(raw.decode(), Loader=yaml.SafeLoader)


def _parse(tree: _Tree) -> None:
    for raw in tree[1].values():
        ast.parse(raw)


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    (times,) = turns(_PASSES, [work])
    return min(times)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
