"""Nights whose tests imported or launched something else than the base holds: named, and no evidence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.sandbox.generator import Generated
from tests.stages.road import Outcome, git, local

WRAPPED = "tests/e2e/train/test_optimizer_offload.py"
HELPER, DEEP = "tests/lib/_common.py", "tests/lib/deep.py"
SCRIPT, OTHER = "scripts/warm.sh", "scripts/other.sh"
ON = 'version: 1\nestimate: {material: "off"}\nidentity:\n  imports: ["tests/lib/**", "scripts/*.sh"]\n'
OFF = 'version: 1\nestimate: {material: "off"}\n'
USED = "used"


@dataclass(frozen=True)
class Nights:
    """A repository whose test reaches files by two ways, and nights that measured it as it is at `measured`."""

    repository: Path
    attempts: tuple[Path, ...]

    def commit(self, files: dict[str, str | None]) -> None:
        for path, text in files.items():
            if text is None:
                git(self.repository, "rm", "-q", path)
            else:
                (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
                (self.repository / path).write_text(text, encoding="utf-8")
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "-q", "-m", "Work")

    def evaluated(self, out: Path, config: str = ON) -> Outcome:
        out.mkdir(exist_ok=True)
        (out / "config.yml").write_text(config, encoding="utf-8")
        told = ["--policy", "strict", "--config", str(out / "config.yml")]
        outcome = local(self.repository, "main", self.attempts, out / "out", *told)
        assert outcome.status == 0, outcome.stderr
        return outcome


def measured(made: Generated, attempts: tuple[Path, ...], files: dict[str, str | None]) -> Nights:
    """The generated repository with one more commit, which every night measured."""
    found = Nights(made.repository, attempts)
    found.commit(files)
    head = git(made.repository, "rev-parse", "HEAD").strip().encode()
    for run, attempt in zip(made.runs, attempts, strict=True):
        for file in attempt.rglob("*.*"):
            file.write_bytes(file.read_bytes().replace(run.head_sha.encode(), head))
    return found


@pytest.fixture
def wrapped(made: Generated, nights: tuple[Path, ...]) -> Nights:
    """One test does its work elsewhere."""
    before = (made.repository / WRAPPED).read_text(encoding="utf-8")
    body = f"\n\nfrom tests.lib._common import go\n\ngo('bash {SCRIPT} --steps 5')\n"
    files = {HELPER: "from . import deep\n", DEEP: "x = 1\n", SCRIPT: "sleep 1\n", OTHER: "sleep 2\n"}
    return measured(made, nights, {WRAPPED: before + body, **files})


def notes(outcome: Outcome) -> set[str]:
    """What the rows of the test's passes say, with `used` for one that counts."""
    rows = [row for row in outcome.rows if row["test_file"] == WRAPPED and row["status"] == "passed"]
    return {USED if row["proposed_est_s"] else row["note"] for row in rows}


@pytest.mark.parametrize(
    ("change", "note"),
    [
        pytest.param({}, USED, id="nothing"),
        pytest.param({OTHER: "echo\n", "README.md": "x\n"}, USED, id="files-the-test-does-not-reach"),
        pytest.param({HELPER: "from . import deep, x\n"}, f"import:{HELPER} changed", id="an-import"),
        pytest.param({DEEP: "x = 2\n"}, f"import:{DEEP} changed", id="an-import-of-the-import"),
        pytest.param({SCRIPT: "echo\n"}, f"import:{SCRIPT} changed", id="a-launched-script"),
        pytest.param({SCRIPT: None}, f"import:{SCRIPT} gone", id="a-script-that-is-gone"),
        pytest.param({"tests/lib/__init__.py": "y = 1\n"}, "import:tests/lib/__init__.py added", id="a-new-package"),
        pytest.param(
            {DEEP: None, "tests/lib/new.py": "x = 1\n"},
            f"import:{DEEP} moved to tests/lib/new.py",
            id="an-import-that-moved",
        ),
    ],
)
def test_a_night_counts_while_everything_its_test_reaches_is_the_same(
    wrapped: Nights, tmp_path: Path, change: dict[str, str | None], note: str
) -> None:
    if change:
        wrapped.commit(change)
    outcome = wrapped.evaluated(tmp_path)
    assert notes(outcome) == {USED if note == USED else f"unused:import_changed; {note}"}
    identity = {row["identity"] for row in outcome.rows if row["test_file"] == WRAPPED}
    assert identity == {"identical" if note == USED else "import_changed"}


def test_an_imported_test_may_have_another_estimate_and_nothing_else(
    made: Generated, nights: tuple[Path, ...], tmp_path: Path
) -> None:
    router = "tests/e2e/train/test_mixture_router.py"
    importing = (made.repository / WRAPPED).read_text(encoding="utf-8") + "\nfrom . import test_mixture_router\n"
    found, on = measured(made, nights, {WRAPPED: importing}), ON.replace("scripts/*.sh", router)
    before = (made.repository / router).read_text(encoding="utf-8")
    found.commit({router: re.sub(r"est_time=\d+", "est_time=4321", before)})
    assert before != (made.repository / router).read_text(encoding="utf-8")
    assert notes(found.evaluated(tmp_path / "estimate", on)) == {USED}
    found.commit({router: before + "x = 1\n"})
    assert notes(found.evaluated(tmp_path / "more", on)) == {f"unused:import_changed; import:{router} changed"}


def test_where_it_is_off_only_the_test_file_counts(wrapped: Nights, tmp_path: Path) -> None:
    wrapped.commit({HELPER: "changed\n", SCRIPT: None})
    assert notes(wrapped.evaluated(tmp_path, OFF)) == {USED}


def test_the_report_names_what_was_compared_and_what_differs(wrapped: Nights, tmp_path: Path) -> None:
    same = wrapped.evaluated(tmp_path / "same")
    assert f"- `{WRAPPED}`: `{SCRIPT}`, `{HELPER}`, `{DEEP}`.\n" in same.report
    assert "imports=tests/lib/**, scripts/*.sh" in same.report.replace("`", "")
    wrapped.commit({SCRIPT: "echo\n"})
    assert f"is another one: `{SCRIPT}` changed" in wrapped.evaluated(tmp_path / "other").report


@pytest.mark.parametrize(
    ("write", "said"),
    [
        pytest.param(lambda path: path.write_bytes(b"no python"), "does not parse", id="a-syntax-error"),
        pytest.param(lambda path: path.write_bytes(b"x = 1\n" * 200_000), "too large", id="a-huge-file"),
        pytest.param(lambda path: path.symlink_to("/etc/passwd"), "a symlink or submodule", id="a-symlink"),
        pytest.param(
            lambda path: path.write_bytes(b"open('../../../../etc/passwd')\n"), "above the repository's root", id="dots"
        ),
    ],
)
def test_what_cannot_be_followed_is_named_and_the_rest_goes_on(
    made: Generated, nights: tuple[Path, ...], tmp_path: Path, write: Callable[[Path], object], said: str
) -> None:
    """The same bad file at the nights and at the base: it is equal, and what is behind it is unknown."""
    bad = made.repository / "tests/lib/bad.py"
    bad.parent.mkdir()
    write(bad)
    before = (made.repository / WRAPPED).read_text(encoding="utf-8")
    outcome = measured(made, nights, {WRAPPED: f"{before}\nimport tests.lib.bad\n"}).evaluated(tmp_path)
    assert notes(outcome) == {USED}
    assert f"- `{WRAPPED}`: `tests/lib/bad.py`. Not followed: `tests/lib/bad.py` " in outcome.report
    assert said in outcome.report
