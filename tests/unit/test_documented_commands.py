"""Every command that a document shows can be given: its options parse, its module, target and paths exist.

A block of the README is run as it stands. Commands of other programs are listed here by name, so that a new one is
looked at by a person.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.arguments import parser
from bot.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(recalibrate [a-z][^`]*|make [a-z][^`]*|(?:\.venv/bin/)?python -m [^`]*)`")
OTHERS = {
    "set",
    "journalctl",
    "pg_dump",
    "pg_restore",
    "docker",
    "kubectl",
    "git",
    "python3.11",
    "install",
    "systemctl",
    "cp",
    "chmod",
    "printf",
    "openssl",
    "grep",
    "export",
    ".",
}
VALUES = {
    "ID": "1",
    "N": "2",
    "PORT": "8080",
    "SECONDS": "5",
    "NAME": "default",
    "SCENARIO": "quiet",
    "URL": "http://a",
    "COMMAND": "demo",
}
TIMEOUT_S = 120


def _blocks(document: Path) -> list[str]:
    """The blocks without a language: what one types."""
    return [block for language, block in BLOCK.findall(document.read_text(encoding="utf-8")) if not language]


def _shown(document: Path) -> list[str]:
    """Each command line that the document shows, continuation lines joined, comments cut."""
    blocks = "\n".join(_blocks(document)).replace("\\\n", " ")
    lines = [*blocks.splitlines(), *INLINE.findall(BLOCK.sub("", document.read_text(encoding="utf-8")))]
    return [found for line in lines if (found := line.split(" #")[0].strip()) and not found.startswith("#")]


def _words(line: str) -> list[str]:
    """The words as somebody would type them: optional parts left out, placeholders filled in, settings dropped."""
    plain = re.sub(r"\[[^\]]*\]|…", "", line)
    plain = re.sub(r"(\w+)(?:\|\w+)+", r"\1", plain)  # the first of several
    words = shlex.split(plain)
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    return [VALUES.get(word, word) for word in words]


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def _wrong(line: str) -> str:
    """What cannot be given; "" where the line can."""
    first, *rest = _words(line)
    program = first.rpartition("/")[2]
    if program.startswith("python") and rest[:1] == ["-P"]:
        rest = rest[1:]
    if program.startswith("python") and rest[:1] == ["-m"] and rest[1:2] != ["bot"]:
        return "" if importlib.util.find_spec(rest[1]) else f"no module {rest[1]}"
    if program.startswith("python") and rest[:2] == ["-m", "bot"]:
        program, rest = "recalibrate", rest[2:]
    if program == "recalibrate":
        return _refused(rest)
    if program == "make":
        asked = [word for word in rest if "=" not in word]
        return "" if set(asked) <= _targets() else f"no target of {asked}"
    if program in ("pytest", "ruff", "mypy", "pip"):
        paths = [word for word in rest if word.startswith(("tests/", "bot/"))]
        return "" if all((ROOT / path).exists() for path in paths) else f"no path of {paths}"
    return "" if program in OTHERS or "=" in first else f"unknown program {program}"


def _refused(arguments: list[str]) -> str:
    try:
        parser().parse_args(arguments)
    except UserError as error:
        return str(error)
    except SystemExit:  # of --help
        return ""
    return ""


def _tries(line: str) -> list[str]:
    """A command may be named without what it needs, or with an option whose value is not the point."""
    if not line.startswith("recalibrate "):
        return [line]
    return [line, f"{line} x.svg --help", f"{line} --help"] if len(line.split()) <= 3 else [line]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_that_is_shown_can_be_given(document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = [part.strip() for line in _shown(document) for part in line.split("&&")]
    wrong = {part: why for part in parts if all(why := _wrong(one) for one in _tries(part))}
    capsys.readouterr()  # of --help
    assert [why for why in wrong.items() if "arguments are required" not in why[1]] == []


def test_the_readme_shows_commands() -> None:
    shown = _shown(ROOT / "README.md")
    assert sum(line.startswith("make ") for line in shown) >= 2
    assert sum("bot local" in line or line.startswith("recalibrate local") for line in shown) >= 2


def test_what_cannot_be_given_is_found() -> None:
    wrong = ["recalibrate fly", "recalibrate run --repos a/b", "make nothing", "python -m bot.nothing", "curl x"]
    assert all(_wrong(one) for line in wrong for one in _tries(line))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the README's own commands make of the demo's nights."""
    tmp_path = tmp_path_factory.mktemp("readme")
    (block,) = [one for one in _blocks(ROOT / "README.md") if "bot.sandbox.generator" in one]
    script = re.sub(r"\.venv/bin/python", shlex.quote(sys.executable), block)
    script = re.sub(r"(?<= )/tmp(?=/)", str(tmp_path), script)
    done = subprocess.run(
        ["/bin/sh", "-eu"],
        input=script,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.md", "changes.patch", "evidence.csv", "manifest.json", "lines.txt"} <= written
    return (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def _cells(line: str) -> list[str]:
    return [cell.strip().removesuffix(" `cuda`") for cell in line.strip("> |\n").split(" | ")]


def test_the_readmes_excerpt_is_what_its_commands_write(report: str) -> None:
    quoted = re.findall(r"^> ?(.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    rows = [_cells(line) for line in report.splitlines() if line.startswith("| `")]
    shown = [_cells(line) for line in quoted if line.startswith("| `")]
    assert len(shown) >= 4
    assert [row for row in shown if not any(set(row) <= set(one) for one in rows)] == []
    assert quoted[0] in report
    counted = re.search(
        r"Measured in (\d+) nights of `([^`]+)`: (\d+) passes used. (\d+) files changed", " ".join(quoted)
    )
    assert counted
    assert f"Measured in {counted[1]} nights of `{counted[2]}`: {counted[3]} passes used." in report
    assert f"{counted[4]} files changed." in report
