"""Commits made over the API, whose files have the very bytes they should have: `CommitWriter`.

Text that is plain UTF-8 travels inside the tree and is held against its blob SHA afterwards;
everything else travels as base64 blobs. No ref moves here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from github.GitBlob import GitBlob
from github.GitCommit import GitCommit
from github.GithubObject import NotSet
from github.GitTree import GitTree
from github.InputGitTreeElement import InputGitTreeElement

from bot.domain import BlobSha, CommitSha, blob_sha
from bot.errors import InternalError
from bot.forge.answers import BusyError
from bot.forge.git_objects import checked_sha
from bot.forge.writes import WriteSession, github_errors, needed
from bot.globs import never_written
from bot.publish.ports.commits import FileWrite, NewCommit

MAX_INLINE_BYTES = 512 * 1024
_ASK_AT_ONCE = 100
_MODES = frozenset({"100644", "100755"})


@dataclass(frozen=True, slots=True)
class _Made:
    """A new commit's tree, and the blob that each file which travelled inside it should have become."""

    new: NewCommit
    inline: Mapping[str, BlobSha]
    tree: GitTree


@dataclass(frozen=True, slots=True)
class _Look:
    """What a new tree turned out to be: files with other bytes than given, and the parent's tree."""

    damaged: frozenset[str]
    parent_tree: object


class Commits:
    """Makes commits in one repository."""

    def __init__(self, session: WriteSession) -> None:
        self._session = session

    def commit(self, new: NewCommit) -> CommitSha:
        """The SHA of a commit with these files: the parent itself where it has them already.

        Author and committer are left out, so that GitHub signs the commit.

        Raises:
            RefusedError: contents may not be written, or the parent is not there.
            BusyError: GitHub did not answer.
            InternalError: a path that must never be written.
        """
        (made,) = self.commit_all((new,))
        return made

    def commit_all(self, news: Sequence[NewCommit]) -> tuple[CommitSha, ...]:
        """The same for several, none of which stands on another: their trees are looked at in one question."""
        for new in news:
            _guard(new.files)
        made = [self._made(new) for new in news]
        return tuple(self._committed(one, look) for one, look in zip(made, self._look(made), strict=True))

    def _made(self, new: NewCommit) -> _Made:
        inline = {file.path: blob_sha(file.content) for file in new.files if travels_inline(file.content)}
        return _Made(new, inline, self._make_tree(new, inline))

    def _committed(self, made: _Made, look: _Look) -> CommitSha:
        new, tree = made.new, made.tree
        if look.damaged:
            tree = self._make_tree(new, made.inline.keys() - look.damaged)
        if new.parent is not None and tree.sha == look.parent_tree:
            return new.parent
        parents = [] if new.parent is None else [self._existing_commit(new.parent)]
        with github_errors(f"POST {self._session.name.path}/git/commits"):
            commit = self._session.repo.create_git_commit(new.message, tree, parents)
            return CommitSha(checked_sha(needed(commit.sha)))

    def _make_tree(self, new: NewCommit, inline: Iterable[str]) -> GitTree:
        """A tree over the parent's. A commit's SHA names its tree wherever GitHub wants a tree."""
        kept = frozenset(inline)
        elements = [self._element(file, kept) for file in new.files]
        base = NotSet if new.parent is None else self._existing_tree(new.parent)
        with github_errors(f"POST {self._session.name.path}/git/trees"):
            tree = self._session.repo.create_git_tree(elements, base)
            checked_sha(needed(tree.sha))
        return tree

    def _element(self, file: FileWrite, inline: frozenset[str]) -> InputGitTreeElement:
        if file.path in inline:
            return InputGitTreeElement(file.path, file.mode, "blob", content=file.content.decode())
        return InputGitTreeElement(file.path, file.mode, "blob", sha=self._blob(file.content))

    def _blob(self, content: bytes) -> BlobSha:
        expected = blob_sha(content)
        with github_errors(f"POST {self._session.name.path}/git/blobs"):
            made: GitBlob = self._session.repo.create_git_blob(base64.b64encode(content).decode(), "base64")
        if made.sha != expected:
            raise BusyError("a blob came out with other bytes than it was given")
        return expected

    def _look(self, made: Sequence[_Made]) -> list[_Look]:
        """Hold the inline files against the blobs of the new trees, and learn the parents' trees."""
        asked = [(n, path) for n, one in enumerate(made) for path in sorted(one.inline)]
        damaged: list[set[str]] = [set() for _ in made]
        parents: list[object] = [None] * len(made)
        for start in range(0, max(len(asked), 1), _ASK_AT_ONCE):
            part = asked[start : start + _ASK_AT_ONCE]
            found, parents = self._oids(made, part)
            for (n, path), oid in zip(part, found, strict=True):
                if oid != made[n].inline[path]:
                    damaged[n].add(path)
        return [_Look(frozenset(paths), tree) for paths, tree in zip(damaged, parents, strict=True)]

    def _oids(self, made: Sequence[_Made], asked: Sequence[tuple[int, str]]) -> tuple[list[object], list[object]]:
        """The blob of each path in its tree, and the tree of each one's parent; None for what is not there."""
        names = {f"f{at}": f"{made[n].tree.sha}:{path}" for at, (n, path) in enumerate(asked)}
        fields = "id " + " ".join(f"{name}: object(expression: ${name}) {{ oid }}" for name in names)
        for n, one in enumerate(made):
            if one.new.parent is not None:
                parent = checked_sha(one.new.parent)
                fields += f' p{n}: object(oid: "{parent}") {{ ... on Commit {{ tree {{ oid }} }} }}'
        repository = self._session.repository_fields(fields, names)
        parents = [((repository.get(f"p{n}") or {}).get("tree") or {}).get("oid") for n in range(len(made))]
        return [(repository.get(name) or {}).get("oid") for name in names], parents

    def _existing_tree(self, sha: CommitSha) -> GitTree:
        return GitTree(self._session.repo.requester, {}, {"sha": checked_sha(sha)}, completed=True)

    def _existing_commit(self, sha: CommitSha) -> GitCommit:
        return GitCommit(self._session.repo.requester, {}, {"sha": checked_sha(sha)}, completed=True)


def travels_inline(content: bytes) -> bool:
    """True for text that JSON cannot damage: small UTF-8 without NUL and without BOM.

    GitHub takes a tree entry's inline content for UTF-8 and damages other encodings
    (github.com/BetaHuhn/repo-file-sync-action/pull/163).
    """
    if len(content) > MAX_INLINE_BYTES or b"\0" in content or content.startswith(b"\xef\xbb\xbf"):
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guard(files: Iterable[FileWrite]) -> None:
    """The last line of defence: workflows, git's own files and paths that leave the tree."""
    for file in files:
        if never_written(file.path):
            raise InternalError(f"{file.path[:200]!r} is never written")
        if file.mode not in _MODES:
            raise InternalError(f"{file.path[:200]!r}: mode {file.mode} is not a regular file's")
