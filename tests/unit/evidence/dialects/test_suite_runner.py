from __future__ import annotations

import time

import pytest

from bot.domain import Job, JobId, JobLog, LogNote, LogState, Status
from bot.evidence.classify import classify
from bot.evidence.dialects import DIALECTS, detect
from bot.evidence.dialects.port import Example
from tests.unit.evidence.tiny_logs import (
    HEAD,
    NEWT,
    OTTER,
    RULE,
    RUN,
    begin,
    end,
    judged,
    parsed,
    passing,
    plan,
    stamped,
    status,
    statuses,
    summary,
)

ONE = plan((OTTER, 400.0))
TWO = plan((OTTER, 400.0), (NEWT, 300.0))
PASSED, FAILED, UNKNOWN = Status.PASSED, Status.FAILED, Status.UNKNOWN


def _once(elapsed: int = 310) -> list[str]:
    return [*passing(0, 1, OTTER, elapsed), *summary([OTTER])]


@pytest.mark.parametrize(
    ("dialect", "example"),
    [(d, e) for d in DIALECTS for e in DIALECTS[d].EXAMPLES],
    ids=lambda x: getattr(x, "name", x),
)
def test_examples_hold(dialect: str, example: Example) -> None:
    evidence = judged(example.log, example.conclusion, dialect=DIALECTS[dialect])
    assert [(r.path, r.status, r.elapsed_s) for r in evidence.rows] == list(example.rows)
    assert (evidence.dialect, evidence.notes) == (dialect, example.notes)
    detected = detect(iter([example.log, b""]).__next__)
    assert detected is not None
    assert parsed(example.log, dialect=detected).dialect == dialect


def test_every_dialect_has_examples() -> None:
    assert all(dialect.EXAMPLES for dialect in DIALECTS.values())


# ---------------------------------------------------------------------------- the plan


def test_plan_printed_twice_counts_once() -> None:
    log = stamped([*TWO, *TWO, *passing(0, 2, OTTER, 310), *passing(1, 2, NEWT, 200, 300.0), *summary([OTTER, NEWT])])
    evidence = judged(log)
    assert [row.status for row in evidence.rows] == [PASSED, PASSED]
    assert evidence.rows[0].plan_line == len(TWO) + 5  # of the second block
    assert LogNote.PLANS_DIFFER not in evidence.notes


def test_plans_that_differ_are_flagged_and_the_executed_one_stands() -> None:
    listed = plan((OTTER, 400.0), ("tests/e2e/zoo/test_gone.py", 60.0))
    log = stamped(
        [*listed, *TWO, *passing(0, 2, OTTER, 310), *passing(1, 2, NEWT, 200, 300.0), *summary([OTTER, NEWT])]
    )
    evidence = judged(log)
    assert [row.path for row in evidence.rows] == [OTTER, NEWT]
    assert LogNote.PLANS_DIFFER in evidence.notes


def test_plan_of_the_executing_step_stands_even_where_stderr_came_before_it() -> None:
    steps = ["##[group]Run run_suite.py --list-only", *ONE, "##[group]Run run_suite.py", *begin(0, 1), *ONE]
    log = stamped([*steps, *end(0, 1, OTTER, 310), status("1/1", OTTER, "PASS", 309), *summary([OTTER])])
    (row,) = judged(log).rows
    assert (row.status, row.elapsed_s) == (PASSED, 310)
    assert log.split(b"\n")[row.plan_line - 1].endswith(b"(est_time=400.0s)")
    assert row.plan_line > len(ONE) + 8


def test_stderr_inside_the_list_does_not_shorten_it() -> None:
    split = [*TWO[:5], *begin(0, 2), *TWO[5:]]
    log = stamped(
        [
            *split,
            *end(0, 2, OTTER, 310),
            status("1/2", OTTER, "PASS", 310),
            *passing(1, 2, NEWT, 9, 300.0),
            *summary([OTTER, NEWT]),
        ]
    )
    assert statuses(log) == [(OTTER, PASSED, 310), (NEWT, PASSED, 9)]


def test_short_plan_is_noted() -> None:
    log = stamped(TWO[:5])
    assert parsed(log).notes == (LogNote.NO_SUMMARY, LogNote.PLAN_SHORT)
    assert statuses(log) == [(OTTER, Status.NOT_RUN, None)]


