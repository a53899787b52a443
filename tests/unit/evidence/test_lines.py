from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.evidence.lines import CHUNK_BYTES, MAX_LINE_BYTES, blocks_of, payload


def _blocks(data: bytes, piece: int = CHUNK_BYTES) -> list[bytes]:
    stream = BytesIO(data)
    return [bytes(buffer[:end]) for buffer, end in blocks_of(lambda view: stream.readinto(view[:piece]))]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\x00", b"word "]), max_size=60), st.integers(1, 9))
def test_blocks_are_the_stream_cut_after_lf(parts: list[bytes], piece: int) -> None:
    data = b"".join(parts)
    blocks = _blocks(data, piece)
    assert b"".join(blocks) == data
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_an_endless_line_keeps_its_start_and_its_end() -> None:
    data = b"start" + b"x" * (3 * CHUNK_BYTES) + b"end\nnext\n"
    (block,) = _blocks(data)
    line, following, _ = block.split(b"\n")
    assert (line[:5], line[-3:], following) == (b"start", b"end", b"next")
    assert len(line) <= MAX_LINE_BYTES + CHUNK_BYTES


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain", b"plain"),
        (b"2026-08-20T15:00:00.0000000Z Begin (0/1):", b"Begin (0/1):"),
        (b"2026-08-20T15:00:00.0000000Z", b""),
        (b"2026-08-20T15:00:00.0000000Z   two spaces stay", b"  two spaces stay"),
        (b"\xef\xbb\xbf2026-08-20T15:00:00.0000000Z x", b"x"),
        (b"job (1) / run\tUNKNOWN STEP\t\xef\xbb\xbf2026-08-20T15:00:00.0000000Z x", b"x"),
        (b"a\tb\tno time, so no prefix", b"a\tb\tno time, so no prefix"),
        (b"\x1b[36;1mpython x\x1b[0m", b"python x"),
        (b" 98%\r 99%\rdone", b"done"),
        (b"windows\r\n", b"windows"),
        (b"2026-08-20T15:00:00.0000000Z 2026-08-20T15:00:00.0000000Z x", b"2026-08-20T15:00:00.0000000Z x"),
    ],
)
def test_payload_is_what_the_program_printed(raw: bytes, text: bytes) -> None:
    assert payload(raw) == text
