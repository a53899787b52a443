"""Promises of the pages' settings: all or none, and a refusal names the variable and never the secret."""

from __future__ import annotations

import base64

import pytest

from bot.errors import UserError
from bot.page_settings import page_settings
from bot.records.work import ProcessRole
from bot.settings import server_settings

KEY = base64.b64encode(bytes(range(224, 256))).decode()
ALL = {"CLIENT_ID": "Iv23abc", "CLIENT_SECRET": "planted-secret", "URL": "https://ci.example.org/", "KEY": KEY}
SERVER = {"RECALIBRATE_APP_ID": "1", "RECALIBRATE_PRIVATE_KEY": "k", "RECALIBRATE_WEBHOOK_SECRET": "s"}
ENVIRONMENT = {f"RECALIBRATE_PAGES_{name}": value for name, value in ALL.items()}


def test_without_any_there_are_no_pages() -> None:
    assert page_settings({"CLIENT_ID": "", "URL": " "}) is None
    assert server_settings(SERVER).pages is None


def test_all_of_them_are_read_and_secrets_do_not_show() -> None:
    pages = server_settings({**SERVER, **ENVIRONMENT, "RECALIBRATE_PAGES_OPERATORS": "583231, 9919"}).pages
    assert pages
    assert (pages.url, pages.secure) == ("https://ci.example.org", True)
    assert pages.key == bytes(range(224, 256))
    assert pages.operators == {583231, 9919}
    assert "planted" not in repr(pages)
    assert KEY not in repr(pages)


def test_a_secret_may_come_from_a_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("secrets") / "key"
    file.write_text(f"{KEY}\n")
    rest = {name: value for name, value in ENVIRONMENT.items() if not name.endswith("_KEY")}
    pages = server_settings({**SERVER, **rest, "RECALIBRATE_PAGES_KEY_FILE": str(file)}).pages
    assert pages
    assert len(pages.key) == 32


def test_a_process_that_only_works_has_none() -> None:
    assert server_settings({**SERVER, **ENVIRONMENT}, ProcessRole.WORKER).pages is None


@pytest.mark.parametrize("missing", sorted(ALL))
def test_half_of_them_is_refused_and_names_what_is_missing(missing: str) -> None:
    with pytest.raises(UserError, match=rf"RECALIBRATE_PAGES_{missing} not; set all or none"):
        page_settings({**ALL, missing: ""})


def test_operators_alone_are_half_of_them() -> None:
    with pytest.raises(UserError, match="RECALIBRATE_PAGES_OPERATORS set"):
        page_settings({"OPERATORS": "1"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("URL", "http://ci.example.org"),
        ("URL", "https://ci.example.org/below"),
        ("URL", "https://mona@ci.example.org"),
        ("URL", "https://ci.example.org?a=b"),
        ("URL", "https://ci.example.org:none"),
        ("URL", "ci.example.org"),
        ("KEY", "c2hvcnQ="),
        ("KEY", "not base64 at all, not even nearly so, no!!!"),
        ("CLIENT_ID", "Iv23 abc"),
        ("OPERATORS", "583231, mona"),
        ("OPERATORS", "0"),
        ("OPERATORS", "²"),
    ],
)
def test_a_wrong_one_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(UserError, match=f"^RECALIBRATE_PAGES_{name}: ") as refused:
        page_settings({**ALL, name: value})
    assert "planted" not in str(refused.value)


def test_plain_http_is_for_this_machine() -> None:
    pages = page_settings({**ALL, "URL": "http://127.0.0.1:8080"})
    assert pages
    assert (pages.url, pages.secure) == ("http://127.0.0.1:8080", False)
