"""A repository on this machine, bare or checked out, read with the git command line.

Fulfils `bot.edit.ports.SourceTree`. Reads objects only: no hook, filter, pager, fetch or program
named by the repository's configuration is ever run, and nothing is written.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.domain import BlobSha, CommitNote, CommitSha, TestPath
from bot.edit.ports import TreeEntry
from bot.errors import InternalError, UserError
from bot.forge.git_objects import MOST_COMMITS, SUBJECT_LIMIT

TIMEOUT_S = 120
_BLOBS_A_CALL = 2000
_SHA = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[:/]([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}?)(?:\.git)?/?\Z")
# What the environment may add is dropped with it: GIT_DIR, GIT_CONFIG_COUNT, replaced object stores.
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",  # a partial clone would fetch a missing blob by a configured program
    "GIT_ALLOW_PROTOCOL": "none",  # and so would git before 2.39.4, which does not know the line above
}
_SETTINGS = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}", "core.pager=cat", "protocol.allow=never")


@dataclass(frozen=True, slots=True)
class Remote:
    """A configured remote. `repository` is `owner/name` in lower case, "" where the URL ends in none."""

    name: str
    url: str
    repository: str


@dataclass(frozen=True, slots=True)
class _Answer:
    code: int
    out: bytes
    err: str


class LocalGit:
    """One repository. Construct it with `open_repository`, which checks that it is one."""

    def __init__(self, path: Path, timeout_s: float = TIMEOUT_S) -> None:
        self.path = path
        self._timeout_s = timeout_s

    async def resolve(self, revision: str) -> CommitSha:
        """The commit a branch, tag or SHA names.

        Raises:
            UserError: there is no such commit.
        """
        wrong = UserError(f"{self.path}: no commit {revision!r}; name a branch, a tag or a SHA (is it fetched?)")
        if not revision or revision.startswith("-") or "\0" in revision:
            raise wrong
        answer = await self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        sha = answer.out.decode(errors="replace").strip()
        if answer.code or not _SHA.fullmatch(sha):
            raise wrong
        return CommitSha(sha)

    async def files(self, commit: CommitSha) -> Mapping[TestPath, TreeEntry]:
        """Every file of the commit's tree, by path; a name that is not UTF-8 is left out, for no log can hold it.

        Raises:
            UserError: the commit is not in the repository.
        """
        sha = await self.resolve(commit)
        answer = await self._git("ls-tree", "-r", "-z", "--full-tree", sha)
        if answer.code:
            raise self._failed("ls-tree", answer)
        return dict(_entries(answer.out))

    async def contents(self, blobs: Sequence[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes of each blob.

        Raises:
            UserError: one of them is not in the repository.
        """
        found: dict[BlobSha, bytes] = {}
        wanted = list(dict.fromkeys(blobs))
        for blob in wanted:
            if not _SHA.fullmatch(blob):
                raise UserError(f"{self.path}: {blob!r} is not a blob's SHA")
        for start in range(0, len(wanted), _BLOBS_A_CALL):
            part = wanted[start : start + _BLOBS_A_CALL]
            answer = await self._git("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in part).encode())
            if answer.code:
                raise self._failed("cat-file", answer)
            found.update(self._blobs(part, answer.out))
        return found

    async def is_ancestor(self, commit: CommitSha, of: CommitSha) -> bool:
        """True where `commit` is `of` or one of its ancestors; False where either is unknown here."""
        if not (_SHA.fullmatch(commit) and _SHA.fullmatch(of)):
            return False
        return (await self._git("merge-base", "--is-ancestor", commit, of)).code == 0

    async def touching(self, path: TestPath, since: CommitSha | None, until: CommitSha) -> tuple[CommitNote, ...]:
        """The newest commits of `until` that touch a file and are no part of `since`; none where either is unknown."""
        if not _SHA.fullmatch(until) or (since is not None and not _SHA.fullmatch(since)):
            return ()
        wanted = [until, f"^{since}"] if since else [until]
        form = ["--format=%ct %s", f"--max-count={MOST_COMMITS}"]  # rev-list, unlike log, starts no program
        answer = await self._git("--literal-pathspecs", "rev-list", *form, *wanted, "--", path)
        return tuple(_notes(answer.out.decode(errors="replace"))) if answer.code == 0 else ()

    async def has(self, commit: CommitSha) -> bool:
        """True where the repository holds the commit."""
        return bool(_SHA.fullmatch(commit)) and (await self._git("cat-file", "-e", f"{commit}^{{commit}}")).code == 0

    async def is_shallow(self) -> bool:
        """True where history is cut off somewhere, so that an ancestor may not be seen as one."""
        return (await self._git("rev-parse", "--is-shallow-repository")).out.strip() == b"true"

    async def remotes(self) -> tuple[Remote, ...]:
        """The configured remotes, by name. A URL says whose repository this is a copy of."""
        answer = await self._git("config", "--local", "-z", "--get-regexp", r"^remote\..*\.url$")
        found: list[Remote] = []
        for item in answer.out.decode(errors="replace").split("\0"):
            key, _, url = item.partition("\n")
            if key:
                match = _REPOSITORY.search(url)
                name = key.removeprefix("remote.").removesuffix(".url")
                found.append(Remote(name, url, match[1].lower() if match else ""))
        return tuple(found)

    async def work_tree(self) -> Path | None:
        """The root of the checked-out files; None for a bare repository."""
        answer = await self._git("rev-parse", "--show-toplevel")
        where = os.fsdecode(answer.out).rstrip("\n")
        return Path(where) if answer.code == 0 and where else None

    def _blobs(self, wanted: Sequence[BlobSha], out: bytes) -> Iterator[tuple[BlobSha, bytes]]:
        """The answers of `cat-file --batch`: `<sha> blob <size>`, the bytes, a newline; in the order asked."""
        position = 0
        for blob in wanted:
            end = out.find(b"\n", position)
            words = out[position:end].split()
            if end < 0 or len(words) != 3 or words[1] != b"blob":
                raise UserError(f"{self.path}: no file content {blob}; fetch the repository without a filter")
            size = int(words[2])
            yield blob, out[end + 1 : end + 1 + size]
            position = end + 1 + size + 1

    async def check(self) -> None:
        """Raise UserError, with the remedy, where git cannot read a repository at the path."""
        answer = await self._git("rev-parse", "--git-dir")
        if answer.code == 0:
            return
        if "dubious ownership" in answer.err:
            raise UserError(f"{self.path}: it belongs to another user; give its top directory, or run as its owner")
        raise UserError(f"{self.path}: not a git repository; give a checkout or a bare repository")

    def _failed(self, command: str, answer: _Answer) -> UserError:
        lines = answer.err.strip().splitlines() or [f"exit status {answer.code}"]
        return UserError(f"{self.path}: git {command} failed: {lines[-1][:300]}; run git fsck there")

    async def _git(self, *arguments: str, stdin: bytes = b"") -> _Answer:
        settings = [part for setting in (*_SETTINGS, f"safe.directory={self.path}") for part in ("-c", setting)]
        command = ["git", "--no-replace-objects", "--no-pager", *settings, "-C", str(self.path), *arguments]
        environment = {**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)}
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
            )
        except FileNotFoundError as error:
            raise UserError("git is not installed, or not on PATH") from error
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin), self._timeout_s)
        except TimeoutError as error:
            raise UserError(f"{self.path}: git {arguments[0]} took over {self._timeout_s:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode is None:
            raise InternalError("git ended without a status")
        return _Answer(process.returncode, out, err.decode(errors="replace"))


async def open_repository(path: Path) -> LocalGit:
    """The repository at `path`, or around it where that is a directory of a checkout.

    Raises:
        UserError: there is none, or git may not read it; the message says what to do.
    """
    git = LocalGit(await asyncio.to_thread(_directory, path))
    await git.check()
    return git


def _directory(path: Path) -> Path:
    try:
        found = path.resolve()
        if found.is_dir():
            return found
    except (OSError, ValueError, RuntimeError):  # a NUL, a name too long, a loop of links
        pass
    raise UserError(f"{str(path)!r}: no such directory; give a checkout or a bare repository")


def _notes(out: str) -> Iterator[CommitNote]:
    """`commit <sha>` and, on the next line, its time and subject."""
    lines = iter(out.split("\n"))
    for head, told in zip(lines, lines, strict=False):
        moment, _, subject = told.partition(" ")
        sha = head.removeprefix("commit ")
        if _SHA.fullmatch(sha) and moment.isdigit():
            yield CommitNote(CommitSha(sha), subject[:SUBJECT_LIMIT], datetime.fromtimestamp(int(moment), UTC))


def _entries(out: bytes) -> Iterator[tuple[TestPath, TreeEntry]]:
    """`<mode> <type> <sha>` TAB `<path>` NUL, for each file."""
    for item in out.split(b"\0"):
        head, _, name = item.partition(b"\t")
        words = head.decode("ascii", "replace").split()
        try:
            path = name.decode()
        except UnicodeDecodeError:
            continue
        if len(words) == 3:
            yield TestPath(path), TreeEntry(BlobSha(words[2]), words[0])
