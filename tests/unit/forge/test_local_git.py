"""A local repository is read as it is, and none of its programs is ever run."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bot.domain import BlobSha, CommitSha, TestPath
from bot.edit.ports import SourceTree
from bot.errors import UserError
from bot.forge.local_git import LocalGit, Remote, open_repository

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def git(where: Path, *arguments: str) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "o@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", "-C", str(where), *arguments], check=True, capture_output=True, env=environment)
    return os.fsdecode(done.stdout).strip()


class Sample:
    """A checkout with two commits on main and one on a branch beside it."""

    def __init__(self, where: Path) -> None:
        self.path = where
        where.mkdir(parents=True)
        git(where, "init", "-q", "-b", "main")
        (where / "tests" / "w\u00e4sche").mkdir(parents=True)
        (where / "tests" / "test_a.py").write_bytes(b"a\r\n\0\xff")
        (where / "tests" / "w\u00e4sche" / "test b\n.py").write_bytes(b"")
        (where / "run.sh").write_bytes(b"#!/bin/sh\n")
        (where / "run.sh").chmod(0o755)
        (where / "link.py").symlink_to("tests/test_a.py")
        self.first = self.commit("first")
        (where / "tests" / "test_a.py").write_bytes(b"b\n")
        self.second = self.commit("second")
        git(where, "checkout", "-q", "-b", "side", self.first)
        self.side = self.commit("side", "--allow-empty")
        git(where, "checkout", "-q", "main")

    def commit(self, message: str, *more: str) -> CommitSha:
        git(self.path, "add", "-A")
        git(self.path, "commit", "-q", "-m", message, *more)
        return CommitSha(git(self.path, "rev-parse", "HEAD"))


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(tmp_path / "repo")


def opened(where: Path) -> LocalGit:
    return run(open_repository(where))


def test_it_fulfils_the_port(sample: Sample) -> None:
    tree: SourceTree = opened(sample.path)
    assert run(tree.is_ancestor(sample.first, sample.second))


@pytest.mark.parametrize("bare", [False, True])
def test_files_have_their_blobs_and_modes_at_any_commit(sample: Sample, tmp_path: Path, bare: bool) -> None:
    where = sample.path
    if bare:
        where = tmp_path / "bare.git"
        git(tmp_path, "clone", "-q", "--bare", str(sample.path), str(where))
    repository = opened(where)
    files = run(repository.files(sample.first))
    assert {path: entry.mode for path, entry in files.items()} == {
        "link.py": "120000",
        "run.sh": "100755",
        "tests/test_a.py": "100644",
        "tests/w\u00e4sche/test b\n.py": "100644",
    }
    contents = run(repository.contents([entry.blob for entry in files.values()]))
    assert contents[files[TestPath("tests/test_a.py")].blob] == b"a\r\n\0\xff"
    assert contents[files[TestPath("tests/w\u00e4sche/test b\n.py")].blob] == b""
    assert run(repository.files(sample.second))[TestPath("tests/test_a.py")] != files[TestPath("tests/test_a.py")]


def test_a_directory_of_a_checkout_gives_the_whole_tree(sample: Sample) -> None:
    assert TestPath("run.sh") in run(opened(sample.path / "tests").files(sample.first))


def test_a_name_that_is_not_utf8_is_left_out(sample: Sample) -> None:
    Path(os.fsdecode(os.fsencode(sample.path) + b"/caf\xe9.py")).write_bytes(b"")
    commit = sample.commit("odd name")
    assert len(run(opened(sample.path).files(commit))) == 4


def test_contents_are_the_same_for_many_blobs_and_repeated_ones(sample: Sample) -> None:
    for number in range(30):
        (sample.path / f"f{number}").write_bytes(b"%d\n" % number * 1000)
    files = run(opened(sample.path).files(sample.commit("many")))
    blobs = [entry.blob for entry in files.values() if entry.regular] * 2
    contents = run(opened(sample.path).contents(blobs))
    assert contents[files[TestPath("f7")].blob] == b"7\n" * 1000
    assert len(contents) == len(set(blobs))
    assert run(opened(sample.path).contents([])) == {}


def test_revisions_resolve_to_commits(sample: Sample) -> None:
    git(sample.path, "tag", "-a", "-m", "annotated", "v1", sample.first)
    repository = opened(sample.path)
    assert run(repository.resolve("main")) == sample.second
    assert run(repository.resolve("v1")) == sample.first
    assert run(repository.resolve(sample.side[:10])) == sample.side


@pytest.mark.parametrize("revision", ["", "nowhere", "-v", "--all", "main:tests", "main\0", "0" * 40, "main\nside"])
def test_an_unknown_revision_is_the_user_s_to_mend(sample: Sample, revision: str) -> None:
    with pytest.raises(UserError, match="no commit"):
        run(opened(sample.path).resolve(revision))
    with pytest.raises(UserError):
        run(opened(sample.path).files(CommitSha(revision)))


def test_ancestry_is_false_where_it_is_unknown(sample: Sample) -> None:
    repository = opened(sample.path)
    unknown = CommitSha("1" * 40)
    assert run(repository.is_ancestor(sample.second, sample.second))
    assert not run(repository.is_ancestor(sample.second, sample.first))
    assert not run(repository.is_ancestor(sample.side, sample.second))
    assert not run(repository.is_ancestor(unknown, sample.second))
    assert not run(repository.is_ancestor(CommitSha("--help"), sample.second))
    assert run(repository.has(sample.side))
    assert not run(repository.has(unknown))


@pytest.mark.parametrize("blob", ["1" * 40, "no", "--batch-all-objects", "a b"])
def test_a_blob_that_is_not_there_is_named(sample: Sample, blob: str) -> None:
    with pytest.raises(UserError, match=blob):
        run(opened(sample.path).contents([BlobSha(blob)]))


def test_a_tree_is_not_a_file_s_content(sample: Sample) -> None:
    tree = BlobSha(git(sample.path, "rev-parse", "main^{tree}"))
    with pytest.raises(UserError, match="no file content"):
        run(opened(sample.path).contents([tree]))


def test_remotes_tell_whose_copy_it_is(sample: Sample) -> None:
    for name, url in (
        ("origin", "https://github.com/RadixArk/miles.git"),
        ("ssh", "git@github.com:someone/miles"),
        ("odd.name", "/srv"),
    ):
        git(sample.path, "remote", "add", name, url)
    assert run(opened(sample.path).remotes()) == (
        Remote("origin", "https://github.com/RadixArk/miles.git", "radixark/miles"),
        Remote("ssh", "git@github.com:someone/miles", "someone/miles"),
        Remote("odd.name", "/srv", ""),
    )


def test_a_bare_repository_has_no_work_tree_and_no_remotes(sample: Sample, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "empty.git")
    assert run(opened(sample.path / "tests").work_tree()) == sample.path
    assert run(opened(tmp_path / "empty.git").work_tree()) is None
    assert run(opened(tmp_path / "empty.git").remotes()) == ()


@pytest.mark.parametrize("name", ["", "file", "missing", "a\0b"])
def test_what_is_no_repository_is_said_with_the_remedy(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="give a checkout or a bare repository"):
        opened(Path(f"{tmp_path}/{name}"))


def test_nothing_the_repository_configures_is_run(sample: Sample) -> None:
    alarm = sample.path.parent / "alarm"
    spy = sample.path / "spy.sh"
    spy.write_text(f"#!/bin/sh\ntouch {alarm}\n")
    spy.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "uploadpack.packObjectsHook"):
        git(sample.path, "config", key, str(spy))
    git(sample.path, "config", "filter.x.smudge", str(spy))
    git(sample.path, "config", "extensions.partialClone", "away")
    git(sample.path, "config", "remote.away.url", f"ext::{spy}")
    git(sample.path, "config", "remote.away.promisor", "true")
    git(sample.path, "config", "protocol.ext.allow", "always")
    repository = opened(sample.path)
    files = run(repository.files(sample.first))
    run(repository.contents([entry.blob for entry in files.values()]))
    with pytest.raises(UserError, match="no file content"):
        run(repository.contents([BlobSha("1" * 40)]))
    run(repository.is_ancestor(CommitSha("1" * 40), sample.first))
    assert not alarm.exists()


def test_replacements_and_the_caller_s_git_variables_change_nothing(
    sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(sample.path, "replace", sample.first, sample.side)
    git(sample.path, "replace", "-f", sample.second, sample.side)
    monkeypatch.setenv("GIT_DIR", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "broken")
    files = run(opened(sample.path).files(sample.second))
    blob = files[TestPath("tests/test_a.py")].blob
    assert run(opened(sample.path).contents([blob])) == {blob: b"b\n"}


def test_a_git_that_hangs_is_ended(sample: Sample) -> None:
    with pytest.raises(UserError, match="took over"):
        run(LocalGit(sample.path, timeout_s=0.0).resolve("main"))
