"""CONTRIBUTING's table keeps its word: in a copy of the project, each row's one file and one line add a toy that works.

The toy comes with its examples; those, the reference pages and the configuration know it without another change.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOYS = ROOT / "tests" / "data" / "how_to_add"
ROW = re.compile(r"^\| (an? [^|]+|a setting) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
TABLE = re.compile(r"`([A-Z_]+)` in `([\w/.]+)`")
THEN = re.compile(r"then run `python -m ([\w.]+) (\w+)`")
TIMEOUT_S = 120
EXAMPLES_OF = {
    "a log format": "tests/unit/evidence/dialects/test_suite_runner.py",
    "a kind of file of estimates": "tests/unit/edit/test_dialects.py",
    "an estimator": "tests/unit/calibration/test_estimators.py",
    "a way of writing registrations": "tests/unit/edit/test_apply.py",
    "a comment command": "tests/unit/commands/test_grammar.py",
    "a setting": "tests/unit/test_config_reference.py",
}
CONFIGURED = {
    "a log format": "logs: {dialects: [toy]}",
    "a kind of file of estimates": "registrations: {yaml: [{file: ci/pairs.yaml, form: toy}]}",
    "an estimator": "estimate: {estimator: {name: toy}}",
    "a way of writing registrations": "registrations: {dialects: [toy]}",
    "a comment command": "commands: {readers: [toy]}",
    "a setting": "checks: {toy: 3}",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: what it adds, the new file's pattern, the place of the line."""

    what: str
    file: str
    line: str


ROWS = [Row(*cells) for cells in ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project without its history."""
    for part in ("bot", "tests", "docs"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copy(ROOT / "README.md", tmp_path)
    return tmp_path


def _python(copy: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTEST_ADDOPTS": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def _add_line(file: Path, table: str, line: str) -> None:
    before = file.read_text(encoding="utf-8")
    after = re.sub(rf"^({table}\b[^\n]*= \{{\n)", rf"\1    {line}\n", before, flags=re.MULTILINE)
    assert after != before, f"{file}: no table {table}"
    file.write_text(after, encoding="utf-8")


def _add_import(file: Path) -> None:
    package = ".".join(file.relative_to(file.parents[len(file.parts) - 1 - file.parts.index("bot")]).parts[:-1])
    text = file.read_text(encoding="utf-8")
    future = "from __future__ import annotations\n"
    file.write_text(
        text.replace(future, f"{future}from {package[package.index('bot') :]} import toy\n", 1), encoding="utf-8"
    )


def _add_plug_in(copy: Path, row: Row) -> None:
    """The one file and the one line that the row names; a command's verb too."""
    name = row.what.split(" ", 1)[1].replace("way of writing ", "").replace("kind of ", "").replace(" ", "_")
    place = re.findall(r"`([^`]*<name>\.py)`", row.file)
    assert len(place) == 1
    target = copy / place[0].replace("<name>", "toy")
    assert not target.exists()
    shutil.copy(TOYS / f"{name}.py", target)
    ((table, file),) = TABLE.findall(row.line)
    assert (copy / file).parent == target.parent
    _add_line(copy / file, table, '"toy": toy,')
    _add_import(copy / file)
    if "`VERBS` beside that method" in row.line:
        (beside,) = re.findall(r"a method of `([^`]+)`", row.file)
        _add_line(copy / beside, "VERBS", '"toy": Commanding._help,')


def _add_setting(copy: Path, row: Row) -> None:
    (package,) = re.findall(r"a field .* in its section's module of `([^`]+)`", row.file)
    section = re.compile(r'^class Checks\(Strict\):\n    """[^"]*"""\n', re.MULTILINE)
    texts = {file: file.read_text(encoding="utf-8") for file in (copy / package).glob("*.py")}
    ((file, head),) = [(file, found) for file, text in texts.items() if (found := section.search(text))]
    field = '\n    toy: int = Field(default=2, ge=0, le=9, description="A toy.")'
    file.write_text(texts[file][: head.end()] + field + texts[file][head.end() :], encoding="utf-8")


def test_each_row_is_tried() -> None:
    assert {row.what for row in ROWS} == set(EXAMPLES_OF) == set(CONFIGURED)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_what_the_row_says_is_enough(row: Row, copy: Path) -> None:
    config = copy / "recalibrate.yml"
    config.write_text(f"version: 1\n{CONFIGURED[row.what]}\n", encoding="utf-8")
    (_add_setting if row.what == "a setting" else _add_plug_in)(copy, row)
    for module, directory in (*THEN.findall(row.line), ("bot.config_reference", "docs")):
        _python(copy, "-m", module, directory)
    assert "right" in _python(copy, "-m", "bot", "check-config", "recalibrate.yml")
    assert "toy" in (copy / "docs" / "configuration.md").read_text(encoding="utf-8")
    chosen = () if row.what == "a setting" else ("-k", "toy or every_dialect or every_form or table")
    said = _python(copy, "-m", "pytest", "-p", "no:xdist", "-vv", EXAMPLES_OF[row.what], *chosen)
    assert row.what == "a setting" or re.search(r"toy.* PASSED", said), said