def test_partition_of_the_header_is_zero_based_inside() -> None:
    evidence = judged(stamped(plan((OTTER, 400.0), partition="2/3 (0-based id=1)")))
    assert evidence.plan is not None
    assert (evidence.plan.partition_id, evidence.plan.partition_size, evidence.plan.backend) == (1, 3, "cuda")


def test_plan_without_header_takes_the_suite_of_the_job_name() -> None:
    log = b"\xef\xbb\xbf" + stamped([ONE[3], *ONE[4:], *_once()])
    (row,) = judged(log).rows
    assert (row.suite, row.status, row.plan_line) == ("lane-4-alpha", PASSED, 2)


def test_disabled_tests_are_listed_and_never_rows() -> None:
    lines = [*ONE[:3], "Skipped 1 test(s):", f"  - {NEWT} (reason: flaky (est_time=60.0s))", "", *ONE[3:], *_once()]
    evidence = judged(stamped(lines))
    assert evidence.plan is not None
    assert evidence.plan.disabled == (NEWT,)
    assert [row.path for row in evidence.rows] == [OTTER]


def test_implicit_suffix_is_read() -> None:
    (row,) = judged(stamped([*ONE[:4], f"  - {OTTER} (est_time=1.0s) [implicit]"])).rows
    assert (row.implicit, row.logged_est_s) == (True, 1.0)


def test_suite_job_that_ends_before_any_plan_is_noted() -> None:
    log = stamped(["##[group]Run python tests/ci/run_suite.py --suite lane", "##[error]Process completed"])
    assert parsed(log).notes == (LogNote.NO_PLAN,)


def test_green_job_without_tests_is_noted() -> None:
    log = stamped(["No tests to run. Exiting with success."])
    assert (parsed(log).notes, judged(log).rows) == ((LogNote.NO_TESTS,), ())


def test_a_pytest_session_before_the_plan_is_not_its_execution() -> None:
    log = stamped(["Running: pytest tests/setup -v", *ONE])
    assert statuses(log, "cancelled") == [(OTTER, Status.CANCELLED, None)]
    assert judged(stamped([*ONE, "Running: pytest tests/setup -v"])).rows == ()


# ------------------------------------------------------------------------------ records


def test_index_bases_differ_and_files_are_joined_by_name() -> None:
    bare = [*end(0, 2, OTTER, 310), status("1/2", OTTER, "PASS", 309), *end(1, 2, NEWT, 120, 300.0)]
    log = stamped([*TWO, *bare, status("2/2", NEWT, "FAIL", 120, " exit=1"), *summary([OTTER], {NEWT: "exit code 1"})])
    assert statuses(log) == [(OTTER, PASSED, 310), (NEWT, FAILED, 120)]


@pytest.mark.parametrize(("ended", "said", "expected"), [(161, 160, PASSED), (162, 160, PASSED), (163, 160, UNKNOWN)])
def test_end_value_is_used_and_may_differ_by_two_seconds(ended: int, said: int, expected: Status) -> None:
    log = stamped([*ONE, *begin(0, 1), *end(0, 1, OTTER, ended), status("1/1", OTTER, "PASS", said), *summary([OTTER])])
    assert statuses(log) == [(OTTER, expected, ended)]


def _tries(first: str, second: str) -> bytes:
    return stamped(
        [
            *ONE,
            *end(0, 1, OTTER, 900),
            status("1/1", OTTER, first, 900, " exit=1" if first == "FAIL" else ""),
            *end(0, 1, OTTER, 310),
            status("1/1", OTTER, second, 310, " retry_of=attempt=1"),
            "PASSED:",
            f"  {OTTER}",
        ]
    )


def test_retry_counts_the_passing_try_only() -> None:
    assert statuses(_tries("FAIL", "PASS")) == [(OTTER, PASSED, 310)]


def test_pass_cannot_come_before_another_try() -> None:
    assert statuses(_tries("PASS", "FAIL"))[0][1] is UNKNOWN
    assert statuses(_tries("PASS", "PASS"))[0][1] is UNKNOWN


def test_begin_of_the_retry_may_precede_the_first_status() -> None:
    lines = [*begin(0, 1), *end(0, 1, OTTER, 402), *begin(0, 1), status("1/1", OTTER, "FAIL", 402, " exit=1")]
    lines += [*end(0, 1, OTTER, 465), status("1/1", OTTER, "PASS", 464, " retry_of=attempt=1")]
    assert statuses(stamped([*ONE, *lines, *summary([OTTER])])) == [(OTTER, PASSED, 465)]


