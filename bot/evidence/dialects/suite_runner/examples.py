"""The suite runner's dialect by example: documentation, and tests of reading and judging together."""

from __future__ import annotations

from typing import Final

from bot.domain import LogNote, Status
from bot.evidence.dialects.port import Example

_PLAN: Final = b"""\
2026-08-20T15:00:00.0000000Z Hardware: CUDA  Suite: zoo-2gpu  Cadence: nightly  Continue on error: True  Partition: full
2026-08-20T15:00:00.0000000Z Enabled 2 test(s) (est total 700s):
2026-08-20T15:00:00.0000000Z   - tests/e2e/zoo/test_otter.py (est_time=400.0s)
2026-08-20T15:00:00.0000000Z   - tests/e2e/zoo/test_newt.py (est_time=300.0s)
"""

_OTTER_PASSES: Final = b"""\
2026-08-20T15:00:01.0000000Z Begin (0/1):
2026-08-20T15:05:11.0000000Z End (0/1):
2026-08-20T15:05:11.0000000Z filename='tests/e2e/zoo/test_otter.py', elapsed=310, _estimated_time=400.0
2026-08-20T15:05:11.0000000Z [1/2] tests/e2e/zoo/test_otter.py  PASS  elapsed=309s
"""

EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        name="a pass and a failure: indices count from zero in End, from one in the status line",
        log=_PLAN
        + _OTTER_PASSES
        + b"""\
2026-08-20T15:05:12.0000000Z Begin (1/1):
2026-08-20T15:07:12.0000000Z End (1/1):
2026-08-20T15:07:12.0000000Z filename='tests/e2e/zoo/test_newt.py', elapsed=120, _estimated_time=300.0
2026-08-20T15:07:12.0000000Z [2/2] tests/e2e/zoo/test_newt.py  FAIL  elapsed=120s exit=1
2026-08-20T15:07:12.0000000Z Test Summary: 1/2 passed
2026-08-20T15:07:12.0000000Z PASSED:
2026-08-20T15:07:12.0000000Z   tests/e2e/zoo/test_otter.py
2026-08-20T15:07:12.0000000Z
2026-08-20T15:07:12.0000000Z FAILED:
2026-08-20T15:07:12.0000000Z   tests/e2e/zoo/test_newt.py (exit code 1)
""",
        rows=(
            ("tests/e2e/zoo/test_otter.py", Status.PASSED, 310),
            ("tests/e2e/zoo/test_newt.py", Status.FAILED, 120),
        ),
        conclusion="failure",
    ),
    Example(
        name="a failed try, then a passing one: only the passing try is a measurement",
        log=_PLAN
        + _OTTER_PASSES
        + b"""\
2026-08-20T15:05:12.0000000Z Begin (1/1):
2026-08-20T15:10:12.0000000Z End (1/1):
2026-08-20T15:10:12.0000000Z filename='tests/e2e/zoo/test_newt.py', elapsed=300, _estimated_time=300.0
2026-08-20T15:11:12.0000000Z [2/2] tests/e2e/zoo/test_newt.py  FAIL  elapsed=300s exit=1
2026-08-20T15:11:12.0000000Z [CI Retry] Attempt 2/2 for tests/e2e/zoo/test_newt.py
2026-08-20T15:11:12.0000000Z Begin (1/1):
2026-08-20T15:15:12.0000000Z End (1/1):
2026-08-20T15:15:12.0000000Z filename='tests/e2e/zoo/test_newt.py', elapsed=240, _estimated_time=300.0
2026-08-20T15:15:12.0000000Z [2/2] tests/e2e/zoo/test_newt.py  PASS  elapsed=240s retry_of=attempt=1
2026-08-20T15:15:12.0000000Z Test Summary: 2/2 passed
2026-08-20T15:15:12.0000000Z PASSED:
2026-08-20T15:15:12.0000000Z   tests/e2e/zoo/test_otter.py
2026-08-20T15:15:12.0000000Z   tests/e2e/zoo/test_newt.py
2026-08-20T15:15:12.0000000Z
2026-08-20T15:15:12.0000000Z RETRIED:
2026-08-20T15:15:12.0000000Z   tests/e2e/zoo/test_newt.py (2 attempts, passed)
""",
        rows=(
            ("tests/e2e/zoo/test_otter.py", Status.PASSED, 310),
            ("tests/e2e/zoo/test_newt.py", Status.PASSED, 240),
        ),
    ),
    Example(
        name="a killed test has an End record too; its status line says that it timed out",
        log=_PLAN
        + _OTTER_PASSES
        + b"""\
2026-08-20T15:05:12.0000000Z Begin (1/1):
2026-08-20T15:35:12.0000000Z End (1/1):
2026-08-20T15:35:12.0000000Z filename='tests/e2e/zoo/test_newt.py', elapsed=1800, _estimated_time=300.0
2026-08-20T15:35:17.0000000Z TIMEOUT: tests/e2e/zoo/test_newt.py after 1800 seconds
2026-08-20T15:35:17.0000000Z [2/2] tests/e2e/zoo/test_newt.py  TIMEOUT  elapsed=1800s timeout_after=1800s
2026-08-20T15:35:17.0000000Z Test Summary: 1/2 passed
2026-08-20T15:35:17.0000000Z PASSED:
2026-08-20T15:35:17.0000000Z   tests/e2e/zoo/test_otter.py
2026-08-20T15:35:17.0000000Z
2026-08-20T15:35:17.0000000Z FAILED:
2026-08-20T15:35:17.0000000Z   tests/e2e/zoo/test_newt.py (timeout after 1800s)
""",
        rows=(
            ("tests/e2e/zoo/test_otter.py", Status.PASSED, 310),
            ("tests/e2e/zoo/test_newt.py", Status.TIMEOUT, 1800),
        ),
        conclusion="failure",
    ),
    Example(
        name="a log that ends inside a test: without the final summary no pass is proved",
        log=_PLAN + _OTTER_PASSES + b"2026-08-20T15:05:12.0000000Z Begin (1/1):\n2026-08-20T15:06",
        rows=(
            ("tests/e2e/zoo/test_otter.py", Status.UNKNOWN, 310),
            ("tests/e2e/zoo/test_newt.py", Status.NOT_RUN, None),
        ),
        conclusion="failure",
        notes=(LogNote.NO_SUMMARY,),
    ),
    Example(
        name="a cancelled job: what never ended was cancelled with it",
        log=_PLAN + _OTTER_PASSES + b"2026-08-20T15:05:12.0000000Z Begin (1/1):\n",
        rows=(
            ("tests/e2e/zoo/test_otter.py", Status.UNKNOWN, 310),
            ("tests/e2e/zoo/test_newt.py", Status.CANCELLED, None),
        ),
        conclusion="cancelled",
        notes=(LogNote.NO_SUMMARY,),
    ),
    Example(
        name="nothing selected: a green job without tests",
        log=b"""\
2026-08-20T15:00:00.0000000Z Hardware: ROCM  Suite: zoo-4gpu  Cadence: release  Continue on error: True  Partition: full
2026-08-20T15:00:00.0000000Z No tests found for hw=ROCM, suite=zoo-4gpu, cadence=release
2026-08-20T15:00:00.0000000Z No tests to run. Exiting with success.
""",
        rows=(),
        notes=(LogNote.NO_TESTS,),
    ),
    Example(
        name="a CPU plan runs in one pytest session: no timings per file, no rows",
        log=b"""\
2026-08-20T15:00:00.0000000Z Hardware: CPU  Suite: zoo-cpu  Cadence: nightly  Continue on error: True  Partition: full
2026-08-20T15:00:00.0000000Z Enabled 1 test(s) (est total 1s):
2026-08-20T15:00:00.0000000Z   - tests/fast/zoo/test_newt.py (est_time=1.0s) [implicit]
2026-08-20T15:00:00.0000000Z Running: pytest tests/fast/zoo/test_newt.py -v
2026-08-20T15:00:40.0000000Z tests/fast/zoo/test_newt.py::test_one PASSED [100%]
""",
        rows=(),
        notes=(LogNote.NO_PER_FILE_TIMING,),
    ),
)
