"""The page that shows each literal night by night says what the program proposes today."""

from __future__ import annotations

from pathlib import Path

from tests.bench.nights_page import page

COMMITTED = Path(__file__).parents[2] / "docs" / "nights.md"


def test_the_literals_after_each_measured_night_are_those_of_the_page(shared_data: Path, tmp_path: Path) -> None:
    assert page(shared_data / "nightlies", tmp_path) == COMMITTED.read_text(encoding="utf-8")