@pytest.mark.parametrize(
    "progress", ["  step  98%\r step  99%\r step 100%.", "collecting 17/24 ", "\x1b[32m 5%\x1b[0m"]
)
def test_unfinished_child_output_does_not_hide_records(progress: str) -> None:
    lines = [*begin(0, 1), progress + ".", ".", "End (0/0):"]
    lines += [f"filename='{OTTER}', elapsed=310, _estimated_time=400.0", f"{progress}::endgroup::"]
    log = stamped([*ONE, *lines, status("1/1", OTTER, "PASS", 310), *summary([OTTER])])
    assert statuses(log) == [(OTTER, PASSED, 310)]


def test_records_glued_to_unfinished_output_count_where_the_file_has_no_other() -> None:
    lines = [*begin(0, 1), "step 100%.End (0/0):", f"x filename='{OTTER}', elapsed=310, _estimated_time=400.0"]
    log = stamped([*ONE, *lines, "17/24 " + status("1/1", OTTER, "PASS", 310), *summary([OTTER])])
    assert statuses(log) == [(OTTER, PASSED, 310)]


def test_runner_exception_is_a_failure_without_end() -> None:
    log = stamped([*ONE, *begin(0, 1), status("1/1", OTTER, "FAIL", 0), "Traceback (most recent call last):"])
    assert statuses(log, "failure") == [(OTTER, FAILED, None)]


def test_a_failure_without_summary_is_unknown() -> None:
    log = stamped([*ONE, *begin(0, 1), *end(0, 1, OTTER, 9), status("1/1", OTTER, "FAIL", 9, " exit=1")])
    assert statuses(log, "failure") == [(OTTER, UNKNOWN, 9)]


def test_negative_exit_code_is_a_failure() -> None:
    lines = [*begin(0, 1), *end(0, 1, OTTER, 499), status("1/1", OTTER, "FAIL", 498, " exit=-9")]
    log = stamped([*ONE, *lines, *summary([], {OTTER: "exit code -9"})])
    assert statuses(log, "failure") == [(OTTER, FAILED, 499)]


def test_timeout_has_an_end_and_never_passes() -> None:
    lines = [*begin(0, 1), *end(0, 1, OTTER, 1800), status("1/1", OTTER, "TIMEOUT", 1800, " timeout_after=1800s")]
    log = stamped([*ONE, *lines, *summary([], {OTTER: "timeout after 1800s"})])
    assert statuses(log, "failure") == [(OTTER, Status.TIMEOUT, 1800)]


def test_timeout_of_a_test_that_would_not_die_has_no_end() -> None:
    lines = [
        *begin(0, 2),
        status("1/2", OTTER, "TIMEOUT", 1800, " timeout_after=1800s"),
        *passing(1, 2, NEWT, 200, 300.0),
    ]
    log = stamped([*TWO, *lines, *summary([NEWT], {OTTER: "timeout after 1800s"})])
    assert statuses(log, "failure") == [(OTTER, Status.TIMEOUT, None), (NEWT, PASSED, 200)]


def test_zero_seconds_is_a_measurement() -> None:
    assert statuses(stamped([*ONE, *_once(0)])) == [(OTTER, PASSED, 0)]


def test_status_line_may_stand_inside_or_after_the_summary() -> None:
    before = [*ONE, *begin(0, 1), *end(0, 1, OTTER, 41)]
    late = status("1/1", OTTER, "PASS", 41)
    listed = summary([OTTER])
    assert statuses(stamped([*before, *listed[:5], late, *listed[5:]])) == [(OTTER, PASSED, 41)]
    assert statuses(stamped([*before, *listed, "##[endgroup]", late])) == [(OTTER, PASSED, 41)]


def test_pass_that_no_summary_lists_is_unknown() -> None:
    log = stamped([*TWO, *passing(0, 2, OTTER, 310), *passing(1, 2, NEWT, 200, 300.0), *summary([NEWT], total=2)])
    assert statuses(log)[0] == (OTTER, UNKNOWN, 310)
    assert statuses(log)[1] == (NEWT, PASSED, 200)


def test_pass_without_status_line_is_unknown() -> None:
    assert statuses(stamped([*ONE, *begin(0, 1), *end(0, 1, OTTER, 310), *summary([OTTER])])) == [(OTTER, UNKNOWN, 310)]


def test_lost_runner_leaves_what_ended_unknown_and_what_began_not_run() -> None:
    log = stamped([*TWO, *passing(0, 2, OTTER, 300), *begin(1, 2)]) + b"2026-08-20T15:00:00.0000000Z step 4"
    assert statuses(log, "failure") == [(OTTER, UNKNOWN, 300), (NEWT, Status.NOT_RUN, None)]


