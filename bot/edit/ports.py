"""What this stage needs from the outside: the files of a repository at any commit.

Fulfilled by `bot.forge.local_git` (a bare repository or a checkout) and by `bot.forge.tree`
(GitHub). Nothing of what is read is ever run or imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bot.domain import BlobSha, CommitSha, TestPath

REGULAR_MODES = frozenset({"100644", "100755"})  # 120000 is a symlink, 160000 a submodule


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a tree. `mode` is git's, as six octal digits; `size` in bytes, None where the source says none."""

    blob: BlobSha
    mode: str
    size: int | None = field(default=None, compare=False)  # the blob's, so it makes no difference of its own

    @property
    def regular(self) -> bool:
        """True for a plain file: the only kind that is read as source or written."""
        return self.mode in REGULAR_MODES


class SourceTree(Protocol):
    """A repository's files and ancestry."""

    async def files(self, commit: CommitSha) -> Mapping[TestPath, TreeEntry]:
        """Every file of the commit's tree, by path.

        Raises:
            UserError: the commit is not in the repository.
        """
        ...

    async def contents(self, blobs: Sequence[BlobSha]) -> Mapping[BlobSha, bytes]:
        """The bytes of each blob.

        Raises:
            UserError: one of them is not in the repository.
        """
        ...

    async def is_ancestor(self, commit: CommitSha, of: CommitSha) -> bool:
        """True where `commit` is `of` or one of its ancestors; False where it is unknown."""
        ...
