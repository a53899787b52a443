"""`evidence.csv` against what every scheduled file was made to do; the same table out of the cited lines alone."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections import defaultdict
from typing import Any

import pytest

from tests.stages.conftest import LookAlike, Road
from tests.stages.road import Outcome, git, local
from tests.unit.publish.lines_reader import ReadLog, read_lines

NEWEST = "9fc8571"  # every head of a nightly is an ancestor
ATTEMPTS = ("A.1", "B.1", "C.1", "D.1", "E.1", "E.2", "F1.1", "F2.1", "F3.1")

FIRST_COLUMNS = (
    "workflow_run_id,job_id,job_name,suite,partition_id,partition_size,test_file,status,elapsed_s,logged_est_s,"
    "current_est_s,proposed_est_s,action,source_log,timing_line,status_line,note"
)
MORE_COLUMNS = "run_attempt,backend,head_sha,blob_at_head,blob_at_base,identity,runner_name"


def expected(look: LookAlike, attempt: str) -> dict[str, Any]:
    (directory,) = look.attempts(attempt)
    facts: dict[str, Any] = json.loads((directory / "expected.json").read_text(encoding="utf-8"))
    return facts


def compared(look: LookAlike, outcome: Outcome, attempt: str) -> int:
    """Hold every row of an attempt to the facts; gives their number."""
    facts = expected(look, attempt)
    rows = [
        row
        for row in outcome.rows
        if (row["workflow_run_id"], row["run_attempt"]) == (str(facts["run_id"]), str(facts["run_attempt"]))
    ]
    said = {(row["job_id"], row["test_file"]): row for row in rows}
    assert len(said) == len(rows)
    for fact in facts["rows"]:
        row = said.pop((str(fact["job_id"]), fact["test_file"]))
        tries = fact["attempts"]
        timing = next((one["timing_line"] for one in reversed(tries) if one.get("timing_line")), None)
        assert (
            row["status"],
            row["elapsed_s"],
            float(row["logged_est_s"]),
            row["suite"],
            (row["partition_id"], row["partition_size"]),
            row["job_name"],
            row["timing_line"],
        ) == (
            fact["status"],
            "" if fact["elapsed_s"] is None else str(fact["elapsed_s"]),
            fact["logged_est_s"],
            fact["suite"],
            (str(fact["partition_id"]), str(fact["partition_size"])),
            fact["job_name"],
            "" if timing is None else str(timing),
        ), fact
    assert said == {}
    return len(facts["rows"])


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_every_row_of_an_attempt_agrees_with_the_facts(look: LookAlike, road: Road, attempt: str) -> None:
    assert compared(look, road(NEWEST, "strict", attempt), attempt) == len(expected(look, attempt)["rows"]) > 0


def test_the_nine_attempts_have_624_rows(look: LookAlike) -> None:
    assert sum(len(expected(look, attempt)["rows"]) for attempt in ATTEMPTS) == 624


def test_a_job_that_a_second_attempt_only_repeats_counts_once_and_under_the_first(look: LookAlike, road: Road) -> None:
    outcome = road(NEWEST, "strict", "E")
    assert compared(look, outcome, "E.1") == 72
    second = expected(look, "E.2")
    carried = {str(job) for job in second["carried_over_jobs"]}
    again = [row for row in outcome.rows if row["run_attempt"] == "2"]
    own = [fact for fact in second["rows"] if str(fact["job_id"]) not in carried]
    assert len(own) == 20
    assert {(row["job_id"], row["test_file"], row["status"]) for row in again} == {
        (str(fact["job_id"]), fact["test_file"], fact["status"]) for fact in own
    }
    assert "16 jobs carried over from an earlier attempt, counted there" in outcome.report


def test_columns_and_the_order_of_rows_are_what_readers_rely_on(road: Road) -> None:
    outcome = road(NEWEST, "strict", "A", "B", "E")
    raw = outcome.written("evidence.csv")
    assert raw.startswith(f"{FIRST_COLUMNS},{MORE_COLUMNS}\n".encode())
    assert b"\r" not in raw
    table = outcome.rows
    keys = [
        (int(row["workflow_run_id"]), int(row["run_attempt"]), row["suite"], int(row["partition_id"])) for row in table
    ]
    assert keys == sorted(keys)
    for row in table:
        assert row["source_log"] == f"jobs/{row['job_id']}/job-{row['job_id']}.log"
    again = io.StringIO(newline="")
    csv.DictWriter(again, table[0].keys(), lineterminator="\n").writerows([dict(zip(table[0], table[0], strict=True))])
    assert raw.decode().startswith(again.getvalue())


def test_rows_of_one_job_stand_in_plan_order(look: LookAlike, road: Road) -> None:
    planned: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for fact in expected(look, "B.1")["rows"]:
        planned[str(fact["job_id"])].append((fact["plan_line"], fact["test_file"]))
    said: dict[str, list[str]] = defaultdict(list)
    for row in road(NEWEST, "strict", "B.1").rows:
        said[row["job_id"]].append(row["test_file"])
    assert said == {job: [path for _, path in sorted(files)] for job, files in planned.items()}


def test_the_blobs_beside_a_row_are_those_of_the_two_commits(look: LookAlike, road: Road) -> None:
    rows = [row for row in road("98eec31", "strict", "A", "B").rows if row["identity"] == "identical"]
    assert len(rows) > 100
    for head in {row["head_sha"] for row in rows}:
        there = dict(reversed(line.split("\t")) for line in _blobs(look, head))
        base = dict(reversed(line.split("\t")) for line in _blobs(look, "facts-98eec31"))
        for row in (row for row in rows if row["head_sha"] == head):
            assert row["blob_at_head"] == there[row["test_file"]] == row["blob_at_base"] == base[row["test_file"]]


def _blobs(look: LookAlike, revision: str) -> list[str]:
    return git(look.repository, "ls-tree", "-r", "--format=%(objectname)%x09%(path)", revision).splitlines()


def test_the_manifest_names_every_log_by_its_own_bytes(look: LookAlike, road: Road) -> None:
    manifest = json.loads(road("98eec31", "strict", "A", "B").written("manifest.json"))
    runs = dict(zip(("A", "B"), manifest["runs"], strict=True))
    logs = 0
    for name, run in runs.items():
        (directory,) = look.attempts(name)
        for job in run["jobs"]:
            if job["log"]["state"] == "present":
                raw = (directory / job["log"]["path"]).read_bytes()
                assert job["log"]["sha256"] == hashlib.sha256(raw).hexdigest()
                assert (job["log"]["bytes"], job["log"]["lines"]) == (len(raw), raw.count(b"\n"))
                logs += 1
    assert logs == len(list(look.runs.glob("[AB]/attempt-1/jobs/*/*.log"))) > 20


def recomputed(log: ReadLog, row: dict[str, str]) -> tuple[str, str]:
    """A row's status and seconds, from the cited lines alone: what a reader can do without the logs.

    A pass needs an End record, a status line that says so, and a place in the final summary.
    """
    name = re.escape(row["test_file"])
    timing = log.lines.get(int(row["timing_line"] or 0))
    status = log.lines.get(int(row["status_line"] or 0))
    seconds = re.search(rf"filename='{name}', elapsed=(\d+)", timing.text) if timing else None
    passed = re.search(rf"{name}  PASS  elapsed=", status.text) if status else None
    listed = any("summary" in line.roles and re.search(rf"  {name}$", line.text) for line in log.lines.values())
    return ("passed" if passed and seconds and listed else "not", seconds[1] if seconds else "")


def test_the_cited_lines_alone_give_the_same_passes_and_seconds(road: Road) -> None:
    outcome = road(NEWEST, "strict", "A", "B", "F3")
    logs = {log.source: log for log in read_lines(outcome.written("lines.txt"))}
    passes = 0
    for row in outcome.rows:
        status, seconds = recomputed(logs[row["source_log"]], row)
        assert status == ("passed" if row["status"] == "passed" else "not"), row
        assert seconds == row["elapsed_s"], row
        passes += status == "passed"
    assert passes > 150


def test_lines_are_those_of_the_logs_and_say_which_log(look: LookAlike, road: Road) -> None:
    (directory,) = look.attempts("B")
    for log in read_lines(road(NEWEST, "strict", "B.1").written("lines.txt")):
        raw = (directory / log.source).read_bytes()
        assert log.sha256 == hashlib.sha256(raw).hexdigest()
        text = raw.split(b"\n")
        for number, line in log.lines.items():
            assert line.cut or line.text == text[number - 1].decode(errors="replace"), number


def test_the_same_inputs_give_the_same_bytes(look: LookAlike, road: Road, tmp_path: Any) -> None:
    first = road("98eec31", "strict", "A", "B")
    again = local(look.repository, "facts-98eec31", look.attempts("A", "B"), tmp_path / "again", "--policy", "strict")
    assert again.files == first.files
