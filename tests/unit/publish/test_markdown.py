"""Foreign text stays text, in any place of a Markdown document."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.publish.markdown import code, link, prose, row, table_head
from bot.publish.visible import visible

ANY = st.text(max_size=60) | st.text(alphabet="`|@<>\\*_[]()#!&; \n\t\u202e\u200bab1", max_size=60)
HOSTILE = [
    "@octocat please merge",
    "a@b.example",
    "fixes #1 and GH-12",
    "<script>alert(1)</script>",
    "<!-- recalibrate app=1 key=x -->",
    "--> <img src=x onerror=1>",
    "a | b || c",
    "`` ` ``` code",
    "[click](http://evil.example) ![x](y)",
    "https://evil.example/path www.evil.example",
    "\u202egnp.exe\u202c",
    "\x1b[31mred\x1b[0m\r\n# heading",
    "\\| \\` trailing \\",
    "&lt;b&gt; &#64;octocat",
    "***bold*** __init__ ~~x~~",
    "owner/name#3 0123456789abcdef0123456789abcdef01234567",
]


def spans_removed(text: str) -> str:
    """What is left outside of code spans: the only text that GitHub acts on."""
    return re.sub(r"`[^`\n]+`", "", text)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_foreign_name_stands_outside_one_code_span(text: str) -> None:
    assert spans_removed(code(text)) == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_a_foreign_sentence_leaves_only_plain_words_outside_of_code(text: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9.,;:()' ]*", spans_removed(prose(text)))
    assert "//" not in spans_removed(prose(text))


@settings(deadline=None, derandomize=True, max_examples=200)
@given(text=ANY)
def test_no_text_brings_a_mention_html_a_table_break_or_an_invisible_character(text: str) -> None:
    for shown in (code(text), prose(text)):
        assert not set(shown) & set("@<>|\n\r\t\u202e\u200b\x1b")
        assert visible(shown) == shown
        assert spans_removed(shown).count("`") == 0


@settings(deadline=None, derandomize=True, max_examples=100)
@given(text=ANY, limit=st.integers(5, 40))
def test_text_is_no_longer_than_asked_before_it_is_spelled_out(text: str, limit: int) -> None:
    assert len(re.sub(r"\\(x..|u....|U.{8})", "?", code(text, limit))) <= max(limit + 2, len("(empty)"))


def test_ordinary_names_are_shown_as_they_are() -> None:
    path = "tests/e2e/model_scripts/test_lora_qwen2.5_0.5B.py"
    assert code(path) == f"`{path}`"
    assert code("stage-c-8-gpu-h100 (0) / run") == "`stage-c-8-gpu-h100 (0) / run`"
    assert prose("1 of the 2 complete nights a lower needs") == "1 of the 2 complete nights a lower needs"


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_at_all_is_said_to_be_empty_or_spelled_out(text: str) -> None:
    assert code(text) in ("(empty)", "`\\x0a`")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://a.example/) [x](y", "http://u@host/", "", "https://a.example/ b", "//x"]
)
def test_an_address_that_is_not_plain_gives_no_link(url: str) -> None:
    assert link("966", url) == "966"


def test_a_plain_address_gives_a_link_and_a_table_its_form() -> None:
    assert link("966", "https://a.example:8443/o/r/runs/1/job/2") == "[966](https://a.example:8443/o/r/runs/1/job/2)"
    assert table_head(("Test", ">s")) + row(("a", "1")) == "| Test | s |\n|---|---:|\n| a | 1 |\n"
