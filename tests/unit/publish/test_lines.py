"""`lines.txt`: written, read back, and enough to recompute the rows."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import Evaluation, JobId, RunId
from bot.publish.evidence_csv import evidence_csv
from bot.publish.lines import LINE_LIMIT, CitedLog, CitedText, cited_logs
from bot.publish.log_lines import cited_texts, read_cited
from tests.unit.publish.evaluations import evaluation, job, run, scheduled, small
from tests.unit.publish.lines_reader import ReadLog, lines_txt, read_lines

STAMP = "2026-08-20T15:00:00.0000000Z "


def log_of(name: str) -> bytes:
    """Forty lines of a log in which each of `small()`'s jobs has what its rows cite."""
    lines = [f"{STAMP}chatter {place}" for place in range(1, 41)]
    cited = {
        "7": {
            3: "  - tests/zoo/test_otter.py (est_time=400)",
            10: "filename='tests/zoo/test_otter.py', elapsed=310, _estimated_time=400.0",
            11: "[1/2] tests/zoo/test_otter.py  PASS  elapsed=309s",
            20: "  tests/zoo/test_otter.py",
        },
        "8": {
            9: "  - tests/zoo/test_newt.py (est_time=400)",
            10: "filename='tests/zoo/test_newt.py', elapsed=1800, _estimated_time=400.0",
            11: "[1/2] tests/zoo/test_newt.py  TIMEOUT  timeout_after=1800s",
        },
    }
    for place, text in cited[name].items():
        lines[place - 1] = STAMP + text
    return "\n".join(lines).encode() + b"\n"


def with_logs(given_: Evaluation, folder: Path) -> Evaluation:
    """The evaluation with its first attempt's logs on disk."""
    first = given_.runs[0]
    jobs = []
    for item in first.jobs:
        path = folder / f"{item.log.job.job_id}.log"
        path.write_bytes(log_of(str(item.log.job.job_id)))
        jobs.append(replace(item, log=replace(item.log, path=str(path))))
    return replace(given_, runs=(replace(first, jobs=tuple(jobs)), *given_.runs[1:]))


def written(given_: Evaluation) -> bytes:
    logs = cited_logs(given_)
    return lines_txt(logs, cited_texts(logs))


def recomputed(log: ReadLog, row: dict[str, str]) -> tuple[str, str]:
    """Status and elapsed of a row from its cited lines alone, as the format's description says."""
    timing = log.lines[int(row["timing_line"])].text
    status = log.lines[int(row["status_line"])].text
    elapsed = re.search(r"elapsed=(\d+)", timing)
    assert elapsed
    named = [line for line in log.lines.values() if "summary" in line.roles and row["test_file"] in line.text]
    if "  TIMEOUT " in status:
        return "timeout", elapsed[1]
    return ("passed" if "  PASS " in status and named else "unknown"), elapsed[1]


def test_status_and_elapsed_can_be_recomputed_from_the_cited_lines(tmp_path: Path) -> None:
    given_ = with_logs(small(), tmp_path)
    logs = {log.source: log for log in read_lines(written(given_))}
    rows = list(csv.DictReader(io.StringIO(evidence_csv(given_).decode())))
    checked = [row for row in rows if row["test_file"] in ("tests/zoo/test_otter.py", "tests/zoo/test_newt.py")]
    assert [recomputed(logs[row["source_log"]], row) for row in checked] == [("passed", "310"), ("timeout", "1800")]


def test_every_line_a_row_cites_is_there_with_its_role(tmp_path: Path) -> None:
    log = {log.source: log for log in read_lines(written(with_logs(small(), tmp_path)))}["jobs/7/job-7.log"]
    assert {place: line.roles for place, line in log.lines.items()} == {
        3: ("plan",),
        4: ("plan",),
        5: ("plan",),
        6: ("plan",),
        10: ("timing",),
        11: ("status",),
        20: ("summary",),
    }
    assert log.lines[10].text == STAMP + "filename='tests/zoo/test_otter.py', elapsed=310, _estimated_time=400.0"


