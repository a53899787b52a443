"""Job logs as bytes: blocks of whole lines out of chunks, and one line as its program printed it.

Lines end at LF only: `str.splitlines` would also split at U+2028, U+0085, form feeds and bare CRs,
and every line number would be wrong. Knows nothing of any log dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

CHUNK_BYTES: Final = 1 << 20
MAX_LINE_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 4 * 1024  # kept of an overlong line's start; the rest is its end

BOM: Final = b"\xef\xbb\xbf"

# `gh run view --log` puts `job<TAB>step<TAB>` before each line; the Actions runner a UTC time with
# seven decimals. Either may be missing, and neither is ever doubled.
_PREFIX = re.compile(
    rb"(?:[^\t\n]{1,300}\t[^\t\n]{1,300}\t)?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z(?: |$)",
)
_ANSI = re.compile(rb"\x1b\[[0-9;?]{0,32}[A-Za-z]")


def chunks_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, at most `CHUNK_BYTES` at a time.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb", buffering=0) as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def blocks_of(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Regroup chunks into blocks that end at an LF; only the last block may lack it.

    A line that spans chunks is kept up to `MAX_LINE_BYTES`, its start and its end, so that a log
    of one endless line needs no more memory than any other.
    """
    carry = b""
    for chunk in chunks:
        end = chunk.rfind(b"\n") + 1
        if end == 0:
            carry = clipped(carry + chunk)
            continue
        yield carry + chunk[:end] if carry else chunk[:end]
        carry = clipped(chunk[end:])
    if carry:
        yield carry


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