def test_cancelled_job_cancels_what_did_not_end() -> None:
    three = plan((OTTER, 400.0), (NEWT, 300.0), ("tests/e2e/zoo/test_emu.py", 60.0))
    log = stamped([*three, *passing(0, 3, OTTER, 300), *begin(1, 3), "##[error]The operation was canceled."])
    assert [one[1] for one in statuses(log, "cancelled")] == [UNKNOWN, Status.CANCELLED, Status.CANCELLED]


def test_timed_out_job_times_out_what_did_not_end() -> None:
    assert statuses(stamped([*ONE, *begin(0, 1)]), "timed_out") == [(OTTER, Status.TIMEOUT, None)]


def test_a_pass_stays_when_another_file_fails_later() -> None:
    failing = [*begin(1, 2), *end(1, 2, NEWT, 5, 300.0), status("2/2", NEWT, "FAIL", 5, " exit=1")]
    log = stamped([*TWO, *passing(0, 2, OTTER, 310), *failing, *summary([OTTER], {NEWT: "exit code 1"})])
    assert statuses(log, "failure") == [(OTTER, PASSED, 310), (NEWT, FAILED, 5)]


# --------------------------------------------------------------------------- look-alikes

LOOKALIKES = [
    [
        "[2/4] tilelang + shared-outer  PASS  elapsed=456s",
        RULE,
        "Test Summary: 4/4 combos passed",
        RULE,
        "PASSED:",
        "  a",
    ],
    ["End (eval 1/1): elapsed=29.6, samples=1319", "End (microbatch 3/128): filename=<memory> elapsed=4"],
    [f"{OTTER}::test_case PASSED [ 50%]", "{'elapsed': 4.5, 'status': 'PASS'}"],
    ["PASSED:", f"  {OTTER}"],
    [status("1/1", OTTER, "PASS", 4)],
    [status("1/1", OTTER, "FAIL", 4, " exit=1")],
    [status("3/7", OTTER, "PASS", 4)],
    [f"filename='{OTTER}', elapsed=4, _estimated_time=400.0"],
    ["End (0/0):", f"filename='{OTTER}', elapsed=4, _estimated_time=7.0"],
    ["End (0/0):", f"filename='{NEWT}', elapsed=4, _estimated_time=400.0"],
    ["End (2/6):", f"filename='{OTTER}', elapsed=4, _estimated_time=400.0"],
    ["Test Summary: 1/1 passed", RULE, "PASSED:", f"  {OTTER}", RULE],
    ["Test Summary: 0/1 passed", RULE, "FAILED:", f"  {OTTER} (exit code 1)", RULE],
    ["Begin (4/9):"],
    ["> End (0/0):", f"> filename='{OTTER}', elapsed=4, _estimated_time=400.0"],
    [*plan((OTTER, 9.0), (NEWT, 9.0))],
    ["##[group]Run something"],
    ["##[endgroup]", "Skipped 1 test(s):", f"  - {OTTER} (reason: x)"],
    ["No tests to run. Exiting with success."],
]


@pytest.mark.parametrize("noise", LOOKALIKES, ids=lambda lines: lines[0][:40])
def test_lookalikes_in_test_output_change_nothing(noise: list[str]) -> None:
    log = stamped(
        [*ONE, *begin(0, 1), *noise, *end(0, 1, OTTER, 310), status("1/1", OTTER, "PASS", 309), *summary([OTTER])]
    )
    assert statuses(log) == [(OTTER, PASSED, 310)]


def test_another_runs_log_printed_by_a_test_changes_nothing_about_other_files() -> None:
    replay = [*TWO, *passing(0, 2, OTTER, 4), *summary([OTTER, NEWT])]
    lines = [*passing(0, 2, OTTER, 310), *begin(1, 2), *replay[len(TWO) + 7 :], *end(1, 2, NEWT, 200, 300.0)]
    log = stamped([*TWO, *lines, status("2/2", NEWT, "PASS", 200), *summary([OTTER, NEWT])])
    assert statuses(log)[1] == (NEWT, PASSED, 200)
    assert statuses(log)[0][1] in (PASSED, UNKNOWN)
    assert statuses(log)[0][2] == 310


