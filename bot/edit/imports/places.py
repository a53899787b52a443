"""Where in a repository a module or a path that a file names may be. Pure names: no tree is looked at.

Several places may hold one name; which of them Python would take depends on how the test is
started, so that all of them are given, and the ones that exist count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.domain import TestPath

ROOTS = ("", "src/", "python/")  # where packages stand; the importing file's own directory comes beside them
LONGEST = 512  # characters of a path
MOST_PARTS = 32  # of a path or a dotted name
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class LeavesError(Exception):
    """The name goes above the repository's root."""


def folder_of(path: str) -> str:
    """The directory of a path with a final `/`; "" for the root."""
    return path[: path.rfind("/") + 1]


def roots_of(path: str) -> tuple[str, ...]:
    """The directories from which the file's absolute imports may be resolved, each once."""
    return tuple(dict.fromkeys((folder_of(path), *ROOTS)))


def modules(name: str, roots: Sequence[str], inside: Sequence[str] = ()) -> Iterator[TestPath]:
    """The files that `import name` runs, packages on the way too; `inside` are the names of a `from name import`."""
    parts = name.split(".") if name else []
    if len(parts) > MOST_PARTS or len(name) > LONGEST:
        return
    for root in roots:
        for depth in range(1, len(parts) + 1):
            yield TestPath(f"{root}{'/'.join(parts[:depth])}/__init__.py")
        package = root + "".join(f"{part}/" for part in parts)
        if parts:
            yield TestPath(f"{root}{'/'.join(parts)}.py")
        for one in inside:
            yield TestPath(f"{package}{one}.py")
            yield TestPath(f"{package}{one}/__init__.py")


def package_above(path: str, level: int) -> str:
    """The directory that `level` dots of a relative import name.

    Raises:
        LeavesError: it is above the root.
    """
    folder = folder_of(path)
    for _ in range(level - 1):
        if not folder:
            raise LeavesError
        folder = folder_of(folder.rstrip("/"))
    return folder


def launched(word: str, path: str) -> Iterator[TestPath]:
    """The files that a word of a string may mean: from the root, from the file's own directory, or as a module.

    A leading `/` is passed over: it stands behind a directory that the program computes.

    Raises:
        LeavesError: the word goes above the root, wherever it is read from.
    """
    if len(word) > LONGEST or not ("/" in word or "." in word):
        return
    if _DOTTED.fullmatch(word):
        yield from modules(word, roots_of(path))
    relative = word.lstrip("/")
    from_here = _joined(folder_of(path), relative)
    if from_here is None:
        raise LeavesError
    for found in (_joined("", relative), from_here):
        if found:
            yield TestPath(found)


def _joined(folder: str, relative: str) -> str | None:
    """The path with its dots resolved, "" where it names no file; None where it leaves the root."""
    parts = folder.split("/")[:-1]
    steps = relative.split("/")
    if len(steps) > MOST_PARTS:
        return ""
    for step in steps:
        if step == "..":
            if not parts:
                return None if steps[-1] not in ("", ".", "..") else ""
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts) if steps[-1] not in ("", ".", "..") else ""
