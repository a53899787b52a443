"""What git calls a whole tree, computed from its files: equal names are equal trees, to the last mode.

Nothing is read or written here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Protocol

from bot.domain import BlobSha, TestPath, TreeSha

_FOLDER = "40000"

Folder = dict[bytes, bytes]  # by what git sorts an entry by: its line


class Entry(Protocol):
    """One file of a tree: its blob and git's mode as six octal digits."""

    @property
    def blob(self) -> BlobSha:
        """Its bytes' name."""
        ...

    @property
    def mode(self) -> str:
        """Such as 100644."""
        ...


Tree = Mapping[TestPath, Entry]


def tree_name(files: Tree) -> TreeSha:
    """The SHA-1 of the tree that holds these files and nothing else (git-scm.com/book, Git Objects).

    Git sorts a folder as if its name ended in a slash, and writes modes without leading zeros. A tree with an
    empty folder, or with a name that is not UTF-8, has another name than the one computed here.
    """
    folders: dict[str, Folder] = {"": {}}
    for path, entry in files.items():
        folder, _, name = path.rpartition("/")
        _opened(folders, folder)[_bytes(name)] = _line(entry.mode.lstrip("0"), name, entry.blob)
    for folder in sorted(folders.keys() - {""}, key=lambda one: one.count("/"), reverse=True):
        above, _, name = folder.rpartition("/")
        folders[above][_bytes(f"{name}/")] = _line(_FOLDER, name, _sha(folders[folder]))
    return TreeSha(_sha(folders[""]))


def _opened(folders: dict[str, Folder], path: str) -> Folder:
    """The folder of this path, which is made with those above it where it is not there yet."""
    found = folders.setdefault(path, {})
    above = path
    while above:
        above = above.rpartition("/")[0]
        if above in folders:
            break
        folders[above] = {}
    return found


def _line(mode: str, name: str, sha: str) -> bytes:
    return b"%s %s\0%s" % (mode.encode(), _bytes(name), bytes.fromhex(sha))


def _sha(folder: Folder) -> str:
    content = b"".join(line for _, line in sorted(folder.items()))
    return hashlib.sha1(b"tree %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
