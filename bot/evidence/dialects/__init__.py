"""The log dialects, and which of them wrote a given log.

A new dialect is one module and one line in `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bot.evidence.dialects import older_suite_runner, structured_block, suite_runner
from bot.evidence.dialects.port import NOTHING_TOLD, Dialect, Told

DIALECTS: dict[str, Dialect] = {
    structured_block.NAME: structured_block,
    older_suite_runner.NAME: older_suite_runner,
    suite_runner.NAME: suite_runner,
}


def detect(read: Callable[[], bytes], told: Told = NOTHING_TOLD) -> Dialect | None:
    """The dialect whose marker comes first in a log, None where there is none.

    Where another dialect that may read the log overrides that one, it is the answer: it reads both,
    and what it finds of its own wins. `read` gives the next chunk, b"" at the end. A marker may lie
    across two chunks. Reads no further than the chunk that decides.
    """
    rivals = [DIALECTS[name] for name in told.dialects or DIALECTS if name in DIALECTS]
    overlap = max((len(marker) for dialect in rivals for marker in dialect.markers(told)), default=1) - 1
    tail = b""
    while rivals and (chunk := read()):
        text = tail + chunk
        found = _first(text, rivals, told)
        if found is not None:
            return next((dialect for dialect in rivals if found.NAME in dialect.OVERRIDES), found)
        tail = text[len(text) - min(overlap, len(text)) :]
    return None


def _first(text: bytes, dialects: Iterable[Dialect], told: Told) -> Dialect | None:
    """The dialect whose marker stands first in a piece of a log."""
    places = [
        (place, dialect)
        for dialect in dialects
        for marker in dialect.markers(told)
        if (place := text.find(marker)) >= 0
    ]
    return min(places, key=lambda pair: pair[0])[1] if places else None
