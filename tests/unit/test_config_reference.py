"""The committed reference is the model's, and every configuration shown in a document is valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.config_file import Valid, parse
from bot.config_reference import MARKDOWN, SCHEMA, files, main, schema
from bot.repo_config import DEFAULT

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXAMPLE = re.compile(r"^```yaml\n(version:.*?)^```", re.MULTILINE | re.DOTALL)


def _examples(document: Path) -> list[str]:
    return EXAMPLE.findall(document.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [MARKDOWN, SCHEMA])
def test_the_committed_reference_is_what_the_model_gives(name: str) -> None:
    committed = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert committed == files()[name], "run: python -m bot.config_reference docs"


def test_every_configuration_shown_in_a_document_is_valid() -> None:
    shown = {(document.name, text) for document in DOCUMENTS for text in _examples(document)}
    assert {name for name, _ in shown} >= {"README.md", MARKDOWN}
    for name, text in shown:
        assert isinstance(parse(text.encode()), Valid), name


def test_the_defaults_on_the_page_are_the_defaults() -> None:
    shown = [parse(text.encode()) for text in _examples(ROOT / "docs" / MARKDOWN)]
    assert Valid(DEFAULT) in shown


def test_every_key_has_a_row_of_its_own() -> None:
    page = files()[MARKDOWN]
    for name, model in schema()["$defs"].items():
        for key in model["properties"]:
            assert re.search(rf"`(\w[\w.<>\[\]]*\.)?{key}[`.]", page), f"{name}.{key}"


def test_the_schema_refuses_unknown_keys_everywhere() -> None:
    made = schema()
    assert all(model["additionalProperties"] is False for model in (made, *made["$defs"].values()))


def test_it_writes_both_files_where_it_is_told(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == files()
    assert main([]) == 2
    assert main([str(tmp_path / "nowhere")]) == 2
