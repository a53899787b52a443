"""The older suite runner's dialect by example: documentation, and tests of reading and judging together."""

from __future__ import annotations

from typing import Final

from bot.domain import LogNote, Status
from bot.evidence.dialects.port import Example

_HEAD: Final = b"a" * 40
_CHECKOUT: Final = (
    b"""\
2026-08-20T14:59:00.0000000Z ##[group]Run actions/checkout@v4
2026-08-20T14:59:00.0000000Z Syncing repository: zoo/park
2026-08-20T14:59:00.0000000Z Working directory is '/runner/_work/park/park'
2026-08-20T14:59:00.0000000Z [command]/usr/bin/git fetch origin +%s:refs/remotes/origin/main
2026-08-20T14:59:30.0000000Z ##[group]Run python3 test/run_suite.py --hw cuda --suite base-b-test-1-gpu-large
"""
    % _HEAD
)

_PLAN: Final = """\
2026-08-20T15:00:00.0000000Z +------------+-------------------------+-----------+--------------------+
2026-08-20T15:00:00.0000000Z | Hardware   | Suite                   | Nightly   | Partition          |
2026-08-20T15:00:00.0000000Z |------------+-------------------------+-----------+--------------------|
2026-08-20T15:00:00.0000000Z | CUDA       | base-b-test-1-gpu-large | False     | 1/2 (0-based id=0) |
2026-08-20T15:00:00.0000000Z +------------+-------------------------+-----------+--------------------+
2026-08-20T15:00:00.0000000Z ✅ Enabled 2 test(s) (est total 160.0s):
2026-08-20T15:00:00.0000000Z   - /runner/_work/park/park/test/registered/zoo/test_otter.py (est_time=100.0)
2026-08-20T15:00:00.0000000Z   - /runner/_work/park/park/test/registered/zoo/test_newt.py (est_time=60.0)
""".encode()

_OTTER: Final = (
    b"""\
2026-08-20T15:00:00.0000000Z Begin (0/1):
2026-08-20T15:00:00.0000000Z python3 /runner/_work/park/park/test/registered/zoo/test_otter.py -f
2026-08-20T15:02:00.0000000Z End (0/1):
2026-08-20T15:02:00.0000000Z filename='%s', elapsed=120, estimated_time=100.0
"""
    % b"/runner/_work/park/park/test/registered/zoo/test_otter.py"
)

_NEWT_BEGINS: Final = b"2026-08-20T15:02:00.0000000Z Begin (1/1):\n"


def _newt_ends(elapsed: int) -> bytes:
    return (
        b"2026-08-20T15:04:00.0000000Z End (1/1):\n"
        b"2026-08-20T15:04:00.0000000Z filename='/runner/_work/park/park/test/registered/zoo/test_newt.py',"
        b" elapsed=%d, estimated_time=60.0\n" % elapsed
    )


def _summary(passed: int, lists: str) -> bytes:
    rule = "=" * 60
    lines = ["", rule, f"Test Summary: {passed}/2 passed", rule, *lists.split("\n"), rule]
    return "".join(f"2026-08-20T15:05:00.0000000Z {line}\n" for line in lines).encode()


EXAMPLES: Final[tuple[Example, ...]] = (
    Example(
        name="passes by the summary alone; the checkout's directory makes paths relative, listed ones as they are",
        log=_CHECKOUT
        + _PLAN
        + _OTTER
        + _NEWT_BEGINS
        + _newt_ends(61)
        + _summary(
            2,
            "✓ PASSED:\n  test/registered/zoo/test_otter.py\n"
            "  /runner/_work/park/park/test/registered/zoo/test_newt.py",
        ),
        rows=(
            ("test/registered/zoo/test_otter.py", Status.PASSED, 120),
            ("test/registered/zoo/test_newt.py", Status.PASSED, 61),
        ),
    ),
    Example(
        name="a failed try, then a passing one: as many tries as the summary counts, so the last one passed",
        log=_CHECKOUT
        + _PLAN
        + _OTTER
        + _NEWT_BEGINS
        + _newt_ends(300)
        + _NEWT_BEGINS
        + _newt_ends(61)
        + _summary(
            2,
            "✓ PASSED:\n  test/registered/zoo/test_otter.py\n  test/registered/zoo/test_newt.py\n\n"
            "↻ RETRIED:\n  test/registered/zoo/test_newt.py (2 attempts, passed)",
        ),
        rows=(
            ("test/registered/zoo/test_otter.py", Status.PASSED, 120),
            ("test/registered/zoo/test_newt.py", Status.PASSED, 61),
        ),
    ),
    Example(
        name="two End records of a file and no word of a retry: nothing says which one passed",
        log=_CHECKOUT
        + _PLAN
        + _OTTER
        + _NEWT_BEGINS
        + _newt_ends(300)
        + _NEWT_BEGINS
        + _newt_ends(61)
        + _summary(2, "✓ PASSED:\n  test/registered/zoo/test_otter.py\n  test/registered/zoo/test_newt.py"),
        rows=(
            ("test/registered/zoo/test_otter.py", Status.PASSED, 120),
            ("test/registered/zoo/test_newt.py", Status.UNKNOWN, 61),
        ),
    ),
    Example(
        name="a killed test: its End record looks like any other, the list of failures says that it timed out",
        log=_CHECKOUT
        + _PLAN
        + _OTTER
        + _NEWT_BEGINS
        + _newt_ends(1200)
        + _summary(
            1,
            "✓ PASSED:\n  test/registered/zoo/test_otter.py\n\n"
            "✗ FAILED:\n  test/registered/zoo/test_newt.py (timeout after 1200s)",
        ),
        rows=(
            ("test/registered/zoo/test_otter.py", Status.PASSED, 120),
            ("test/registered/zoo/test_newt.py", Status.TIMEOUT, 1200),
        ),
        conclusion="failure",
    ),
    Example(
        name="no final summary: no pass is proved",
        log=_CHECKOUT + _PLAN + _OTTER + _NEWT_BEGINS,
        rows=(
            ("test/registered/zoo/test_otter.py", Status.UNKNOWN, 120),
            ("test/registered/zoo/test_newt.py", Status.NOT_RUN, None),
        ),
        conclusion="failure",
        notes=(LogNote.NO_SUMMARY,),
    ),
)
