"""The log dialects, and which of them wrote a given log.

A new dialect is one module and one line in `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Callable

from bot.evidence.dialects import suite_runner
from bot.evidence.dialects.port import Dialect

DIALECTS: dict[str, Dialect] = {
    suite_runner.NAME: suite_runner,
}


def detect(read: Callable[[], bytes]) -> Dialect | None:
    """The dialect whose marker comes first in a log, None where there is none.

    `read` gives the next chunk, b"" at the end. A marker may lie across two chunks. Reads no
    further than the chunk that decides.
    """
    overlap = max(len(marker) for dialect in DIALECTS.values() for marker in dialect.MARKERS) - 1
    tail = b""
    while chunk := read():
        seam = tail + chunk[:overlap]
        for dialect in DIALECTS.values():
            if any(marker in chunk or marker in seam for marker in dialect.MARKERS):
                return dialect
        tail = (tail + chunk[-overlap:])[-overlap:]
    return None