def test_two_exact_ends_for_one_begin_prove_nothing() -> None:
    lines = [*begin(0, 1), *end(0, 1, OTTER, 4), *end(0, 1, OTTER, 310), status("1/1", OTTER, "PASS", 309)]
    assert statuses(stamped([*ONE, *lines, *summary([OTTER])]))[0][1] is UNKNOWN


def test_a_summary_printed_by_the_last_test_proves_nothing_when_the_log_is_cut() -> None:
    log = stamped([*TWO, *passing(0, 2, OTTER, 310), *begin(1, 2), *summary([OTTER, NEWT])])
    assert statuses(log, "failure")[0] == (OTTER, UNKNOWN, 310)


def test_a_summary_printed_by_a_test_is_not_the_final_one() -> None:
    printed = [*begin(1, 2), *summary([OTTER, NEWT]), *end(1, 2, NEWT, 200, 300.0), status("2/2", NEWT, "PASS", 200)]
    log = stamped([*TWO, *passing(0, 2, OTTER, 310), *printed])
    assert [one[1] for one in statuses(log, "failure")] == [UNKNOWN, UNKNOWN]


def test_a_plan_printed_by_a_test_is_not_the_executed_one() -> None:
    short = TWO[:5]
    printed = plan(("tests/e2e/zoo/test_emu.py", 60.0))
    log = stamped(
        [*short, *begin(0, 1), *printed, *end(0, 1, OTTER, 310), status("1/1", OTTER, "PASS", 310), *summary([OTTER])]
    )
    assert statuses(log) == [(OTTER, PASSED, 310)]
    assert parsed(log).notes == (LogNote.PLAN_SHORT,)


def test_lists_without_a_summary_line_end_at_the_first_other_line() -> None:
    after = ["PASSED:", f"  {OTTER}", "", "Post job cleanup.", "  with-something"]
    log = stamped([*ONE, *passing(0, 1, OTTER, 310), *after])
    assert statuses(log) == [(OTTER, PASSED, 310)]


def test_a_summary_of_another_size_is_not_this_plans() -> None:
    assert statuses(stamped([*TWO, *passing(0, 2, OTTER, 310), *summary([OTTER])]))[0][1] is UNKNOWN


def test_a_summary_that_miscounts_its_own_list_proves_nothing() -> None:
    for count, listed in ((1, [OTTER, NEWT]), (2, [OTTER])):
        lines = summary(listed)
        lines[2] = f"Test Summary: {count}/2 passed"
        log = stamped([*TWO, *passing(0, 2, OTTER, 310), *passing(1, 2, NEWT, 2, 300.0), *lines])
        assert [one[1] for one in statuses(log)] == [UNKNOWN, UNKNOWN]


def test_records_of_files_that_no_plan_lists_are_named() -> None:
    log = stamped([*ONE, *begin(0, 1), *end(0, 1, NEWT, 4), *end(0, 1, OTTER, 310), *summary([OTTER])])
    assert parsed(log).unscheduled == (NEWT,)


# ------------------------------------------------------------------------------ transport


def _plain() -> list[str]:
    return [*TWO, *passing(0, 2, OTTER, 310), *passing(1, 2, NEWT, 200, 300.0), *summary([OTTER, NEWT])]


@pytest.mark.parametrize(
    "transport",
    [
        pytest.param(lambda line: line, id="no-timestamps"),
        pytest.param(lambda line: f"\ufeff2026-08-20T15:00:00.0000000Z {line}", id="bom-everywhere"),
        pytest.param(lambda line: f"lane (1) / run\tUNKNOWN STEP\t\ufeff2026-08-20T15:00:00.1234567Z {line}", id="gh"),
        pytest.param(lambda line: f"2026-08-20T15:00:00Z \x1b[36;1m{line}\x1b[0m", id="ansi"),
        pytest.param(lambda line: f"2026-08-20T15:00:00.0000000Z {line}\r", id="crlf"),
        pytest.param(lambda line: f"2026-08-20T15:00:00.0000000Z  33%\r 66%\r{line}", id="bare-cr"),
    ],
)
def test_transport_does_not_matter(transport: object) -> None:
    assert callable(transport)
    log = "".join(f"{transport(line)}\n" for line in _plain()).encode()
    assert statuses(log) == [(OTTER, PASSED, 310), (NEWT, PASSED, 200)]


def test_lines_are_counted_over_lf_only() -> None:
    odd = "sample \u2028 \u0085 \x0c \x0b text"
    log = stamped([odd, *_plain()])
    row = judged(log).rows[0]
    assert row.timing_line is not None
    assert OTTER.encode() in log.split(b"\n")[row.timing_line - 1]
    assert row.plan_line == 6


