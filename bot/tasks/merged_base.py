"""Whether a merge of the base into our branch holds anything of its own. Pure: trees and bytes in, a verdict out.

GitHub's "Update branch" button makes such a merge: a person pressed it, and wrote nothing. That is
proved by content, not by who made it or what its message says: each file must be the base's, or ours,
or, where both sides changed it, the base's with the very lines replaced that our commit replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.domain import TestPath
from bot.edit.ports import TreeEntry

MOST_BYTES, MOST_LINES = 512 * 1024, 10_000  # of a file that both sides changed: larger ones are not compared

Tree = Mapping[TestPath, TreeEntry]


@dataclass(frozen=True, slots=True)
class FourTrees:
    """What our commit stood on, our commit, the base that was merged, and the merge."""

    stood_on: Tree
    ours: Tree
    base: Tree
    merge: Tree

    def disputed(self) -> tuple[TestPath, ...] | None:
        """Files that both sides changed, whose bytes decide; None where the merge holds something of its own."""
        both: list[TestPath] = []
        for path in {*self.base, *self.merge, *self.ours, *self.stood_on}:
            before, ours, base, merge = (tree.get(path) for tree in (self.stood_on, self.ours, self.base, self.merge))
            if ours in (before, base):
                expected = base
            elif base == before:
                expected = ours
            elif ours and base and merge and ours.mode == base.mode == merge.mode and before:
                both.append(path)
                continue
            else:
                return None
            if merge != expected:
                return None
        return tuple(sorted(both))


@dataclass(frozen=True, slots=True)
class FourVersions:
    """One file's bytes in the four trees."""

    stood_on: bytes
    ours: bytes
    base: bytes
    merge: bytes

    def replays(self) -> bool:
        """True where the merge is the base with the very lines replaced that ours replaced."""
        versions = (self.stood_on, self.ours, self.base, self.merge)
        if any(len(one) > MOST_BYTES or one.count(b"\n") > MOST_LINES for one in versions):
            return False
        return _replaced(self.stood_on, self.ours) == _replaced(self.base, self.merge)


def _replaced(before: bytes, after: bytes) -> list[tuple[list[bytes], list[bytes]]]:
    old, new = before.split(b"\n"), after.split(b"\n")
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(old[i:j], new[k:m]) for tag, i, j, k, m in blocks if tag != "equal"]
