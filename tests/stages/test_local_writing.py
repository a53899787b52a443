"""What is written, where, and that nothing else is: the work tree, the output directory, the terminal."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.__main__ import main
from bot.sandbox.generator import Generate, Generated, generate
from tests.stages.conftest import LookAlike, Road
from tests.stages.road import FILES, Outcome, git, local

Nights = tuple[Path, ...]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Four nights; read only."""
    return generate(tmp_path_factory.mktemp("four"), Generate(nights=4))


def test_the_generated_nights_lead_to_the_edits_they_were_made_for(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    assert outcome.status == 0
    assert outcome.proposed() == {path: (str(old), str(new)) for path, (old, new) in made.edits.items()}


def test_exactly_the_five_files_are_written_over_what_was_there(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "out"
    out.mkdir(parents=True)
    (out / "report.md").write_text("of yesterday", encoding="utf-8")
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    (out / "evidence-2.csv").write_text("a part of yesterday's larger table", encoding="utf-8")
    outcome = local(made.repository, "main", nights, out)
    assert {path.name for path in out.iterdir()} == {*FILES, "mine.txt"}
    assert "of yesterday" not in outcome.report


def test_without_write_the_repository_is_not_touched(made: Generated, nights: Nights, tmp_path: Path) -> None:
    before = _state(made.repository)
    assert local(made.repository, "main", nights, tmp_path / "out").status == 0
    assert _state(made.repository) == before


def _state(repository: Path) -> tuple[dict[str, bytes], str]:
    """Every file of the work tree and of `.git`, and where the branches are."""
    files = {str(path.relative_to(repository)): path.read_bytes() for path in repository.rglob("*") if path.is_file()}
    return files, git(repository, "for-each-ref")


def test_write_edits_the_work_tree_to_what_the_patch_makes_of_it_and_never_commits(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    patched = tmp_path / "patched"
    subprocess.run(["git", "clone", "-q", str(made.repository), str(patched)], check=True)
    refs = git(made.repository, "for-each-ref")
    outcome = local(made.repository, "main", nights, tmp_path / "out", "--write")
    assert outcome.status == 0
    assert "changes.patch and the work tree" in outcome.stdout
    git(patched, "apply", str(outcome.out / "changes.patch"))
    assert git(made.repository, "diff") == git(patched, "diff") != ""
    assert git(made.repository, "for-each-ref") == refs
    assert git(made.repository, "diff", "--cached") == ""
    assert git(made.repository, "status", "--porcelain").count("\n") == len(outcome.patched)


def test_a_directory_inside_the_checkout_stands_for_the_whole(made: Generated, nights: Nights, tmp_path: Path) -> None:
    whole = local(made.repository, "main", nights, tmp_path / "whole")
    inside = local(made.repository / "tests" / "ci", "main", nights, tmp_path / "inside", "--write")
    assert inside.files == whole.files
    assert git(made.repository, "diff", "--name-only").split() == sorted(whole.patched)


def test_writing_twice_is_writing_once(made: Generated, nights: Nights, tmp_path: Path) -> None:
    first = local(made.repository, "main", nights, tmp_path / "one", "--write")
    tree = _state(made.repository)
    times = {path: (made.repository / path).stat().st_mtime_ns for path in first.patched}
    second = local(made.repository, "main", nights, tmp_path / "two", "--write")
    assert second.status == 0
    assert second.files == first.files
    assert _state(made.repository)[0] == tree[0]
    assert {path: (made.repository / path).stat().st_mtime_ns for path in first.patched} == times


def test_what_was_written_and_committed_leaves_nothing_more_to_change(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    """The edits are a fixed point under the plain rule; under `default` a person's fresh value is left alone."""
    local(made.repository, "main", nights, tmp_path / "one", "--write", "--policy", "strict")
    git(made.repository, "commit", "-qam", "As proposed")
    again = local(made.repository, "main", nights, tmp_path / "two", "--policy", "strict")
    assert again.written("changes.patch") == b""
    assert "no literal is changed" in again.stdout
    assert {row["identity"] for row in again.rows if row["proposed_est_s"]} >= {"registration_only"}


def test_a_bare_repository_gives_the_bytes_that_the_checkout_gives(look: LookAlike, road: Road, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(look.repository), str(bare)], check=True)
    git(bare, "remote", "remove", "origin")
    outcome = local(bare, "facts-98eec31", look.attempts("A", "B"), tmp_path / "out", "--policy", "strict")
    assert outcome.status == 0, outcome.stderr
    assert outcome.files == road("98eec31", "strict", "A", "B").files


def test_the_order_of_artifacts_changes_no_byte_of_the_measured_nights(
    look: LookAlike, road: Road, tmp_path: Path
) -> None:
    turned = look.attempts("E.2", "B", "E.1", "A")
    outcome = local(look.repository, "facts-9fc8571", turned, tmp_path / "out", "--policy", "default")
    assert outcome.files == road("9fc8571", "default", "A", "B", "E").files


@pytest.fixture(scope="module")
def straight(four: Generated, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Their outcome, the nights given from the oldest to the newest."""
    nights = [run.directory / "attempt-1" for run in four.runs]
    return local(four.repository, "main", nights, tmp_path_factory.mktemp("straight"))


@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(4)))
def test_the_order_of_artifacts_changes_no_byte(
    four: Generated, straight: Outcome, tmp_path: Path, order: list[int]
) -> None:
    assert straight.written("changes.patch") != b""
    nights = [four.runs[number].directory / "attempt-1" for number in order]
    assert local(four.repository, "main", nights, tmp_path / "turned").files == straight.files


def test_the_command_in_the_report_makes_the_same_files_again(
    made: Generated, nights: Nights, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Even after the branch has moved on: it names the commit."""
    first = local(made.repository, "main", nights, tmp_path / "out", "--policy", "strict")
    (command,) = (line for line in first.report.splitlines() if line.startswith("recalibrate local "))
    kept = first.files
    git(made.repository, "commit", "-q", "--allow-empty", "-m", "Later")
    assert main(command.split()[1:]) == 0
    capsys.readouterr()
    again = first.files
    assert again["changes.patch"] == kept["changes.patch"]
    assert again["evidence.csv"] == kept["evidence.csv"]
    assert again["lines.txt"] == kept["lines.txt"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "shows"), [(Terminal, True), (io.StringIO, False)], ids=["a terminal", "a pipe or a file"]
)
def test_progress_is_for_terminals(
    made: Generated, nights: Nights, tmp_path: Path, *, stream: Callable[[], io.StringIO], shows: bool
) -> None:
    arguments = ["local", "--repo", str(made.repository), "--base", "main", "--out", str(tmp_path / "out")]
    told, stdout = stream(), io.StringIO()
    with redirect_stderr(told), redirect_stdout(stdout):
        assert main([*arguments, *(word for night in nights for word in ("--artifacts", str(night)))]) == 0
    assert ("log 1 of" in told.getvalue()) == shows
    assert (told.getvalue() == "") != shows
    if shows:
        assert told.getvalue().endswith("\r\x1b[K")  # nothing of it stays
    assert "read " in stdout.getvalue()
