"""Reads git objects by name through one long-lived `git cat-file --batch`, and the one way to start git.

Objects never change, so nothing is kept but the process. It is started on first use and ends with
`close` or with the reader.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

KINDS = frozenset({"blob", "tree", "commit", "tag"})


class GitError(Exception):
    """git refused: the message is its standard error."""


@dataclass(frozen=True, slots=True)
class Found:
    """One object: its name, git's word for its kind, and its bytes."""

    sha: str
    kind: str
    data: bytes


class ObjectReader:
    """The objects of one repository. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._finish: weakref.finalize[..., ObjectReader] | None = None

    def read(self, name: str) -> Found | None:
        """The object that a SHA or a revision expression names; None where there is none.

        Raises:
            GitError: git does not answer.
        """
        if not name or "\n" in name or "\0" in name:
            return None
        with self._lock:
            process = self._running()
            if process.stdin is None or process.stdout is None:
                raise GitError("git cat-file has no pipes")
            try:
                process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
                process.stdin.flush()
                return _answer(process.stdout)
            except OSError as error:
                self._end()
                raise GitError(f"git cat-file ended: {error}") from error

    def close(self) -> None:
        """End the process; reading again starts another."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                ["git", "cat-file", "--batch"],  # noqa: S607 - git is found by the search path, as everywhere else
                cwd=self.path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=clean_environment(),
            )
            self._finish = weakref.finalize(self, _stop, self._process)
        return self._process

    def _end(self) -> None:
        if self._finish is not None:
            self._finish()
        self._process = self._finish = None


def run_git(cwd: Path, args: Sequence[str], stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
    """Standard output of one git command.

    Raises:
        GitError: it did not exit with 0.
    """
    done = subprocess.run(  # noqa: S603 - a fixed program, arguments as a list, no shell
        ["git", *args],  # noqa: S607 - git is found by the search path, as everywhere else
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
        env={**clean_environment(), **(env or {})},
    )
    if done.returncode:
        raise GitError(done.stderr.decode("utf-8", "replace").strip() or f"git {args[0]} exited {done.returncode}")
    return done.stdout


def clean_environment() -> dict[str, str]:
    """No configuration and no repository but the one named: the same answers on every machine."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "TZ": "UTC"}


def _answer(out: IO[bytes]) -> Found | None:
    """`<sha> <kind> <size>`, the bytes and a line feed; or the name again and a word."""
    line = out.readline()
    if not line:
        raise BrokenPipeError("end of output")
    head = line.decode("utf-8", "replace").split()
    if len(head) != 3 or head[1] not in KINDS or not head[2].isdigit():
        return None
    data = out.read(int(head[2]))
    out.read(1)
    return Found(head[0], head[1], data)


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.kill()
    process.wait()
