"""docs/performance.md says what one run found and nothing else, and other documents quote it truly."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.goals import FIGURES
from tests.bench.growth import Growth
from tests.bench.page import IMAGES, KEPT, PAGE, draw, page, picture
from tests.bench.record import Record, read

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - {ROOT / PAGE})
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


@pytest.fixture(scope="module")
def record() -> Record:
    return read(ROOT / KEPT)


def test_the_page_is_what_the_kept_record_gives(record: Record) -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(record)


def test_every_part_that_was_measured_is_on_the_page(record: Record) -> None:
    headings = re.findall(r"^## (.+)$", page(record), re.MULTILINE)
    parts = {
        "Goals": record.figures,
        "Editing beside other ways": record.editing,
        "Reading a log beside a loop over lines": record.reading,
        "Requests to GitHub": record.calls,
        "A large repository": record.large,
        "How time grows": record.growth,
    }
    assert headings == [name for name, found in parts.items() if found]
    assert {*record.figures} <= {*FIGURES}
    assert [name for name in record.figures if FIGURES[name].says not in page(record)] == []


def test_a_goal_that_is_missed_is_set_in_bold(record: Record) -> None:
    slow = page(replace(record, figures={"log_parse_vs_grep": 8.5, "ack_p99_ms": 1.5}))
    assert "| **8.5** | 8 |" in slow
    assert "| 1.5 | 1000 |" in slow


def test_every_growth_has_its_picture_and_no_picture_is_left_over(record: Record) -> None:
    kept = {path.name for path in (ROOT / IMAGES).glob("performance-*.svg")}
    assert kept == {picture(one) for one in record.growth}
    assert {ET.parse(ROOT / IMAGES / name).getroot().tag for name in kept} == {"{http://www.w3.org/2000/svg}svg"}  # noqa: S314 - our own pictures


def test_the_same_record_gives_the_same_picture(tmp_path: Path, record: Record) -> None:
    for one in record.growth:
        draw(one, tmp_path / "one.svg")
        assert (tmp_path / "one.svg").read_bytes() == (ROOT / IMAGES / picture(one)).read_bytes()


@pytest.mark.parametrize(("power", "exponent"), [(0, 0.0), (1, 1.0), (2, 2.0)])
def test_the_exponent_is_the_power_that_time_grows_by(power: int, exponent: float) -> None:
    points = tuple((size, 0.5 * float(size**power)) for size in (10, 20, 40))
    assert Growth("files", "files", points, 1.0).exponent == exponent


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_figures_on_a_line_that_cites_the_page_are_the_pages(document: Path) -> None:
    measured = set(NUMBER.findall((ROOT / PAGE).read_text(encoding="utf-8")))
    citing = [line for line in document.read_text(encoding="utf-8").splitlines() if "performance.md" in line]
    assert [line for line in citing if not set(NUMBER.findall(line)) <= measured] == []
