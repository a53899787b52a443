"""The structured block's dialect by example: documentation, and tests of reading and judging together."""

from __future__ import annotations

from typing import Final

from bot.domain import LogNote, Status
from bot.evidence.dialects.port import Example

_T: Final = "2026-08-20T15:00:00.0000000Z "
_PLAN: Final = (
    f"{_T}| Hardware   | Suite            | Nightly   | Partition   |\n"
    f"{_T}| NPU        | stage-b-2-npu-a2 | True      | full        |\n"
    f"{_T}✅ Enabled 2 test(s) (est total 160.0s):\n"
    f"{_T}  - test/zoo/test_otter.py (est_time=100.0)\n"
    f"{_T}  - test/zoo/test_newt.py (est_time=60.0)\n"
).encode()


def _block(*lines: str) -> bytes:
    framed = ("========== TIMINGS BEGIN ==========", *lines, "========== TIMINGS END ==========")
    return "".join(f"{_T}{line}\n" for line in framed).encode()


_OTTER: Final = '{"file": "test/zoo/test_otter.py", "passed": true, "elapsed": 120}'
_NEWT_FAILED: Final = '\x1b[31m{"file": "test/zoo/test_newt.py", "passed": false, "elapsed": 33}\x1b[0m'

EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        name="a pass and a failure, one line in colour; the plan tells the suite",
        log=_PLAN + _block(_OTTER, _NEWT_FAILED),
        rows=(("test/zoo/test_otter.py", Status.PASSED, 120), ("test/zoo/test_newt.py", Status.FAILED, 33)),
        conclusion="failure",
    ),
    Example(
        name="a file that stands in the plan and not in the block was not run",
        log=_PLAN + _block(_OTTER),
        rows=(("test/zoo/test_otter.py", Status.PASSED, 120), ("test/zoo/test_newt.py", Status.NOT_RUN, None)),
        conclusion="failure",
    ),
    Example(
        name="no plan: the block's files are the plan",
        log=_block(_OTTER),
        rows=(("test/zoo/test_otter.py", Status.PASSED, 120),),
    ),
    Example(
        name="a block that is cut short is an error, and nothing stands in for it",
        log=_PLAN + _block(_OTTER).rpartition(_T.encode())[0],
        rows=(("test/zoo/test_otter.py", Status.UNKNOWN, None), ("test/zoo/test_newt.py", Status.UNKNOWN, None)),
        notes=(LogNote.BLOCK_UNREADABLE,),
    ),
    Example(
        name="a damaged entry makes the whole block unreadable",
        log=_PLAN + _block(_OTTER, '{"file": "test/zoo/test_newt.py", "elapsed"'),
        rows=(("test/zoo/test_otter.py", Status.UNKNOWN, None), ("test/zoo/test_newt.py", Status.UNKNOWN, None)),
        notes=(LogNote.BLOCK_UNREADABLE,),
    ),
)
