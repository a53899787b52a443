"""Evidence files that are too large for one upload: their parts."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import Evaluation, JobId, RunId
from bot.errors import UserError
from bot.publish.evidence_csv import evidence_csv
from bot.publish.evidence_files import evidence_files
from bot.publish.evidence_ref import entry
from bot.publish.explanation import LinePlaces
from bot.publish.lines import CitedText, cited_logs
from bot.publish.links import Links
from bot.publish.parts import MAX_PARTS, Line, parts, parts_of, stale_parts
from tests.unit.publish.evaluations import evaluation, job, run, scheduled
from tests.unit.publish.lines_reader import ReadLine, lines_txt, read_lines

FEW = 700  # bytes: a row or two
RECORD = st.binary(min_size=1, max_size=12).map(lambda raw: raw.replace(b"\n", b".") + b"\n")


def nights(*ids: int) -> Evaluation:
    """Runs of two jobs with three files each."""
    found = []
    for run_id in ids:
        jobs = []
        for place in (1, 2):
            job_id = JobId(10 * run_id + place)
            rows = (
                scheduled(
                    f"tests/zoo/test_{place}_{at}.py",
                    run_id=RunId(run_id),
                    job_id=job_id,
                    partition_id=place,
                    plan_index=at,
                    plan_line=3 + at,
                    timing_line=10 * at + 10,
                    status_line=10 * at + 11,
                )
                for at in range(3)
            )
            jobs.append(job(job_id, *rows))
        found.append(run(run_id, *jobs))
    return evaluation(*found)


def texts(of: Evaluation) -> dict[str, dict[int, CitedText]]:
    logs = cited_logs(of)
    return {log.source: {n: CitedText(f"{log.source} line {n}".encode()) for n in log.roles} for log in logs}


def divided(of: Evaluation) -> dict[str, bytes]:
    return dict(evidence_files(of, texts(of), FEW))


def read(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode(), newline="")))


def cited(*files: bytes) -> dict[tuple[str, int], ReadLine]:
    return {(log.source, n): line for raw in files for log in read_lines(raw) for n, line in log.lines.items()}


def test_what_fits_is_one_file_of_its_own_name() -> None:
    assert sorted(evidence_files(nights(1), texts(nights(1)))) == ["evidence.csv", "lines.txt", "manifest.json"]


def test_every_part_of_the_table_is_a_table_and_together_they_are_the_whole() -> None:
    tables = parts_of("evidence.csv", divided(nights(1, 2)))
    assert len(tables) > 2
    assert [row for raw in tables.values() for row in read(raw)] == read(evidence_csv(nights(1, 2)))
    assert all(len(raw) <= FEW for raw in tables.values())


def test_every_part_of_the_lines_reads_alone_and_together_they_are_the_whole() -> None:
    given_ = nights(1, 2)
    files = parts_of("lines.txt", divided(given_))
    assert len(files) > 2
    assert cited(*files.values()) == cited(lines_txt(cited_logs(given_), texts(given_)))


def test_a_night_s_lines_are_the_same_files_whatever_nights_stand_beside_it() -> None:
    earlier, later = (parts_of("lines.txt", divided(nights(*ids))) for ids in ((1, 2), (2, 3)))
    shared = set(earlier.values()) & set(later.values())
    assert cited(*shared) == {at: line for at, line in cited(*later.values()).items() if at[0].startswith("jobs/2")}


def test_the_manifest_names_every_part_by_hash() -> None:
    files = divided(nights(1, 2))
    named = json.loads(files.pop("manifest.json"))["files"]
    assert named == {
        name: {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)} for name, raw in files.items()
    }


def test_a_log_line_is_linked_to_the_part_that_has_it() -> None:
    files = parts_of("lines.txt", divided(nights(1)))
    places = LinePlaces.of({f"https://a.example/{name}": raw for name, raw in files.items()}).places
    assert len({address for address, _ in places.values()}) == len(files)
    for (source, number), (address, place) in places.items():
        line = files[address.rsplit("/", 1)[1]].decode().split("\n")[place - 1]
        assert line.endswith(f"\t{source} line {number}")


def test_the_report_counts_the_further_parts_and_links_to_all() -> None:
    found = entry(nights(1, 2).runs[-1].run, divided(nights(1, 2)))
    links = Links(directory="https://a.example/tree/x", further=found.further)
    assert found.further == len(found.files) - 3 > 0
    assert links.evidence().endswith(f"and [{found.further} more parts of them](https://a.example/tree/x)")
    assert "more part" not in Links(directory="https://a.example/tree/x").evidence()


def test_more_than_is_ever_published_is_refused_with_the_setting_that_makes_it_less() -> None:
    lines = [Line(b"x" * 9 + b"\n")] * (MAX_PARTS + 1)
    with pytest.raises(UserError, match=r"evidence\.csv would be more .*estimate\.window\.nights"):
        parts("evidence.csv", b"", [lines], 10)


def test_a_directory_that_held_a_larger_file_is_told_what_is_left_of_it() -> None:
    there = ["evidence.csv", "evidence-2.csv", "evidence-3.csv", "evidence-x.csv", "notes-2.txt", "lines-2.txt"]
    files = {"evidence.csv": b"", "evidence-2.csv": b"", "lines.txt": b""}
    assert stale_parts(there, files) == ["evidence-3.csv", "lines-2.txt"]


@settings(deadline=None, derandomize=True, max_examples=200)
@given(groups=st.lists(st.lists(RECORD, max_size=8), max_size=5), size=st.integers(8, 60))
def test_all_records_stand_once_in_order_and_no_part_is_too_large(groups: list[list[bytes]], size: int) -> None:
    files = parts("evidence.csv", b"h\n", [[Line(raw) for raw in group] for group in groups], size)
    assert list(parts_of("evidence.csv", files)) == list(files)
    assert all(raw.startswith(b"h\n") for raw in files.values())
    assert b"".join(raw.removeprefix(b"h\n") for raw in files.values()) == b"".join(_flat(groups))
    assert all(len(raw) <= size or raw.count(b"\n") <= 2 for raw in files.values())


def _flat(groups: Sequence[Sequence[bytes]]) -> list[bytes]:
    return [raw for group in groups for raw in group]
