"""What holds for any log: no bytes raise, noise changes nothing, a cut log proves no more."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import Status
from bot.evidence.dialects.suite_runner import records
from bot.evidence.lines import payload
from tests.unit.evidence.tiny_logs import (
    NEWT,
    OTTER,
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

EMU = "tests/e2e/zoo/test_emu.py"
PLAN = plan((OTTER, 400.0), (NEWT, 300.0), (EMU, 60.0))
RUNS = {
    "passes": [
        *passing(0, 3, OTTER, 310),
        *passing(1, 3, NEWT, 200, 300.0),
        *passing(2, 3, EMU, 41, 60.0),
        *summary([OTTER, NEWT, EMU]),
    ],
    "mixed": [
        *passing(0, 3, OTTER, 310),
        *begin(1, 3),
        *end(1, 3, NEWT, 1800, 300.0),
        status("2/3", NEWT, "TIMEOUT", 1800, " timeout_after=1800s"),
        *begin(2, 3),
        *end(2, 3, EMU, 41, 60.0),
        status("3/3", EMU, "FAIL", 41, " exit=1"),
        *summary([OTTER], {NEWT: "timeout after 1800s", EMU: "exit code 1"}),
    ],
    "retried": [
        *begin(0, 3),
        *end(0, 3, OTTER, 402),
        status("1/3", OTTER, "FAIL", 402, " exit=1"),
        *begin(0, 3),
        *end(0, 3, OTTER, 465),
        status("1/3", OTTER, "PASS", 464, " retry_of=attempt=1"),
        *passing(1, 3, NEWT, 200, 300.0),
        *passing(2, 3, EMU, 41, 60.0),
        *summary([OTTER, NEWT, EMU]),
    ],
}
NOISE = st.sampled_from(
    [
        "",
        ".",
        "[TP0] Decode batch, elapsed=4",
        "Test Summary: 4/4 combos passed",
        "PASSED:",
        "[2/4] tilelang + shared-outer  PASS  elapsed=456s",
        "End (eval 1/1): elapsed=29.6",
        "End (7/9):",
        "filename='<memory>', elapsed=3, _estimated_time=60.0",
        "{'elapsed': 4.5}",
        "  - not a planned line",
        "\ufeff",
        "\u2028\u0085",
        " 4%|x|\r 9%|x|",
        "::endgroup::",
    ]
)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.binary(max_size=400), st.sampled_from([b"", stamped(PLAN), stamped([*PLAN, *begin(0, 3)])]))
def test_no_bytes_raise(noise: bytes, before: bytes) -> None:
    log = before + noise
    parsed(log)
    assert not [one for one in statuses(log) if one[1] is Status.PASSED]


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*PLAN, *RUNS["mixed"], *RUNS["retried"]]), max_size=40), st.integers(1, 50))
def test_no_order_of_lines_raises_or_depends_on_how_it_is_read(lines: list[str], piece: int) -> None:
    log = stamped(lines)
    assert parsed(log, piece) == parsed(log)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(RUNS)), st.data())
def test_noise_between_records_changes_nothing(name: str, data: st.DataObject) -> None:
    lines = [*PLAN, *RUNS[name]]
    inside = _places_for_noise(lines)
    wanted = statuses(stamped(lines))
    for place in sorted(data.draw(st.lists(st.sampled_from(inside), max_size=12)), reverse=True):
        lines.insert(place, data.draw(NOISE))
    assert statuses(stamped(lines)) == wanted


def _places_for_noise(lines: list[str]) -> list[int]:
    """Anywhere a test may print: not between the lines the runner writes in one go."""
    last = max(i for i, line in enumerate(lines) if line.startswith("["))
    return [i for i in range(len(PLAN), last + 1) if not lines[i].startswith("filename=")]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(RUNS)), st.sampled_from(["success", "failure", "cancelled"]), st.floats(0, 1))
def test_a_cut_log_proves_no_more_passes(name: str, conclusion: str, share: float) -> None:
    log = stamped([*PLAN, *PLAN, *RUNS[name]])
    whole = _passes(log, conclusion)
    assert _passes(log[: int(share * len(log))], conclusion) <= whole


def test_a_log_cut_at_any_byte_of_its_end_proves_no_more_passes() -> None:
    for lines in RUNS.values():
        log = stamped([*PLAN, *lines])
        whole = _passes(log, "failure")
        for cut in range(len(log) - 700, len(log)):
            assert _passes(log[:cut], "failure") <= whole


def _passes(log: bytes, conclusion: str) -> set[tuple[str, int | None]]:
    return {(row.path, row.elapsed_s) for row in judged(log, conclusion).rows if row.status is Status.PASSED}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.binary(max_size=120))
def test_no_line_raises_in_any_recogniser(line: bytes) -> None:
    text = payload(line)
    for recognise in (records.header, records.enabled, records.planned, records.disabled, records.bracket,
                      records.timing, records.status, records.summary, records.section, records.item):  # fmt: skip
        recognise(text)
