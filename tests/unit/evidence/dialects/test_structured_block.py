"""Blocks of timings: the block alone counts, and one that cannot be read is an error, never a fallback."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import JobEvidence, LogNote, Status
from bot.evidence.dialects import detect, older_suite_runner, structured_block, suite_runner
from bot.evidence.dialects.port import Told
from bot.evidence.dialects.structured_block.block import MAX_ENTRIES, Block, entry_of, is_marker
from bot.evidence.lines import payload
from tests.unit.evidence.dialects.test_older_suite_runner import CHECKOUT, NEWT, OTTER, ROOT, plan, ran, summary
from tests.unit.evidence.tiny_logs import judged, parsed, stamped

BEGIN, END = "========== TIMINGS BEGIN ==========", "========== TIMINGS END =========="
AROUND = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), *ran(1, 2, NEWT, 60), *summary([OTTER, NEWT])]


def entry(path: str, elapsed: object = 120, passed: object = True, **more: object) -> str:
    return json.dumps({"file": path, "passed": passed, "elapsed": elapsed, **more})


def block(*lines: str) -> list[str]:
    return [BEGIN, *lines, END]


def of(lines: list[str], conclusion: str = "success") -> JobEvidence:
    return judged(stamped(lines), conclusion, dialect=structured_block)


def statuses(lines: list[str], conclusion: str = "success") -> list[tuple[str, Status, int | None]]:
    return [(row.path, row.status, row.elapsed_s) for row in of(lines, conclusion).rows]


def test_the_block_counts_and_the_records_around_it_do_not() -> None:
    found = statuses([*AROUND, *block(entry(OTTER, 77), entry(NEWT, 33, passed=False))])
    assert found == [(OTTER, Status.PASSED, 77), (NEWT, Status.FAILED, 33)]


def test_a_row_cites_the_line_of_its_entry() -> None:
    lines = [*AROUND, *block(entry(OTTER), entry(NEWT, 33))]
    row = of(lines).rows[1]
    assert (row.timing_line, row.status_line) == (len(lines) - 1, len(lines) - 1)


def test_a_killed_file_is_told_from_the_list_of_failures() -> None:
    around = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), *ran(1, 2, NEWT, 1200)]
    around += summary([OTTER], [f"{NEWT} (timeout after 1200s)"])
    found = statuses([*around, *block(entry(OTTER), entry(NEWT, 1200, passed=False))], "failure")
    assert found == [(OTTER, Status.PASSED, 120), (NEWT, Status.TIMEOUT, 1200)]


@pytest.mark.parametrize(
    "lines",
    [
        [BEGIN],
        [BEGIN, entry(OTTER), entry(NEWT)],
        [BEGIN, END],
        block("no object at all"),
        block(entry(OTTER), '{"file": "a'),
        block(entry(OTTER), '{"elapsed": 3, "passed": true}'),
        block(entry(OTTER, "120"), entry(NEWT)),
        block(entry(OTTER, -1), entry(NEWT)),
        block(entry(OTTER, True), entry(NEWT)),
        block(entry(OTTER, float("inf")), entry(NEWT)),
        block(entry("x" * 600), entry(NEWT)),
        [*block(entry(OTTER), entry(NEWT)), BEGIN],
    ],
)
def test_markers_without_a_readable_block_are_an_error_and_prove_nothing(lines: list[str]) -> None:
    found = of([*AROUND, *lines])
    assert found.notes == (LogNote.BLOCK_UNREADABLE,)
    assert [(row.status, row.elapsed_s) for row in found.rows] == [(Status.UNKNOWN, None)] * 2
    assert {row.note for row in found.rows} == {"the log's timing block cannot be read"}


def test_a_log_that_ends_before_its_block_says_so_where_a_block_is_configured() -> None:
    told = Told("zoo/park", dialects=("structured_block",))
    log = stamped(AROUND)
    assert detect(iter([log, b""]).__next__, told) is structured_block
    found = parsed(log, dialect=structured_block, told=told)
    assert (found.notes, dict(found.records)) == ((LogNote.NO_BLOCK,), {})


def test_lines_of_the_other_stream_inside_a_block_are_passed_over() -> None:
    found = statuses([*AROUND, *block("warning: x", entry(OTTER), "", "##[endgroup]", entry(NEWT, 61))])
    assert [status for _, status, _ in found] == [Status.PASSED, Status.PASSED]


def test_a_block_that_a_test_prints_gives_way_to_the_last_one() -> None:
    fake = block(entry(OTTER, 1), entry(NEWT, 1))
    lines = [*plan(OTTER, NEWT), "Begin (0/1):", *fake, BEGIN, *AROUND[len(plan(OTTER, NEWT)) :]]
    assert statuses([*lines, *block(entry(OTTER, 77), entry(NEWT, 33))]) == [
        (OTTER, Status.PASSED, 77),
        (NEWT, Status.PASSED, 33),
    ]


def test_a_file_twice_or_without_its_word_is_unknown() -> None:
    found = statuses([*AROUND, *block(entry(OTTER, 5), entry(OTTER, 6), json.dumps({"file": NEWT, "elapsed": 7}))])
    assert [status for _, status, _ in found] == [Status.UNKNOWN, Status.UNKNOWN]


def test_without_a_plan_the_blocks_files_are_the_plan_and_the_jobs_name_tells_the_suite() -> None:
    found = of(block(entry(OTTER, 77), entry(NEWT, 33, passed=False)))
    assert found.plan is not None
    assert (found.plan.suite, found.plan.backend) == ("lane-4-alpha", "")
    assert [(row.path, row.status, row.suite) for row in found.rows] == [
        (OTTER, Status.PASSED, "lane-4-alpha"),
        (NEWT, Status.FAILED, "lane-4-alpha"),
    ]


def test_absolute_paths_of_a_block_are_made_relative_by_the_checkout() -> None:
    lines = [*CHECKOUT, *plan(f"{ROOT}/{OTTER}"), *block(entry(f"{ROOT}/{OTTER}", 9))]
    assert statuses(lines) == [(OTTER, Status.PASSED, 9)]


def test_the_markers_are_configurable() -> None:
    told = Told(begin="--- timings ---", end="--- end ---")
    log = stamped(["## timings ##", entry(OTTER, 9), "### end", "TIMINGS BEGIN"])
    assert detect(iter([stamped(["--- timings ---"]), b""]).__next__, told) is structured_block
    found = parsed(log, dialect=structured_block, told=Told(begin="timings", end="end"))
    assert [record.tries[0].elapsed_s for record in found.records.values()] == [9]


def test_the_block_wins_over_the_runner_around_it_wherever_it_stands_and_configuration_over_both() -> None:
    log = stamped([*AROUND, *["chatter"] * 50, *block(entry(OTTER))])
    pieces = [log[at : at + 64] for at in range(0, len(log), 64)]
    assert detect(iter([*pieces, b""]).__next__) is structured_block
    only = Told(dialects=("older_suite_runner",))
    assert detect(iter([*pieces, b""]).__next__, only) is older_suite_runner


def test_a_block_that_a_test_of_the_present_runner_prints_is_only_output() -> None:
    log = stamped(["Enabled 1 test(s) (est total 1s):", *block(entry(OTTER))])
    assert detect(iter([log, b""]).__next__) is suite_runner


def test_a_file_that_still_runs_did_not_pass_whoever_printed_the_block() -> None:
    running = [*plan(OTTER, NEWT), *ran(0, 2, OTTER, 120), "Begin (1/1):", *summary([OTTER, NEWT])]
    found = statuses([*running, *block(entry(OTTER, 77), entry(NEWT, 1))], "failure")
    assert found == [(OTTER, Status.PASSED, 77), (NEWT, Status.UNKNOWN, 1)]


def test_a_flood_of_entries_is_not_believed() -> None:
    flooded = Block(1)
    for number in range(MAX_ENTRIES + 1):
        flooded.take(b'{"file": "a", "elapsed": 1, "passed": true}', number)
    flooded.ended = True
    assert not flooded.readable


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=200), st.floats(0, 1))
def test_no_bytes_raise_and_no_cut_proves_more(noise: bytes, share: float) -> None:
    entry_of(noise, 1)
    is_marker(noise, b"TIMINGS BEGIN")
    log = stamped([*AROUND, *block(entry(OTTER, 77), entry(NEWT, 33))])
    cut = log[: int(share * len(log))] + noise
    found = {(row.path, row.elapsed_s) for row in judged(cut, "failure", dialect=structured_block).rows
             if row.status is Status.PASSED}  # fmt: skip
    marked = any(is_marker(payload(line), b"TIMINGS BEGIN") for line in cut.split(b"\n"))
    whole, without_block = {(OTTER, 77), (NEWT, 33)}, {(OTTER, 120), (NEWT, 60)}
    assert found in (set(), whole) or (not marked and found <= without_block)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*AROUND, BEGIN, END, entry(OTTER), entry(NEWT, 3)]), max_size=30), st.integers(1, 50))
def test_no_order_of_lines_depends_on_how_it_is_read(lines: list[str], piece: int) -> None:
    log = stamped(lines)
    assert parsed(log, piece, structured_block) == parsed(log, dialect=structured_block)
