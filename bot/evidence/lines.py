"""Job logs as bytes: blocks of whole lines out of a stream, and one line as its program printed it.

Lines end at LF only: `str.splitlines` would also split at U+2028, U+0085, form feeds and bare CRs,
and every line number would be wrong. Knows nothing of any log dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

CHUNK_BYTES: Final = 1 << 18  # stays in a core's cache while it is hashed, counted and searched
MAX_LINE_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 4 * 1024  # kept of an overlong line's start; the rest is its end

BOM: Final = b"\xef\xbb\xbf"

# `gh run view --log` puts `job<TAB>step<TAB>` before each line; the Actions runner a UTC time with
# seven decimals. Either may be missing, and neither is ever doubled.
_PREFIX = re.compile(
    rb"(?:[^\t\n]{1,300}\t[^\t\n]{1,300}\t)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?: |$)",
)
_ANSI = re.compile(rb"\x1b\[[0-9;?]{0,32}[A-Za-z]")


def blocks_of(readinto: Callable[[memoryview], int]) -> Iterator[tuple[bytearray, int]]:
    """Read into one buffer and yield (buffer, end): its first `end` bytes are whole lines.

    Only the last block may lack its final LF. The buffer is used again for the next block. Of a
    line that spans reads, `MAX_LINE_BYTES` are kept, its start and its end, so that a log of one
    endless line needs no more memory than any other.
    """
    buffer = bytearray(MAX_LINE_BYTES + CHUNK_BYTES)
    view = memoryview(buffer)
    held = 0  # bytes of an unfinished line, at the buffer's start
    while got := readinto(view[held : held + CHUNK_BYTES]):
        filled = held + got
        end = buffer.rfind(b"\n", held, filled) + 1
        if end:
            yield buffer, end
        held = filled - end
        view[:held] = view[end:filled]
        if held > MAX_LINE_BYTES:
            view[_HEAD_BYTES:MAX_LINE_BYTES] = view[held - MAX_LINE_BYTES + _HEAD_BYTES : held]
            held = MAX_LINE_BYTES
    if held:
        yield buffer, held


def clipped(line: bytes) -> bytes:
    """An overlong line's first 4 KiB and its end, together `MAX_LINE_BYTES`; any other as it is."""
    if len(line) <= MAX_LINE_BYTES:
        return line
    return line[:_HEAD_BYTES] + line[_HEAD_BYTES - MAX_LINE_BYTES :]


def payload(line: bytes) -> bytes:
    """One line without LF, byte-order marks, transport prefix, colours, and what a bare CR overwrote.

    The Actions runner writes a byte-order mark first, and again at the head of each 2 MiB block.
    """
    text = clipped(line).rstrip(b"\r\n")
    if BOM in text:
        text = text.replace(BOM, b"")
    prefix = _PREFIX.match(text)
    if prefix:
        text = text[prefix.end() :]
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    if b"\r" in text:
        text = text[text.rfind(b"\r") + 1 :]
    return text
