"""Source bytes as text and back, without losing a byte: BOM, PEP 263 cookie, every newline as written.

Positions are those of CPython's parser: lines end at LF, CR LF or CR (a form feed ends none), columns
count UTF-8 bytes. Knows no grammar and judges no file.
"""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

MAX_SOURCE_BYTES = 1024 * 1024  # a test file; the largest of radixark/miles has 130 kB
_NEWLINE = re.compile(r"\r\n|\r|\n")
_HEAD_BYTES = 400  # where PEP 263 looks (two lines) with room for a licence line


@dataclass(frozen=True, slots=True)
class SourceText:
    """A decoded file. `text` has no BOM; `encode(text)` gives the file's bytes again."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    def encode(self, text: str) -> bytes:
        """`text` in this file's encoding, behind its BOM.

        Raises:
            UnicodeEncodeError: the encoding has no such character.
        """
        return self.bom + text.encode(self.encoding)

    def byte_offsets(self) -> Callable[[int], int]:
        """A function from character offsets of `text` to byte offsets of the file; fastest in rising order."""
        known = [0, len(self.bom)]  # a character offset and its byte offset

        def byte_offset(offset: int) -> int:
            if offset < known[0]:
                known[:] = 0, len(self.bom)
            known[:] = offset, known[1] + len(self.text[known[0] : offset].encode(self.encoding))
            return known[1]

        return byte_offset


@dataclass(frozen=True, slots=True)
class Undecodable:
    """Why bytes cannot be read as source text."""

    detail: str


def decode(raw: bytes) -> SourceText | Undecodable:
    """Decode as CPython would, except that a byte outside the encoding is refused even in a comment.

    An encoding that does not give the same bytes back (UTF-7, raw escapes) is refused too: an
    edit could not leave the rest alone.
    """
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    body = raw[len(bom) :]
    try:
        encoding = _encoding(raw)
        text = body.decode(encoding)
        if encoding != "utf-8" and text.encode(encoding) != body:
            return Undecodable(f"{encoding} does not give the same bytes back")
    except (SyntaxError, ValueError, LookupError) as error:
        return Undecodable(str(error).splitlines()[0][:200] if str(error) else type(error).__name__)
    if "\0" in text:
        return Undecodable("holds a NUL")
    return SourceText(text, encoding, bom)


def _encoding(raw: bytes) -> str:
    """The encoding the file declares; `utf-8` for none. Raises SyntaxError for an unknown one."""
    if b"coding" not in raw[:_HEAD_BYTES]:
        return "utf-8"
    name, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    return "utf-8" if name == "utf-8-sig" else name


class Lines:
    """Line and column of CPython's parser to character offsets of one text, and back."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """The offset of 1-based `line` and 0-based UTF-8 byte `column`."""
        start = self._starts[line - 1]
        content = self.line(line)
        if content.isascii():
            return start + column
        return start + len(content.encode()[:column].decode(errors="ignore"))

    def line(self, number: int) -> str:
        """One line (1-based) with its newline."""
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end]

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds the offset."""
        return bisect_right(self._starts, offset)
