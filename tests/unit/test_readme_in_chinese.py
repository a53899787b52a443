"""README.zh-CN.md keeps step with README.md: same sections, commands, configuration, links, pictures and figures.

Words are the translator's; everything a machine can hold is held here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
EACH_OTHER = {"README.md", "README.zh-CN.md"}


def headings(text: str) -> list[str]:
    """The levels of the headings, in order."""
    return re.findall(r"^(#+) ", text, re.MULTILINE)


def blocks(text: str) -> list[str]:
    """What stands in fences, without the comments a reader is told things in."""
    found = re.findall(r"^```[a-z]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r" +#.*$", "", block, flags=re.MULTILINE) for block in found]


def code(text: str) -> Counter[str]:
    """What stands in backticks outside the fences."""
    return Counter(re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)))


def links(text: str) -> Counter[str]:
    """Where links and pictures lead, each other left out."""
    return Counter(link for link in re.findall(r"\]\(([^)]+)\)", text) if link not in EACH_OTHER)


def figures(text: str) -> Counter[str]:
    """Numbers of two digits and more, outside code and links, with or without a comma between thousands."""
    plain = re.sub(r"^```.*?^```$|`[^`\n]+`|\]\([^)]+\)", "", text, flags=re.MULTILINE | re.DOTALL)
    return Counter(number.replace(",", "") for number in re.findall(r"\d[\d,.]*\d", plain))


def rows(text: str) -> list[int]:
    """The number of cells of each table row."""
    return [line.count("|") for line in text.splitlines() if line.lstrip("> ").startswith("|")]


@pytest.mark.parametrize("held", [headings, blocks, code, links, figures, rows], ids=lambda held: held.__name__)
def test_both_hold_the_same(held: Callable[[str], object]) -> None:
    assert held(CHINESE) == held(ENGLISH)


def test_each_leads_to_the_other() -> None:
    assert "](README.zh-CN.md)" in ENGLISH
    assert "](README.md)" in CHINESE
    assert re.search(r"[\u4e00-\u9fff]", CHINESE)