def test_the_same_evaluation_gives_the_same_bytes_whatever_its_order(tmp_path: Path) -> None:
    given_ = with_logs(small(), tmp_path)
    first, second = given_.runs
    turned = replace(given_, runs=(second, replace(first, jobs=first.jobs[::-1])))
    assert written(turned) == written(given_)


def test_a_carried_over_job_is_not_cited_again(tmp_path: Path) -> None:
    assert [log.source for log in cited_logs(with_logs(small(), tmp_path))] == ["jobs/7/job-7.log", "jobs/8/job-8.log"]


def test_a_log_that_is_gone_by_now_is_named_absent_and_the_others_stay(tmp_path: Path) -> None:
    given_ = with_logs(small(), tmp_path)
    (tmp_path / "7.log").unlink()
    first, second = read_lines(written(given_))
    assert (first.source, first.present, dict(first.lines)) == ("jobs/7/job-7.log", False, {})
    assert second.present
    assert second.lines


def test_a_log_without_a_path_is_absent() -> None:
    assert [log.present for log in read_lines(written(small()))] == [False, False]


def test_a_long_line_is_cut_and_says_so() -> None:
    text = read_cited(io.BytesIO(b"x" * (3 << 20) + b"\nshort\n"), [1, 2])
    assert (len(text[1].raw), text[1].cut, text[2]) == (LINE_LIMIT, True, CitedText(b"short"))
    log = CitedLog("jobs/1/job-1.log", "x", "", "success", {1: ("plan",), 2: ("status",)}, (RunId(11), 1))
    (read,) = read_lines(lines_txt((log,), {log.source: text}))
    assert (read.lines[1].cut, read.lines[1].roles, read.lines[2].cut) == (True, ("plan",), False)


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    assert read_cited(io.BytesIO(b"x" * LINE_LIMIT), [1]) == {1: CitedText(b"x" * LINE_LIMIT)}


@settings(deadline=None, derandomize=True, max_examples=80)
@given(
    lines=st.lists(st.binary(max_size=12).map(lambda raw: raw.replace(b"\n", b"")), max_size=12),
    end=st.sampled_from([b"", b"\n"]),
    wanted=st.sets(st.integers(1, 15)),
)
def test_cited_lines_are_those_that_splitting_at_lf_gives(lines: list[bytes], end: bytes, wanted: set[int]) -> None:
    raw = b"\n".join(lines) + end
    pieces = raw.split(b"\n")
    there = pieces if pieces[-1] else pieces[:-1]
    expected = {n: CitedText(there[n - 1]) for n in wanted if n <= len(there)}
    assert read_cited(io.BytesIO(raw), wanted) == expected


def test_lines_across_the_reader_s_chunks_are_whole() -> None:
    lines = [b"%07d" % place + b"." * 500 for place in range(6000)]
    wanted = [1, 2060, 2061, 2062, 4127, 4128, 4129, 4130, 6000]
    found = read_cited(io.BytesIO(b"\n".join(lines)), wanted)
    assert {place: text.raw for place, text in found.items()} == {place: lines[place - 1] for place in wanted}


@settings(deadline=None, derandomize=True, max_examples=80)
@given(raw=st.binary(max_size=60).map(lambda raw: raw.replace(b"\n", b"")), conclusion=st.text(max_size=10))
def test_any_bytes_of_a_log_come_back_as_their_text(raw: bytes, conclusion: str) -> None:
    log = CitedLog("jobs/1/job-1.log", "x", "0" * 64, conclusion, {5: ("plan", "status")}, (RunId(11), 1))
    file = lines_txt((log,), {log.source: {5: CitedText(raw)}})
    assert re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", file) is None
    (read,) = read_lines(file)
    assert (read.conclusion, read.lines[5].text) == (conclusion, raw.decode(errors="replace"))


def test_a_row_without_records_cites_its_plan_line() -> None:
    row = scheduled(
        "a.py", job_id=JobId(3), plan_line=17, timing_line=None, status_line=None, summary_line=None, elapsed_s=None
    )
    (log,) = cited_logs(evaluation(run(1, job(3, row))))
    assert log.roles == {17: ("plan",)}
