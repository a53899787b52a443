"""Divides an evidence file that is too large for one upload into several of the same form.

GitHub takes a blob of at most 100 MB, as base64 in one request
(docs.github.com/rest/git/blobs), and shows no large file in the browser. What the files hold is
their writers' part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

from bot.errors import UserError

PART_BYTES = 8 * 1024 * 1024  # 11 MB on the way, so that one request stays short
MAX_PARTS = 100  # of one file: 800 MB


@dataclass(frozen=True, slots=True)
class Line:
    """One record with its line end. `under` is the record that a part repeats before it where it would open with it."""

    raw: bytes
    under: bytes = b""


def parts(
    name: str, title: bytes, groups: Iterable[Sequence[Line]], part_bytes: int = PART_BYTES
) -> Mapping[str, bytes]:
    """File names and their bytes: `name` alone, or `name` and `stem-2.suffix` and so on where it is too large.

    Every part opens with `title`, and all records stand once, in their order. A file that is divided is
    divided between groups too: a group that comes again on another day fills the same parts again, which
    git keeps once.

    Raises:
        UserError: more than `MAX_PARTS` parts; the message names the setting that makes it fewer.
    """
    whole = tuple(tuple(group) for group in groups)
    if len(title) + sum(len(line.raw) for group in whole for line in group) <= part_bytes:
        return {name: b"".join((title, *(line.raw for group in whole for line in group)))}
    found: dict[str, bytes] = {}
    for group in whole:
        for part in _filled(title, group, part_bytes):
            if len(found) == MAX_PARTS:
                raise UserError(
                    f"{name} would be more than {MAX_PARTS} files of {part_bytes // 1024 // 1024} MB;"
                    " set estimate.window.nights in .github/recalibrate.yml to fewer nights"
                )
            found[part_name(name, len(found) + 1)] = part
    return found


def part_name(name: str, number: int) -> str:
    """The name of a part, counted from one: the first has the file's own."""
    path = PurePosixPath(name)
    return name if number == 1 else f"{path.stem}-{number}{path.suffix}"


def parts_of(name: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Those of `files` that are the file's parts, in their order."""
    names = (part_name(name, number) for number in range(1, MAX_PARTS + 1))
    return {name: files[name] for name in takewhile(files.__contains__, names)}


def stale_parts(there: Iterable[str], files: Mapping[str, bytes]) -> Sequence[str]:
    """Names in a directory that are further parts of one of `files` and not among them: a larger file's leavings."""
    further = {part_name(name, number) for name in files for number in range(2, MAX_PARTS + 1)}
    return sorted(name for name in there if name in further and name not in files)


def _filled(title: bytes, group: Sequence[Line], part_bytes: int) -> Iterator[bytes]:
    part, size = [title], len(title)
    for line in group:
        if size + len(line.raw) > part_bytes and len(part) > 1:
            yield b"".join(part)
            part = [title, line.under]
            size = len(title) + len(line.under)
        part.append(line.raw)
        size += len(line.raw)
    yield b"".join(part)