def test_undecodable_bytes_are_tolerated() -> None:
    log = b"\xff\xfe\n" + stamped([*ONE, *begin(0, 1)]) + b"\xc3\x28 \x00\n" + stamped(_once()[7:])
    assert statuses(log) == [(OTTER, PASSED, 310)]


@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_reading_in_small_pieces_changes_nothing(chunk: int) -> None:
    log = stamped(_plain())
    assert parsed(log, chunk) == parsed(log)


def test_records_far_into_a_tests_output_are_found() -> None:
    noise = ["[TP0] Decode batch, #running-req: 4, elapsed=4"] * 5000
    lines = [*begin(0, 1), *noise, *end(0, 1, OTTER, 310), "##[endgroup]", *noise]
    log = stamped([*ONE, *lines, status("1/1", OTTER, "PASS", 310), *noise, *summary([OTTER]), *noise])
    assert statuses(log) == [(OTTER, PASSED, 310)]


@pytest.mark.parametrize(
    "flood",
    [
        b"x" * 9_000_000,
        b"[1/1] " * 1_500_000,
        b"Begin (" * 1_000_000,
        b"filename='" * 900_000,
        b"Test Summary: 1/1 passed\n" * 200_000,
        b"End (0/0):\nfilename='tests/e2e/zoo/test_otter.py', elapsed=3, _estimated_time=400.0\n" * 30_000,
        b"  elapsed=1s\n" * 100_000,
    ],
    ids=["one-line", "brackets", "begins", "filenames", "summaries", "records", "needles"],
)
def test_floods_cost_linear_time(flood: bytes) -> None:
    started = time.process_time()
    statuses(stamped([*ONE, *begin(0, 1)]) + flood + b"\n" + stamped(_once()))
    assert time.process_time() - started < 8


def test_a_log_that_floods_the_reader_with_records_proves_nothing() -> None:
    flood = (status("1/1", OTTER, "PASS", 310) + "\n").encode() * 50_001
    log = stamped([*ONE, *begin(0, 1)]) + flood + stamped(_once()[7:])
    assert statuses(log)[0][1] is UNKNOWN
    assert LogNote.TOO_MANY_RECORDS in parsed(log).notes


# ------------------------------------------------------------------- what the job says of itself


def test_tested_commit_is_the_first_fetch_of_the_runs_own_repository() -> None:
    own, other = "b" * 40, "c" * 40
    lines = [
        "Runner name: 'zoo-h200-a'",
        "Complete job name: lane-4-alpha (0) / run",
        "##[group]Run actions/checkout@v4",
        "Syncing repository: zoo/engine",
        f"[command]/usr/bin/git -c protocol.version=2 fetch --depth=1 origin +{other}:refs/remotes/origin/main",
        "##[group]Run actions/checkout@v4",
        "Syncing repository: Zoo/Park",
        f"[command]/usr/bin/git -c protocol.version=2 fetch --depth=1 origin +{own}:refs/remotes/pull/4/merge",
        f"HEAD is now at {HEAD}",
        *_plain(),
    ]
    evidence = judged(stamped(lines))
    assert evidence.tested_sha == own
    assert evidence.rows[0].runner_name == "zoo-h200-a"
    assert parsed(stamped(lines)).job_name == "lane-4-alpha (0) / run"


def test_the_runner_that_github_names_goes_before_the_one_the_log_names() -> None:
    told = Job(JobId(9), "lane-4-alpha (0) / run", 1, "success", runner_name="zoo-h200-b")
    log = parsed(stamped(["Runner name: 'zoo-h200-a'", *_plain()]))
    assert classify(RUN, JobLog(told, LogState.PRESENT, "job.log"), log).rows[0].runner_name == "zoo-h200-b"


def test_tested_commit_of_a_full_checkout_is_what_git_log_prints() -> None:
    own = "b" * 40
    lines = [
        "##[group]Run actions/checkout@v4",
        "[command]/usr/bin/git fetch --prune origin +refs/heads/*:refs/remotes/origin/*",
        "[command]/usr/bin/git log -1 --format=%H",
        own,
    ]
    assert judged(stamped([*lines, *_plain()])).tested_sha == own


def test_fetches_outside_a_checkout_step_are_not_the_tested_commit() -> None:
    fetch = f"[command]/usr/bin/git fetch origin +{'c' * 40}:refs/remotes/origin/main"
    assert judged(stamped([fetch, *_plain()])).tested_sha is None
