"""Fits a text of several parts into a limit: whole rows only, the rest counted.

The measure is UTF-8 bytes for every field of GitHub: a check run's 65,535 are bytes, and a body's
65,536 are characters, of which there are never more than bytes. What the rows say is not this
module's part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BODY_LIMIT = 65_536  # characters of a pull request's or comment's body
CHECK_FIELD_LIMIT = 65_535  # bytes of a check run's summary or text


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text: `head`, then rows of which the last may be left out, then `foot`.

    `more` is written in place of the rows left out; it must hold `{n}`, their number.
    """

    head: str
    rows: tuple[str, ...] = ()
    foot: str = ""
    more: str = "\n{n} more.\n"


def size(text: str) -> int:
    """Bytes in UTF-8."""
    return len(text.encode())


def assemble(blocks: Sequence[Block], limit: int) -> str:
    """All blocks in order, within `limit` bytes.

    Heads and feet always stand. Rows first get an equal share of the room each block, then what is
    left goes to the blocks in order. The caller keeps heads and feet short; where they alone pass
    the limit the text is cut at a line.
    """
    least = sum(size(_render(block, 0)) for block in blocks)
    room = limit - least
    kept = [0] * len(blocks)
    for share in (room // max(len(blocks), 1), room):
        for number, block in enumerate(blocks):
            kept[number], used = _grow(block, kept[number], min(share, room))
            room -= used
    text = "".join(_render(block, rows) for block, rows in zip(blocks, kept, strict=True))
    return text if size(text) <= limit else _cut_at_line(text, limit)


def _render(block: Block, kept: int) -> str:
    left_out = len(block.rows) - kept
    more = block.more.format(n=f"{left_out:,}") if left_out else ""
    return block.head + "".join(block.rows[:kept]) + more + block.foot


def _grow(block: Block, kept: int, room: int) -> tuple[int, int]:
    """How many rows stand after spending at most `room` more bytes, and the bytes spent."""
    used = 0
    while kept < len(block.rows):
        cost = size(block.rows[kept])
        if used + cost > room:
            break
        used += cost
        kept += 1
    return kept, used


def _cut_at_line(text: str, limit: int) -> str:
    raw = text.encode()[: max(limit, 0)]
    return raw[: raw.rfind(b"\n") + 1].decode(errors="ignore")
