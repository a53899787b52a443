"""The label registry is read as syntax, in order, or not at all with a reason."""

from __future__ import annotations

import pytest

from bot.edit.registry_reader import LabelRegistry, UnreadRegistry, read_registry, split_location


@pytest.mark.parametrize(
    "text",
    [
        'KNOWN = {"a": "x", "c": "y", "b": f(1)}',
        'KNOWN: dict[str, str] = {"a": 1, "c": 2, "b": 3}',
        'KNOWN = ["a", "c", "b", "a"]',
        'KNOWN = ("a", "c", "b")',
        'KNOWN = {"a", "c", "b"}',
        'KNOWN = frozenset({"a", "c", "b"})',
        'KNOWN = OTHER = ["a", "c", "b"]',
        '"""KNOWN = []"""\nimport x\nKNOWN = ["a", "c", "b"]\nprint(KNOWN)\n',
        'type A = int\nx = f"{d["k"]}"\nKNOWN = ["a", "c", "b"]\n',
        '\ufeffKNOWN = ["a", "c", "b"]\r\n',
    ],
)
def test_every_literal_form_gives_the_labels_in_their_order(text: str) -> None:
    assert read_registry(text.encode(), "KNOWN") == LabelRegistry(("a", "c", "b"))


@pytest.mark.parametrize(
    ("raw", "words", "line"),
    [
        (None, "does not exist", 0),
        (b"# caf\xe9\nKNOWN = []", "not text", 0),
        (b"KNOWN = [", "not readable as Python: line 1", 0),
        (b"OTHER = []", "assigned 0 times", 0),
        (b"KNOWN = []\nKNOWN = []", "assigned 2 times", 0),
        (b"if 1:\n    KNOWN = []", "assigned 0 times", 0),
        (b"KNOWN: list", "no literal", 1),
        (b"\nKNOWN = make()", "no literal", 2),
        (b"KNOWN = sorted(['a'])", "no literal", 1),
        (b"KNOWN = {**OTHER}", "not a string literal", 1),
        (b"KNOWN = ['a',\n  B]", "not a string literal", 2),
        (b"KNOWN = [1]", "not a string literal", 1),
        (b"KNOWN = {}\nKNOWN['a'] = 1", "changed after", 2),
        (b"KNOWN = {}\nKNOWN.update(a=1)", "changed after", 2),
        (b"KNOWN = []\nKNOWN += ['a']", "assigned 2 times", 0),
        (b"#" * 1_100_000, "more than", 0),
        (b"KNOWN = [" + b"(" * 5000, "not readable", 0),
    ],
)
def test_what_cannot_be_read_says_why(raw: bytes | None, words: str, line: int) -> None:
    found = read_registry(raw, "KNOWN")
    assert isinstance(found, UnreadRegistry)
    assert words in found.reason
    assert found.line == line


def test_a_location_is_a_path_and_a_name() -> None:
    assert split_location("tests/ci/labels.py:KNOWN_LABELS") == ("tests/ci/labels.py", "KNOWN_LABELS")
