"""The real bare git repository behind one sandbox repository, driven through the `git` command.

Objects, references and comparisons only: who may do what, and how GitHub words it, is decided
elsewhere. Every call blocks; nothing here is run or imported from the repository.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.sandbox.git_diff import FileDiff, parse_diff
from bot.sandbox.git_reader import GitError, ObjectReader, run_git
from bot.sandbox.git_values import ZERO, Commit, Entry, Person, RefChange

_LOG = "--format=%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
_LOG_FIELDS = 10


class GitStore:
    """One bare repository on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = ObjectReader(path)

    @classmethod
    def create(cls, path: Path, default_branch: str = "main") -> GitStore:
        """An empty bare repository at `path`."""
        path.mkdir(parents=True)
        store = cls(path)
        store.run("init", "-q", "--bare", "-b", default_branch)
        return store

    @classmethod
    def mirror(cls, source: Path, path: Path) -> GitStore:
        """A bare copy of the branches and tags of `source` (bare or a checkout)."""
        path.parent.mkdir(parents=True, exist_ok=True)
        run_git(path.parent, ("clone", "-q", "--bare", "--no-hardlinks", "--", str(source.resolve()), str(path)))
        store = cls(path)
        store.run("remote", "remove", "origin")
        return store

    def run(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Standard output of one git command in this repository.

        Raises:
            GitError: it did not exit with 0.
        """
        return run_git(self.path, args, stdin, env)

    def close(self) -> None:
        """Let go of the process that reads objects; it comes back when it is needed."""
        self._reader.close()

    # ------------------------------------------------------------------ objects

    def resolve(self, expression: str) -> str | None:
        """The object name of a revision expression such as `main:tests/x.py`; None where there is none."""
        found = self._reader.read(expression)
        return found.sha if found else None

    def commit_of(self, name: str) -> str | None:
        """The commit that a SHA, branch or tag name stands for."""
        return self.resolve(f"{name}^{{commit}}") if name else None

    def kind(self, name: str) -> str | None:
        """`blob`, `tree`, `commit` or `tag`; None where the object does not exist."""
        found = self._reader.read(name)
        return found.kind if found else None

    def blob(self, sha: str) -> bytes:
        """The bytes of one blob.

        Raises:
            GitError: there is no such blob.
        """
        found = self._reader.read(sha)
        if found is None or found.kind != "blob":
            raise GitError(f"{sha} is not a blob")
        return found.data

    def entries(self, tree: str, *options: str, path: str = "") -> list[Entry]:
        """The lines of a tree or commit; options are those of `git ls-tree`, such as `-r`.

        `path` narrows them to one name, or with a final slash to what is below it.
        """
        out = []
        for line in self.run("ls-tree", "-z", "-l", *options, "--", tree, *([path] if path else [])).split(b"\0")[:-1]:
            head, name = line.split(b"\t", 1)
            mode, kind, sha, size = head.split()
            out.append(
                Entry(
                    name.decode("utf-8", "surrogateescape"),
                    mode.decode(),
                    kind.decode(),
                    sha.decode(),
                    None if size == b"-" else int(size),
                )
            )
        return out

    def write_blob(self, data: bytes) -> str:
        """Store `data`; its object name."""
        return self.run("hash-object", "-w", "--stdin", stdin=data).decode().strip()

    def write_tree(self, base: str | None, entries: Sequence[Entry]) -> str:
        """A tree that is `base` (or empty) with `entries` put over it; nested paths are taken apart.

        Raises:
            GitError: the base is not a tree, or an entry is not valid.
        """
        with tempfile.TemporaryDirectory(dir=self.path) as where:
            env = {"GIT_INDEX_FILE": str(Path(where) / "index")}
            self.run("read-tree", base or "--empty", env=env)
            lines = b"".join(
                f"{entry.mode if entry.sha else '0'} {entry.sha or ZERO}\t".encode()
                + entry.path.encode("utf-8", "surrogateescape")
                + b"\0"
                for given in entries
                for entry in self._flat(given)
            )
            self.run("update-index", "-z", "--index-info", stdin=lines, env=env)
            return self.run("write-tree", env=env).decode().strip()

    def _flat(self, entry: Entry) -> list[Entry]:
        """An index holds files only: a subtree given by its SHA becomes its files."""
        if entry.mode != "040000" or entry.sha is None:
            return [entry]
        return [replace(inner, path=f"{entry.path}/{inner.path}") for inner in self.entries(entry.sha, "-r")]

    def write_commit(self, tree: str, parents: Sequence[str], message: str, who: tuple[Person, Person]) -> str:
        """A commit by `who` (author, committer); its object name.

        Raises:
            GitError: the tree or a parent does not exist.
        """
        author, committer = who
        env = {}
        for role, person in (("AUTHOR", author), ("COMMITTER", committer)):
            env[f"GIT_{role}_NAME"] = person.name
            env[f"GIT_{role}_EMAIL"] = person.email
            env[f"GIT_{role}_DATE"] = person.date.isoformat(timespec="seconds")
        flags = [flag for parent in parents for flag in ("-p", parent)]
        return self.run("commit-tree", tree, *flags, stdin=message.encode(), env=env).decode().strip()

    def log(self, *selection: str, paths: Sequence[str] = ()) -> list[Commit]:
        """The commits that `git log` selects; `paths` keeps those that touch one of them."""
        parts = self.run("log", "-z", _LOG, *selection, "--", *paths).decode("utf-8", "replace").split("\0")
        return [
            _commit(parts[at : at + _LOG_FIELDS])
            for at in range(0, len(parts) - _LOG_FIELDS + 1, _LOG_FIELDS)
            if parts[at]
        ]

    def commit(self, sha: str) -> Commit:
        """One commit."""
        return self.log("-1", sha)[0]

    # --------------------------------------------------------------- references

    def ref(self, name: str) -> str | None:
        """What a full reference name points at."""
        try:
            return self.run("show-ref", "--verify", "--hash", "--", name).decode().strip()
        except GitError:
            return None

    def refs(self, prefix: str = "refs/") -> list[tuple[str, str]]:
        """Full names and objects of all references that start with `prefix`."""
        out = self.run("for-each-ref", "--format=%(refname) %(objectname)").decode("utf-8", "surrogateescape")
        pairs = [(name, sha) for name, sha in (line.split(" ") for line in out.splitlines())]
        return [pair for pair in pairs if pair[0].startswith(prefix)]

    def valid_ref(self, name: str) -> bool:
        """True for a full name that git accepts."""
        try:
            self.run("check-ref-format", name)
        except GitError:
            return False
        return name.startswith("refs/")

    def update_refs(self, changes: Sequence[RefChange]) -> None:
        """Move all references or none, in one git transaction.

        Raises:
            GitError: one of them is not where its `before` says, or cannot be written.
        """
        lines = [b"start\0"]
        for change in changes:
            before = b"" if change.before is None else change.before.encode()
            name = change.ref.encode("utf-8", "surrogateescape")
            if change.after == ZERO:
                lines.append(b"delete " + name + b"\0" + before + b"\0")
            else:
                lines.append(b"update " + name + b"\0" + change.after.encode() + b"\0" + before + b"\0")
        lines += [b"prepare\0", b"commit\0"]
        self.run("update-ref", "-z", "--stdin", stdin=b"".join(lines))

    # -------------------------------------------------------------- comparisons

    def is_ancestor(self, commit: str, of: str) -> bool:
        """True where `commit` is `of` or one of its ancestors."""
        try:
            self.run("merge-base", "--is-ancestor", commit, of)
        except GitError:
            return False
        return True

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor; None for unrelated histories."""
        try:
            return self.run("merge-base", one, other).decode().split()[0]
        except GitError:
            return None

    def merges_cleanly(self, one: str, other: str) -> str | None:
        """The tree of a merge without conflicts; None where there are some."""
        try:
            return self.run("merge-tree", "--write-tree", "--no-messages", one, other).decode().split()[0]
        except GitError:
            return None

    def diff(self, before: str, after: str) -> list[FileDiff]:
        """The files that differ between two trees or commits, in git's order, renames found."""
        options = ("-r", "-M", "--no-abbrev", "--no-color", "--no-ext-diff")
        return parse_diff(
            self.run("diff-tree", *options, "--raw", "-z", before, after),
            self.run("diff-tree", *options, "-p", before, after),
        )


def _commit(parts: Sequence[str]) -> Commit:
    sha, tree, parents, author, author_mail, author_date, name, mail, date, message = parts
    return Commit(
        sha,
        tree,
        tuple(parents.split()),
        Person(author, author_mail, datetime.fromisoformat(author_date).astimezone(UTC)),
        Person(name, mail, datetime.fromisoformat(date).astimezone(UTC)),
        message.removesuffix("\n"),
    )
