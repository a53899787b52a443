"""Writes the generated repository: the sources of each commit, and the commits themselves.

Author, dates and contents are fixed, so that the same story gives the same SHAs everywhere. It
runs the git command on a directory it creates; it reads no configuration of the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.domain import CommitSha
from bot.errors import UserError
from bot.sandbox.generator.dice import Dice
from bot.sandbox.generator.spec import Story, TestSpec
from bot.sandbox.generator.story import DEFAULT_BRANCH, LABELS, WORKFLOW_NAME, WORKFLOW_PATH
from bot.sandbox.git_reader import GitError
from bot.sandbox.git_store import GitStore

FIRST_COMMIT = datetime(2026, 9, 1, 18, 0, tzinfo=UTC)
_AUTHOR = "Ada Heron <ada@heron.invalid>"
_BACKENDS = ("cpu", "cuda")

_CONFIG = f"""\
version: 1
nightly:
  workflows: [{WORKFLOW_PATH}]
estimate:
  material: off  # every literal that is off: a small repository shows each kind of edit
labels:
  rules:
    - paths: ["tests/e2e/**/*_lora_ci.py"]
      require: [trainer, model-scripts, lora]
"""
_WORKFLOW = f"""\
name: {WORKFLOW_NAME}
on:
  schedule:
    - cron: "30 2 * * *"
jobs:
  suites:
    uses: ./.github/workflows/_suite.yml
"""
_README = "# heron\n\nAn invented training library. Its tests are registered with a time estimate each.\n"
_REGISTER = '''"""Registration markers: read as syntax by the suite runner, without effect when a test runs."""


def {names[0]}(est_time, suite, *, labels=None, nightly=False, disabled=None):
    """A test that needs no accelerator."""


def {names[1]}(est_time, suite, *, labels, nightly=False, disabled=None):
    """A test that needs CUDA devices."""
'''
_BODY = """

def main():
    steps = [{steps}]
    assert sum(steps) == {total}
    print("steps:", len(steps))


if __name__ == "__main__":
    main()
"""


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of the generated repository: one head for each night, and the tip they lead to."""

    nights: tuple[CommitSha, ...]
    base: CommitSha


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One commit to write."""

    message: str
    at: datetime
    files: Mapping[str, bytes]


def write_repository(where: Path, story: Story, nights: int) -> Commits:
    """Create a git repository with a work tree at `where`.

    Raises:
        UserError: git is missing, or failed, with its words.
    """
    where.mkdir(parents=True)
    git = GitStore(where)
    try:
        git.run("init", "-q", "-b", DEFAULT_BRANCH, "--template=", "--object-format=sha1")
        git.run("fast-import", "--quiet", "--done", stdin=_stream(_snapshots(story, nights)))
        git.run("-c", "core.autocrlf=false", "reset", "-q", "--hard", DEFAULT_BRANCH)
        written = [CommitSha(sha) for sha in git.run("rev-list", "--reverse", DEFAULT_BRANCH).decode().split()]
    except FileNotFoundError:
        raise UserError("git is not installed or not on the path: install it") from None
    except GitError as error:
        raise UserError(f"{where}: git could not write the repository: {error}") from error
    return Commits(tuple(written[:-1]), written[-1])


def source(test: TestSpec, night: int, est: int) -> bytes:
    """The file as it stands at the commit of one night."""
    names = sorted({name for name in map(_register_name, _BACKENDS) if name in test.call})
    version = int(0 <= test.changed_on <= night)
    dice = Dice(f"{test.path}@{version}")
    steps = [dice.below(90) + 10 for _ in range(8)]
    head = f'"""Runs {Path(test.path).stem.removeprefix("test_").replace("_", " ")} end to end."""\n\n'
    head += f"from tests.ci.ci_register import {', '.join(names)}\n\n"
    calls = (test.calls_before + "\n" if test.calls_before else "") + test.call.replace("{est}", str(est)) + "\n"
    body = _BODY.format(steps=", ".join(map(str, steps)), total=sum(steps))
    return (head + calls + body).replace("\n", test.newline).encode()


def _register_name(backend: str) -> str:
    return f"register_{backend}_ci"


def _snapshots(story: Story, nights: int) -> list[Snapshot]:
    made = []
    for night in range(nights):
        message = "The tests as they are measured" if not night else f"Work of day {night + 1}"
        made.append(Snapshot(message, FIRST_COMMIT + timedelta(days=night), _measured(story, night)))
    made.append(Snapshot("Notes, and one estimate by hand", FIRST_COMMIT + timedelta(days=nights), _tip(story, nights)))
    return made


def _measured(story: Story, night: int) -> dict[str, bytes]:
    """The files at the commit that a night measures."""
    tests = {test.path: source(test, night, test.est) for test in story.tests}
    return {**_beside(night + 1), **tests}


def _tip(story: Story, nights: int) -> dict[str, bytes]:
    """The files at the tip of the default branch: those of the last night, with what a person has changed since."""
    written = {test.path: test.est if test.est_at_base is None else test.est_at_base for test in story.tests}
    tests = {test.path: source(test, nights - 1, written[test.path]) for test in story.tests}
    return {**_beside(nights + 1), **tests}


def _beside(days: int) -> dict[str, bytes]:
    """What stands beside the tests, after so many days."""
    registry = "".join(f'    "{label}": "what touches {label}",\n' for label in LABELS)
    files = {
        ".github/recalibrate.yml": _CONFIG,
        WORKFLOW_PATH: _WORKFLOW,
        "README.md": _README,
        "docs/notes.md": "# Notes\n\n" + "".join(f"- day {day + 1}\n" for day in range(days)),
        "tests/ci/ci_register.py": _REGISTER.format(names=[_register_name(each) for each in _BACKENDS]),
        "tests/ci/labels.py": f"KNOWN_LABELS: dict[str, str] = {{\n{registry}}}\n",
    }
    return {path: text.encode() for path, text in files.items()}


def _stream(snapshots: Sequence[Snapshot]) -> bytes:
    """The commits as input of `git fast-import`; each writes its whole tree."""
    out = bytearray(b"feature done\n")
    for snapshot in snapshots:
        when = f"{int(snapshot.at.timestamp())} +0000"
        message = snapshot.message.encode()
        out += f"commit refs/heads/{DEFAULT_BRANCH}\nauthor {_AUTHOR} {when}\ncommitter {_AUTHOR} {when}\n".encode()
        out += b"data %d\n%b\ndeleteall\n" % (len(message), message)
        for path, content in sorted(snapshot.files.items()):
            out += b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(content), content)
    return bytes(out + b"done\n")
