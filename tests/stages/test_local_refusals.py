"""What a person can fix: each refusal is one line that says how, with exit status 2, and nothing is written."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import exit_status, main
from bot.errors import InternalError, RetryableError, UserError
from bot.sandbox.generator import Generated
from tests.stages.road import Outcome, git, local, rewrite_json

Nights = tuple[Path, ...]


def refused(outcome: Outcome, *said: str) -> None:
    """Status 2, one line that holds all of `said`, nothing on standard output, no output directory."""
    assert outcome.status == 2, outcome.stderr
    assert outcome.stderr.startswith("recalibrate: ")
    assert outcome.stderr.count("\n") == 1
    for words in said:
        assert words in outcome.stderr
    assert outcome.stdout == ""
    assert not outcome.out.is_dir() or list(outcome.out.iterdir()) == []


def test_a_run_whose_head_the_repository_lacks_is_foreign(made: Generated, nights: Nights, tmp_path: Path) -> None:
    elsewhere = "a" * 40
    rewrite_json(nights[1] / "run.json", lambda run: run.update(headSha=elsewhere))
    rewrite_json(nights[1] / "manifest.json", lambda manifest: manifest.update(head_sha=elsewhere))
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    refused(outcome, f"run {made.runs[1].run_id}, attempt 1", f"head {elsewhere} is not in", "fetch it first")


def test_a_run_of_another_repository_than_every_remote_is_foreign(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    git(made.repository, "remote", "add", "origin", "https://x-token:secret@git.example.org/else/where.git")
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    refused(outcome, "is of heron-lab/heron, no remote", "(origin: else/where)", "give a clone of it, or")
    assert "secret" not in outcome.stderr


def test_one_matching_remote_is_enough_in_any_spelling(made: Generated, nights: Nights, tmp_path: Path) -> None:
    git(made.repository, "remote", "add", "origin", "https://git.example.org/fork/heron.git")
    git(made.repository, "remote", "add", "upstream", "git@git.example.org:Heron-Lab/heron.git")
    assert local(made.repository, "main", nights, tmp_path / "out").status == 0


def test_a_shallow_clone_that_hides_the_way_to_a_head_is_told_to_be_completed(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    """It must not be taken for a run of another branch, whose evidence is turned down without an error."""
    clone = tmp_path / "shallow"
    address = f"file://{made.repository}"
    subprocess.run(["git", "clone", "-q", "--depth=1", address, str(clone)], check=True, capture_output=True)
    git(clone, "remote", "add", "upstream", "https://git.example.org/heron-lab/heron")
    refused(local(clone, "main", nights, tmp_path / "out"), "is not in", "fetch it first")
    for run in made.runs:
        git(clone, "fetch", "-q", "--depth=1", "origin", run.head_sha)
    refused(local(clone, "main", nights, tmp_path / "out"), "is a shallow clone", "git fetch --unshallow")
    git(clone, "fetch", "-q", "--unshallow", "origin")
    assert local(clone, "main", nights, tmp_path / "out").status == 0


def test_artifacts_of_two_repositories_are_not_mixed(made: Generated, nights: Nights, tmp_path: Path) -> None:
    def moved(file: Any) -> None:
        for key in ("url", "run_url"):
            if key in file:
                file[key] = file[key].replace("heron-lab/heron", "heron-lab/crane")
        if "repo" in file:
            file["repo"] = "heron-lab/crane"

    rewrite_json(nights[0] / "run.json", moved)
    rewrite_json(nights[0] / "manifest.json", moved)
    refused(
        local(made.repository, "main", nights, tmp_path / "out"),
        "of several repositories: heron-lab/crane, heron-lab/heron; give those of one",
    )


def _first_log(attempt: Path) -> Path:
    return min((attempt / "jobs").glob("*/*.log"))


def _set(name: str, **values: object) -> Callable[[Path], None]:
    return lambda attempt: rewrite_json(attempt / name, lambda file: file.update(values))


def _of_first_job(**values: object) -> Callable[[Path], None]:
    return lambda attempt: rewrite_json(attempt / "manifest.json", lambda file: file["jobs"][0].update(values))


def _linked_outside(attempt: Path) -> None:
    log = _first_log(attempt)
    outside = attempt.parent.parent / "outside.log"
    log.rename(outside)
    log.symlink_to(outside)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no manifest": (lambda attempt: (attempt / "manifest.json").unlink(), "manifest.json: cannot be read"),
    "no run": (lambda attempt: (attempt / "run.json").unlink(), "run.json: cannot be read"),
    "half a manifest": (
        lambda attempt: (attempt / "manifest.json").write_bytes((attempt / "manifest.json").read_bytes()[:300]),
        "manifest.json: the file: Invalid JSON",
    ),
    "another schema": (_set("manifest.json", schema_version=2), "manifest.json: schema_version: "),
    "another kind": (_set("manifest.json", artifact_kind="summaries"), "manifest.json: artifact_kind: "),
    "another run": (_set("manifest.json", run_id=1), "run.json: run id is "),
    "another attempt": (_set("manifest.json", run_attempt=2), "run.json: attempt is 1, manifest.json says 2"),
    "another head": (_set("manifest.json", head_sha="b" * 40), "run.json: headSha is "),
    "no address of a run": (_set("run.json", url="https://git.example.org/"), "run.json: url: "),
    "another size": (_of_first_job(bytes=1), "bytes, the manifest says 1; fetch the artifact again"),
    "another line count": (_of_first_job(line_count=1), "line_count is "),
    "a path that climbs": (_of_first_job(log_path="/ci-artifacts/night-1/../../etc/passwd"), "leaves the artifact"),
    "a path elsewhere": (_of_first_job(log_path="/etc/passwd"), "leaves the artifact"),
    "a link that leads out": (_linked_outside, "leads out of the artifact"),
    "a log that vanished": (lambda attempt: _first_log(attempt).unlink(), "is missing, the manifest says"),
    "an unknown job": (_of_first_job(job_id=5), "manifest.json: job 5 is not in run.json"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_refused_artifact_names_the_failed_check_and_leaves_the_other_night_unwritten_too(
    made: Generated, nights: Nights, tmp_path: Path, damage: str
) -> None:
    harm, said = DAMAGE[damage]
    harm(nights[0])
    refused(local(made.repository, "main", nights, tmp_path / "out"), said)


def test_the_same_attempt_twice_is_said(made: Generated, nights: Nights, tmp_path: Path) -> None:
    outcome = local(made.repository, "main", (nights[0], nights[1], nights[0]), tmp_path / "out")
    refused(outcome, "holds the same attempt as", "give each attempt once")


def test_a_directory_that_is_no_repository_or_not_there(nights: Nights, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    remedy = "give a checkout or a bare repository"
    refused(local(tmp_path / "plain", "main", nights, tmp_path / "out"), "not a git repository", remedy)
    refused(local(tmp_path / "nowhere", "main", nights, tmp_path / "out"), "no such directory", remedy)


@pytest.mark.parametrize("revision", ["no-such-branch", "f" * 40, "", "--all", "HEAD:README.md"])
def test_an_unknown_revision(made: Generated, nights: Nights, tmp_path: Path, revision: str) -> None:
    outcome = local(made.repository, revision, nights, tmp_path / "out")
    refused(outcome, f"no commit {revision!r}; name a branch, a tag or a SHA")


def test_a_repository_without_commits(nights: Nights, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "empty")], check=True)
    refused(local(tmp_path / "empty", "HEAD", nights, tmp_path / "out"), "no commit 'HEAD'")


def test_a_bare_repository_has_no_work_tree_to_write(made: Generated, nights: Nights, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(made.repository), str(bare)], check=True)
    git(bare, "remote", "remove", "origin")
    outcome = local(bare, "main", nights, tmp_path / "out", "--write")
    refused(outcome, "is bare, so --write has no work tree; leave it out and apply changes.patch")


def test_a_work_tree_that_differs_from_the_base_is_not_written(made: Generated, nights: Nights, tmp_path: Path) -> None:
    path = made.repository / min(made.edits)
    path.write_bytes(path.read_bytes() + b"# mine\n")
    before = git(made.repository, "diff")
    outcome = local(made.repository, "main", nights, tmp_path / "out", "--write")
    refused(outcome, f"{min(made.edits)}: the work tree differs from the base revision", "leave --write out")
    assert git(made.repository, "diff") == before


CONFIGS = {
    "version: 1\nestimate:\n  polcy: strict\n": "line 3: estimate.polcy: unknown key",
    "version: 2\n": "line 1: version: ",
    "estimate: {}\n": "line 1: version: is missing",
    "version: 1\ntimeout:\n  floor_s: soon\n": "line 3: timeout.floor_s: ",
    "version: 1\nestimate:\n  window:\n    nights: 0\n": "line 4: estimate.window.nights: ",
    "version: 1\nestimate:\n  estimator: {name: guess}\n": "line 3: estimate.estimator.name: no estimator 'guess'",
    "version: 1\nlabels: [\n": "line 3: not YAML: ",
    "version: 1\nversion: 1\n": "line 2: version: given twice",
    "": "line 1: version: the file is empty",
}


@pytest.mark.parametrize("text", CONFIGS, ids=lambda text: re.sub(r"\W+", "-", text))
def test_an_invalid_configuration_is_told_with_file_line_and_key(
    made: Generated, nights: Nights, tmp_path: Path, text: str
) -> None:
    config = tmp_path / "mine.yml"
    config.write_text(text, encoding="utf-8")
    outcome = local(made.repository, "main", nights, tmp_path / "out", "--config", str(config))
    refused(outcome, f"{config}: {CONFIGS[text]}")


def test_the_configuration_of_the_base_counts_and_not_that_of_the_work_tree(
    made: Generated, nights: Nights, tmp_path: Path
) -> None:
    config = made.repository / ".github/recalibrate.yml"
    config.write_text("version: 1\nmodus: propose\n", encoding="utf-8")
    assert local(made.repository, "main", nights, tmp_path / "ignored").status == 0
    git(made.repository, "commit", "-qam", "A slip")
    outcome = local(made.repository, "main", nights, tmp_path / "out")
    refused(outcome, ".github/recalibrate.yml at main: line 2: modus: unknown key")


def test_a_configuration_that_is_not_there(made: Generated, nights: Nights, tmp_path: Path) -> None:
    outcome = local(made.repository, "main", nights, tmp_path / "out", "--config", str(tmp_path / "no.yml"))
    refused(outcome, "no.yml: cannot be read", "give a file for --config")


def test_an_output_that_cannot_be_written(made: Generated, nights: Nights, tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"mine")
    refused(local(made.repository, "main", nights, tmp_path / "taken"), "cannot be written", "give a directory for")
    refused(local(made.repository, "main", nights, tmp_path / "taken" / "out"), "cannot be written")
    assert (tmp_path / "taken").read_bytes() == b"mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["lokal"], "invalid choice: 'lokal'"),
        (["local", "--repo", "."], "required: --base, --artifacts, --out"),
        (["local", "--policy", "brave"], "invalid choice: 'brave'"),
    ],
)
def test_a_wrong_command_line_is_one_line_too(arguments: list[str], said: str) -> None:
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        assert main(arguments) == 2
    assert said in stderr.getvalue()
    assert "--help" in stderr.getvalue()
    assert stderr.getvalue().count("\n") == 1


def _raising(error: BaseException) -> Callable[[], int]:
    def work() -> int:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (UserError("a\nb: \x1b[2Jc"), 2, "recalibrate: a\\x0ab: \\x1b[2Jc\n"),
        (RetryableError("busy"), 2, "recalibrate: busy; try again later\n"),
        (InternalError("a broken promise"), 1, "recalibrate: our fault: InternalError: a broken promise; please"),
        (ZeroDivisionError("x"), 1, "recalibrate: our fault: ZeroDivisionError: x; please report it\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_only_our_own_faults_end_in_one(error: BaseException, status: int, said: str) -> None:
    stderr = io.StringIO()
    with redirect_stderr(stderr):
        assert exit_status(_raising(error)) == status
    assert stderr.getvalue().startswith(said)


def test_the_module_is_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot", "local", "--repo", str(tmp_path), "--base", "main"]
    ended = subprocess.run(
        [*command, "--artifacts", str(tmp_path), "--out", str(tmp_path / "out")],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"recalibrate: {tmp_path}: not a git repository; give a checkout or a bare repository\n"
