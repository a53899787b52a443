"""The log dialect of a structured block: JSON lines with file, elapsed and passed between two markers.

sgl-project/sglang prints one after its summary (`TIMINGS BEGIN` … `TIMINGS END`, test/ci/ci_utils.py;
sgl-project/sglang-ci-stats reads it), below the lines of the older suite runner. Only the last try of a
file is in it. Without any marker such a log is the older runner's own. The markers' texts are the
configuration's (`logs.block`).
"""

from __future__ import annotations

from typing import Final

from bot.domain import ParsedLog
from bot.evidence.dialects import older_suite_runner
from bot.evidence.dialects.older_suite_runner import OlderScanner
from bot.evidence.dialects.paths import roots_of
from bot.evidence.dialects.port import NOTHING_TOLD, Told
from bot.evidence.dialects.structured_block.block import Block, is_marker
from bot.evidence.dialects.structured_block.examples import EXAMPLES
from bot.evidence.dialects.structured_block.meaning import meaning
from bot.evidence.dialects.suite_runner.found import SummaryBlock
from bot.evidence.lines import payload

__all__ = ["EXAMPLES", "NAME", "OVERRIDES", "BlockScanner", "markers", "scanner"]

NAME: Final = "structured_block"
OVERRIDES: Final = (older_suite_runner.NAME,)
MAX_BLOCKS: Final = 16


class BlockScanner(OlderScanner):
    """One log's reader: the plan's lines as the older suite runner's, and the blocks."""

    def __init__(self, told: Told) -> None:
        self._begin, self._end_marker = told.begin.encode(), told.end.encode()
        super().__init__(told, (self._begin,))
        self._blocks: list[Block] = []
        self._open: Block | None = None

    def finish(self) -> ParsedLog:
        """What the log said."""
        roots = roots_of(self.found.head.checkouts, self._told)
        around = super().finish()
        if not self._blocks and not _alone(self._told):
            return around
        told = meaning(around, self._blocks, roots)
        return ParsedLog(
            dialect=NAME,
            plan=told.plan,
            records=told.records,
            summary_line=told.summary_line,
            tested_sha=told.tested_sha,
            runner_name=told.runner_name,
            job_name=told.job_name,
            notes=told.notes,
            unscheduled=told.unscheduled,
            checkouts=told.checkouts,
        )

    def _open_summary(self, summary: SummaryBlock) -> None:
        """The block follows the summary, whether or not the last test left its End record."""
        super()._open_summary(summary)
        self._in_flight = False

    def _watching(self) -> bool:
        return self._open is not None or super()._watching()

    def _take(self, raw: bytes) -> None:
        if self._open is None and self._begin not in raw:
            super()._take(raw)
            return
        line = payload(raw)
        if is_marker(line, self._begin):
            self._open = Block(self._line)
            self._blocks.append(self._open)
            del self._blocks[:-MAX_BLOCKS]
        elif self._open is None:
            super()._take(raw)
        elif is_marker(line, self._end_marker):
            self._open.ended = True
            self._open = None
        else:
            self._open.take(line, self._line)


def markers(told: Told) -> tuple[bytes, ...]:
    """The block's first marker; a log that should hold a block is told by its plan too."""
    return (told.begin.encode(), *(older_suite_runner.MARKERS if _alone(told) else ()))


def _alone(told: Told) -> bool:
    """True where the configuration wants a block and nothing in its place."""
    return bool(told.dialects) and older_suite_runner.NAME not in told.dialects


def scanner(told: Told = NOTHING_TOLD) -> BlockScanner:
    """A fresh reader for one log."""
    return BlockScanner(told)
