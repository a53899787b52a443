"""Writes file edits as one patch that `git apply` takes, in bytes: any encoding, CRLF, no final newline.

The format is git's own (git-diff(1), "Generating patch text with -p"). Applying it is git's part.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from bot.domain import FileEdit, blob_sha

_CONTEXT = 3
_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def patch(edits: Iterable[FileEdit]) -> bytes:
    """The patch of all edits, by path; empty where there are none."""
    return b"".join(_file(edit) for edit in sorted(edits, key=lambda edit: edit.path))


def _file(edit: FileEdit) -> bytes:
    old, new = _quoted(b"a/" + edit.path.encode()), _quoted(b"b/" + edit.path.encode())
    head = b"diff --git %s %s\nindex %s..%s %s\n" % (
        old,
        new,
        blob_sha(edit.before).encode(),
        blob_sha(edit.after).encode(),
        edit.mode.encode(),
    )
    lines = difflib.diff_bytes(
        difflib.unified_diff, _lines(edit.before), _lines(edit.after), _named(old), _named(new), n=_CONTEXT
    )
    return head + b"".join(_ended(lines))


def _lines(raw: bytes) -> list[bytes]:
    """Lines with their LF; the last may lack one. A CR belongs to its line."""
    parts = raw.split(b"\n")
    ended = [part + b"\n" for part in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended


def _ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + _NO_NEWLINE


def _named(path: bytes) -> bytes:
    """A path on its own line; a tab ends one that holds a space."""
    return path + b"\t" if b" " in path else path


def _quoted(path: bytes) -> bytes:
    """The path as git writes it: in C's quotes where it holds anything unusual."""
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in path):
        return path
    body = b"".join(_ESCAPES.get(x, b"%c" % x if 32 <= x < 127 else b"\\%03o" % x) for x in path)
    return b'"' + body + b'"'
