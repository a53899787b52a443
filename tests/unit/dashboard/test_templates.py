"""What every page has for free: escaping, nothing hidden, landmarks, no script."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from importlib import resources

import pytest
from jinja2 import UndefinedError

from bot.dashboard import addresses
from bot.dashboard.templates import Frame, moment, render, whole
from bot.domain import Backend, RegistrationKey, RepositoryId, Suite, TestPath

HOSTILE = "<script>alert(1)</script>\u202e&\"'"


def test_a_login_cannot_write_html_nor_reorder_the_page() -> None:
    shown = render("base.html", Frame(login=HOSTILE, sign_out_token="t"))
    assert "<script" not in shown
    assert "\u202e" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e&amp;" in shown


def test_a_name_that_was_not_given_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("base.html", None)  # type: ignore[arg-type]  # the promise is about what is missing


def test_nobody_signed_in_sees_no_sign_out() -> None:
    shown = render("base.html", Frame())
    assert "Sign out" not in shown
    assert addresses.OPERATOR not in shown


def test_only_an_operator_is_shown_the_way_to_the_operators_page() -> None:
    assert addresses.OPERATOR in render("base.html", Frame(login="mona", operator=True))
    assert addresses.OPERATOR not in render("base.html", Frame(login="mona"))


def test_a_time_is_told_in_utc() -> None:
    at = datetime(2026, 3, 1, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert moment(at) == '<time datetime="2026-03-02T04:30:00+00:00">2026-03-02 04:30</time>'
    assert moment(None) == "—"
    assert moment(datetime(2026, 3, 1, tzinfo=UTC)).startswith("<time")


def test_thousands_are_set_apart() -> None:
    assert whole(12345.0) == "12\u202f345"
    assert whole(None) == "—"


def test_a_tests_address_holds_its_whole_key_encoded() -> None:
    key = RegistrationKey(TestPath('tests/a b&"<.py'), Backend("cuda"), Suite("s/1"))
    asked = addresses.test(RepositoryId(7), key)
    assert asked == "/pages/r/7/test?path=tests%2Fa+b%26%22%3C.py&backend=cuda&suite=s%2F1"


def test_no_template_and_no_style_reaches_out_or_turns_escaping_off() -> None:
    folder = resources.files("bot.dashboard")
    files = [*(folder / "templates").iterdir(), *(folder / "static").iterdir()]
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<script|<style|\sstyle=|\son[a-z]+=|\|\s*safe|https?://|@import|url\(", text), file.name
