"""Promises of the server's settings: a database's URL is a secret, by value or by file."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.errors import UserError
from bot.settings import database_url, server_settings

REQUIRED = {"RECALIBRATE_APP_ID": "1", "RECALIBRATE_PRIVATE_KEY": "k", "RECALIBRATE_WEBHOOK_SECRET": "s"}
URL = "postgresql://recalibrate:planted@postgres/recalibrate"


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "url").write_text(f"{URL}\n")
    return str(tmp_path / "url")


def test_a_databases_url_may_be_a_files_content_and_the_queue_follows_it(file: str) -> None:
    settings = server_settings({**REQUIRED, "RECALIBRATE_DATABASE_URL_FILE": file})
    assert (settings.database_url, settings.queue_url) == (URL, URL)
    apart = server_settings({**REQUIRED, "RECALIBRATE_QUEUE_URL_FILE": file})
    assert apart.queue_url == URL
    assert apart.database_url.startswith("sqlite:///")


def test_its_password_shows_in_no_representation(file: str) -> None:
    assert "planted" not in repr(server_settings({**REQUIRED, "RECALIBRATE_DATABASE_URL_FILE": file}))


def test_given_twice_or_in_a_file_that_is_not_there_it_is_refused_by_name(file: str) -> None:
    twice = {"RECALIBRATE_DATABASE_URL": URL, "RECALIBRATE_DATABASE_URL_FILE": file}
    for environment in (twice, {"RECALIBRATE_DATABASE_URL_FILE": f"{file}.gone"}):
        with pytest.raises(UserError, match="RECALIBRATE_DATABASE_URL_FILE") as refused:
            server_settings({**REQUIRED, **environment})
        assert "planted" not in str(refused.value)


def test_without_one_there_is_none() -> None:
    assert database_url({}) == ""


@pytest.mark.parametrize("password", ["heron-lab-77", "heron[lab", "heron#lab/77?", "heron%2Flab%40"], ids=str)
def test_a_databases_password_is_known_as_a_secret_as_it_is_written_and_as_it_is_meant(password: str) -> None:
    url = f"postgresql+psycopg://recalibrate:{password}@db.example/recalibrate"
    settings = server_settings({**REQUIRED, "RECALIBRATE_DATABASE_URL": url})
    assert {password, make_url(url).password} <= set(settings.secrets)


def test_a_proxys_password_is_known_as_a_secret_too_and_nothing_is_named_twice() -> None:
    settings = server_settings({**REQUIRED, "RECALIBRATE_PROXY": "http://otter:p%20q@proxy.example:3128"})
    assert sorted(settings.secrets) == ["k", "p q", "p%20q", "s"]
