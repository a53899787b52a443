"""What a task in flight depends on, read from the code: each step's place, name and kept value. Not a test.

`python -m tests.unit.tasks.pipeline_record` adds the present `PIPELINE_VERSION` to the record. It
changes no version that is recorded: running processes may hold tasks of it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from bot.domain import TaskRequest
from bot.tasks import answers, backfilling, values
from bot.tasks.queue import PIPELINE_VERSION
from bot.tasks.values import Kept

ROOT = Path(__file__).resolve().parents[3]
TASKS = ROOT / "bot" / "tasks"
RECORD = ROOT / "tests" / "data" / "pipeline" / "versions.json"
TAKES = {"take", "pause"}


def steps_of(name: str, source: str) -> list[str]:
    """Every place of a module at which a step is taken, in order: function, step, and the kind of value it keeps."""
    return [line for function in _functions(ast.parse(source)) for line in _taken(name, function)]


def _functions(tree: ast.Module) -> Iterator[ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef))


def _taken(module: str, function: ast.AsyncFunctionDef) -> Iterator[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        said = [ast.unparse(argument) for argument in call.args]
        if isinstance(call.func, ast.Attribute) and call.func.attr in TAKES and "steps" in ast.unparse(call.func.value):
            yield f"{module}.{function.name}: {call.func.attr} {said[0]}"
        elif isinstance(call.func, ast.Name) and call.func.id == "take" and said[0] == "steps":
            yield f"{module}.{function.name}: {said[2]} -> {said[1]}"


def shape(kind: Any) -> Any:
    """What a stored value must hold to be read as a kind. Fields with a default may be missing: they do not count."""
    if not is_dataclass(kind):
        parts = [shape(part) for part in get_args(kind)]
        return [getattr(kind, "__name__", str(kind)), *parts] if parts else getattr(kind, "__name__", str(kind))
    types = get_type_hints(kind)
    needed = [one.name for one in fields(kind) if one.default is MISSING and one.default_factory is MISSING]
    return {name: shape(types[name]) for name in needed}


def kept_kinds() -> Mapping[str, Any]:
    """The kinds of kept values, by their names in the code."""
    found = {}
    for module in (values, answers, backfilling):
        found |= {name: kind for name, kind in vars(module).items() if isinstance(kind, Kept)}
    return found


def present() -> dict[str, Any]:
    """The record of the code as it is."""
    sources = sorted(TASKS.glob("*.py"))
    return {
        "steps": [line for path in sources for line in steps_of(path.stem, path.read_text(encoding="utf-8"))],
        "kept": {name: shape(kind.kind) for name, kind in sorted(kept_kinds().items())},
        "request": shape(TaskRequest),
    }


def recorded() -> dict[str, Any]:
    """What was recorded of each version."""
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return found


def with_present(known: Mapping[str, Any], version: str, now: Mapping[str, Any]) -> dict[str, Any]:
    """The record with one more version.

    Raises:
        ValueError: that version is recorded, and differs.
    """
    if known.get(version, now) != now:
        raise ValueError(f"version {version} is recorded: raise PIPELINE_VERSION in bot/tasks/queue.py first")
    return {**known, version: dict(now)}


if __name__ == "__main__":
    text = json.dumps(with_present(recorded(), PIPELINE_VERSION, present()), indent=1)
    RECORD.write_text(f"{text}\n", encoding="utf-8")
