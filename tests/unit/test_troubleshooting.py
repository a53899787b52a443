"""docs/troubleshooting.md names every reason a person may meet, in the words the report uses, with something to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import pytest

from bot.config_reference import schema
from bot.publish.wording import EDIT_REFUSAL, IMPORT_REFUSAL, KEEP, REJECTION

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z_]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("It left a literal alone", KEEP),
        ("A pass was not used", REJECTION),
        ("An import was not followed", IMPORT_REFUSAL),
        ("A call was not edited", EDIT_REFUSAL),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_each_reason_has_its_row_in_the_reports_words(heading: str, words: Mapping[StrEnum, str]) -> None:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = ROW.findall(section)
    assert {name: said for name, said, _ in rows} == {reason.value: said for reason, said in words.items()}
    assert set(words) == set(type(next(iter(words))))
    assert all(remedy.strip() for *_, remedy in rows)


def _dotted(made: dict[str, object], each: Mapping[str, object], prefix: str) -> set[str]:
    found: set[str] = set()
    for name, inner in each.get("properties", {}).items():  # type: ignore[attr-defined]
        dotted = f"{prefix}{name}"
        found.add(dotted)
        for part in (inner, inner.get("items", {}), inner.get("additionalProperties", {})):
            if isinstance(part, dict) and "$ref" in part:
                model = made["$defs"][part["$ref"].rpartition("/")[2]]  # type: ignore[index]
                found |= _dotted(made, model, f"{dotted}.")
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_key_of_the_configuration_that_a_document_names_exists(document: Path) -> None:
    made = schema()
    keys = _dotted(made, made, "")
    tops = {key for key in keys if "." not in key}
    named = re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)(?:: [^`]*)?`", document.read_text(encoding="utf-8"))
    assert [name for name in named if name.partition(".")[0] in tops and name not in {*keys, "evidence.csv"}] == []
