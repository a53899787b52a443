"""The older suite runner's logs: statuses by the summary, tries by its count, paths by the checkout it shows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import LogNote, Plan, Status
from bot.evidence.dialects import detect, older_suite_runner, structured_block, suite_runner
from bot.evidence.dialects.older_suite_runner import records
from bot.evidence.dialects.port import Told
from bot.evidence.lines import payload
from tests.unit.evidence.tiny_logs import HEAD, RULE, judged, parsed, stamped

ROOT = "/__w/park/park"
OTTER = "test/registered/zoo/test_otter.py"
NEWT = "test/registered/zoo/test_newt.py"
CHECKOUT = [
    "##[group]Run actions/checkout@v4",
    "Syncing repository: zoo/park",
    "##[group]Getting Git version info",
    f"Working directory is '{ROOT}'",
    f"[command]/usr/bin/git fetch origin +{HEAD}:refs/remotes/origin/main",
    "##[group]Run python3 run_suite.py",
]


def plan(*paths: str, hardware: str = "CUDA", partition: str = "full", est: float = 100.0) -> list[str]:
    return [
        "| Hardware   | Suite                   | Nightly   | Partition          |",
        f"| {hardware:10} | base-b-test-1-gpu-large | False     | {partition:18} |",
        f"✅ Enabled {len(paths)} test(s) (est total {est * len(paths)}s):",
        *(f"  - {path} (est_time={est})" for path in paths),
    ]


def ran(index: int, size: int, path: str, elapsed: int, est: float = 100.0) -> list[str]:
    return [
        f"Begin ({index}/{size - 1}):",
        "python3 x -f",
        f"End ({index}/{size - 1}):",
        f"filename='{path}', elapsed={elapsed}, estimated_time={est}",
    ]


def summary(passed: list[str], failed: list[str] | None = None, retried: list[str] | None = None) -> list[str]:
    lists = [("✓ PASSED:", passed), ("✗ FAILED:", failed or []), ("↻ RETRIED:", retried or [])]
    total = len(passed) + len(failed or [])
    lines = ["", RULE, f"Test Summary: {len(passed)}/{total} passed", RULE]
    for head, items in lists:
        lines += [head, *(f"  {one}" for one in items)] if items else []
    return [*lines, RULE]


def rows(lines: list[str], conclusion: str = "success") -> list[tuple[str, Status, int | None]]:
    found = judged(stamped(lines), conclusion, dialect=older_suite_runner).rows
    return [(row.path, row.status, row.elapsed_s) for row in found]


def read_plan(lines: list[str], told: Told = Told("zoo/park")) -> Plan:  # noqa: B008 - a frozen value
    found = parsed(stamped(lines), dialect=older_suite_runner, told=told).plan
    assert found is not None
    return found


def test_an_absolute_path_is_made_relative_and_the_summary_says_that_it_passed() -> None:
    where = f"{ROOT}/{OTTER}"
    lines = [*CHECKOUT, *plan(where), *ran(0, 1, where, 120), *summary([OTTER])]
    assert rows(lines) == [(OTTER, Status.PASSED, 120)]


@pytest.mark.parametrize("hardware", ["CUDA", "AMD", "NPU", "XPU", "CPU"])
def test_the_table_tells_backend_suite_and_partition(hardware: str) -> None:
    found = read_plan(plan(OTTER, hardware=hardware, partition="2/4 (0-based id=1)"))
    assert (found.backend, found.suite) == (hardware.lower(), "base-b-test-1-gpu-large")
    assert (found.partition_id, found.partition_size) == (1, 4)


@pytest.mark.parametrize(
    ("directory", "kept"),
    [("/opt/elsewhere", True), (f"{ROOT}x", True), (ROOT, False), (f"{ROOT}/vendor/..", True)],
)
def test_a_path_that_no_checkout_explains_stays_absolute(directory: str, kept: bool) -> None:
    (file,) = read_plan([*CHECKOUT, *plan(f"{directory}/{OTTER}")]).files
    assert file.path == (f"{directory}/{OTTER}" if kept else OTTER)


def test_without_a_shown_directory_nothing_is_guessed_but_a_configured_root_counts() -> None:
    lines = plan(f"{ROOT}/{OTTER}")
    assert read_plan(lines).files[0].path == f"{ROOT}/{OTTER}"
    assert read_plan(lines, Told("zoo/park", roots=(ROOT,))).files[0].path == OTTER


def test_a_dependency_checked_out_inside_is_not_the_repository() -> None:
    vendor = [
        "##[group]Run actions/checkout@v4",
        "Syncing repository: zoo/vendor",
        f"[command]/usr/bin/git config --global --add safe.directory {ROOT}/vendor",
        f"[command]/usr/bin/git fetch origin +{'c' * 40}:refs/remotes/origin/main",
        "##[group]Run python3 run_suite.py",
    ]
    found = read_plan([*CHECKOUT[:-1], *vendor, *plan(f"{ROOT}/vendor/{OTTER}", f"{ROOT}/{NEWT}")])
    assert [file.path for file in found.files] == [f"{ROOT}/vendor/{OTTER}", NEWT]


def test_a_status_that_the_summary_does_not_tell_is_unknown() -> None:
    lines = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), *ran(1, 2, NEWT, 60)]
    assert rows([*lines, *summary([OTTER], [f"{OTTER} (exit code 1)"])]) == [
        (OTTER, Status.UNKNOWN, 120),
        (NEWT, Status.UNKNOWN, 60),
    ]


def test_a_failed_retry_measures_nothing() -> None:
    tries = [*ran(0, 1, OTTER, 120), *ran(0, 1, OTTER, 130)]
    lists = summary([], [f"{OTTER} (exit code 1)"], [f"{OTTER} (2 attempts, failed)"])
    assert rows([*plan(OTTER), *tries, *lists], "failure") == [(OTTER, Status.FAILED, 130)]


def test_a_counted_try_without_its_record_leaves_the_file_unknown() -> None:
    lists = summary([OTTER], retried=[f"{OTTER} (2 attempts, passed)"])
    assert rows([*plan(OTTER), *ran(0, 1, OTTER, 120), *lists]) == [(OTTER, Status.UNKNOWN, 120)]


def test_a_killed_test_without_an_end_is_a_timeout_or_failed_never_a_pass() -> None:
    lines = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), "Begin (1/1):", "python3 y -f"]
    lists = summary([OTTER], [f"{NEWT} (timeout after 1200s)"])
    assert rows([*lines, *lists], "failure") == [(OTTER, Status.PASSED, 120), (NEWT, Status.FAILED, None)]


def test_a_test_that_prints_a_summary_of_its_own_proves_nothing() -> None:
    inside = ["Begin (0/0):", *summary([OTTER]), *ran(0, 1, OTTER, 9)[2:]]
    assert rows([*plan(OTTER), *inside], "failure") == [(OTTER, Status.UNKNOWN, 9)]


def test_a_begin_that_a_running_test_prints_starts_no_other_try() -> None:
    begin, *rest = ran(1, 2, NEWT, 80)
    own = [*["."] * 20, begin]
    lines = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), begin, *own, *rest, *summary([OTTER, NEWT])]
    assert rows(lines) == [(OTTER, Status.PASSED, 120), (NEWT, Status.PASSED, 80)]


def test_a_bundle_is_read_and_named_as_the_runner_names_it() -> None:
    found = read_plan([*plan("group:fast")])
    assert [file.path for file in found.files] == ["group:fast"]


def test_nothing_selected_is_said() -> None:
    lines = [*plan()[:2], "This is expected during incremental migration. Skipping."]
    assert parsed(stamped(lines), dialect=older_suite_runner).notes == (LogNote.NO_TESTS,)


def test_each_runner_is_told_from_its_plan() -> None:
    newer = stamped(["Hardware: CUDA  Suite: s  Partition: full", "Enabled 1 test(s) (est total 1s):"])
    assert detect(iter([newer, b""]).__next__) is suite_runner
    older = stamped(plan(OTTER))
    only = Told(dialects=("older_suite_runner", "suite_runner"))
    for cut in range(1, len(older), 7):  # a marker may lie across two chunks
        assert detect(iter([older[:cut], older[cut:], b""]).__next__, only) is older_suite_runner
        either = detect(iter([older[:cut], older[cut:], b""]).__next__)  # it may end in a structured block
        assert either is structured_block
    assert parsed(older, dialect=structured_block).dialect == "older_suite_runner"


QUICK = settings(max_examples=150, deadline=None, derandomize=True)
LINES = [*CHECKOUT, *plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), *ran(1, 2, NEWT, 60), *summary([OTTER, NEWT])]


@QUICK
@given(st.lists(st.sampled_from(LINES), max_size=40), st.integers(1, 50))
def test_no_order_of_lines_raises_or_depends_on_how_it_is_read(lines: list[str], piece: int) -> None:
    log = stamped(lines)
    whole = parsed(log, dialect=older_suite_runner)
    assert parsed(log, piece, older_suite_runner) == whole


@QUICK
@given(st.binary(max_size=300), st.floats(0, 1))
def test_no_bytes_raise_and_a_cut_log_proves_no_more(noise: bytes, share: float) -> None:
    log = stamped(LINES)
    cut = log[: int(share * len(log))] + noise
    passes = {(OTTER, Status.PASSED, 120), (NEWT, Status.PASSED, 60)}
    found = judged(cut, "failure", dialect=older_suite_runner).rows
    assert {(row.path, row.status, row.elapsed_s) for row in found if row.status is Status.PASSED} <= passes


@QUICK
@given(st.binary(max_size=120))
def test_no_line_raises_in_any_recogniser(line: bytes) -> None:
    for recognise in (records.header, records.enabled, records.planned, records.timing, records.section):
        recognise(payload(line))
