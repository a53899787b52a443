"""Promises of the way out as values: which proxy an address takes, and what is never shown of one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UserError
from bot.network import DIRECT, Network, Proxy
from bot.settings import credentials, network, server_settings

PROXY = Proxy.of("http://robot:planted@proxy.corp:3128", "X")


@pytest.mark.parametrize(
    ("url", "goes"),
    [
        ("https://api.github.com/x", True),
        ("https://github.corp", True),
        ("https://git.inside.corp/api/v3", False),
        ("https://inside.corp:443/x", False),
        ("https://notinside.corp/", True),
        ("https://alone.example/", False),
        ("https://below.alone.example/", False),
        ("https://with-port.example:8443/", False),
        ("https://with-port.example/", True),
        ("https://10.1.2.3/", False),
        ("https://11.1.2.3/", True),
        ("https://[fd00::7]/", False),
        ("https://[fe80::7]/", True),
        ("http://127.0.0.1:8080/", False),
        ("http://localhost/", False),
        ("http://[::1]/", False),
    ],
)
def test_an_address_takes_the_proxy_unless_it_is_listed_or_loopback(url: str, goes: bool) -> None:
    without = " .inside.corp, alone.example,with-port.example:8443,10.0.0.0/8,fd00::/8,,junk/99"
    assert Network(https=PROXY, http=PROXY, without=without).proxy_for(url) == (PROXY if goes else None)


def test_a_star_lists_everything_and_nothing_goes_through_a_proxy_that_is_not_there() -> None:
    assert Network(https=PROXY, without="*").proxy_for("https://github.com") is None
    assert DIRECT.proxy_for("https://github.com") is None
    assert Network(https=PROXY).proxy_for("http://logs.example/x") is None


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://proxy.corp:3128", "http://proxy.corp:3128"),
        ("proxy.corp:3128", "http://proxy.corp:3128"),
        ("http://proxy.corp/", "http://proxy.corp:80"),
        ("https://a:b@proxy.corp", "https://proxy.corp:443"),
        ("http://[fd00::7]:3128", "http://[fd00::7]:3128"),
    ],
)
def test_a_proxy_is_told_by_its_address_alone(url: str, address: str) -> None:
    assert Proxy.of(url, "X").address == address


@pytest.mark.parametrize(
    "url", ["socks5://h:1", "http://", "http://h:99999", "http://h/path", "http://h?x", "http://["]
)
def test_what_is_no_proxy_is_refused_by_the_variables_name_and_not_shown(url: str) -> None:
    with pytest.raises(UserError, match="RECALIBRATE_PROXY: not a proxy's address") as refused:
        network({"RECALIBRATE_PROXY": url.replace("//", "//robot:planted@")})
    assert "planted" not in str(refused.value)


def test_our_own_proxy_comes_before_the_shared_ones_and_their_list_holds_for_it_too() -> None:
    shared = {"HTTPS_PROXY": "http://upper:1", "https_proxy": "http://lower:1", "http_proxy": "plain:2"}
    assert network(shared).way_to("https://github.com") == "through http://lower:1"
    assert network(shared).way_to("http://github.com") == "through http://plain:2"
    own = network({**shared, "RECALIBRATE_PROXY": "http://own:3", "NO_PROXY": "inside.corp"})
    assert own.way_to("https://github.com") == "through http://own:3"
    assert own.way_to("https://inside.corp") == "directly"
    assert own.way_to("https://127.0.0.1:8443") == "directly"
    assert network({"NO_PROXY": "x"}).way_to("https://github.com") == "directly"


def test_a_proxys_address_may_be_a_files_content(tmp_path: Path) -> None:
    (tmp_path / "proxy").write_text("http://robot:planted@own:3\n")
    found = network({"RECALIBRATE_PROXY_FILE": str(tmp_path / "proxy")})
    assert found.way_to("https://github.com") == "through http://own:3"
    assert "planted" not in repr(found)


def test_the_service_and_a_single_run_take_the_same_way_out() -> None:
    shared = {"RECALIBRATE_PROXY": "http://robot:planted@own:3"}
    app = {"RECALIBRATE_APP_ID": "1", "RECALIBRATE_PRIVATE_KEY": "k", "RECALIBRATE_WEBHOOK_SECRET": "s"}
    served, once = server_settings({**app, **shared}), credentials({"GITHUB_TOKEN": "t", **shared})
    assert served.network == once.network == credentials({**app, **shared}).network == network(shared)
    assert "planted" not in f"{served!r}{once!r}"


def test_a_file_of_certificates_that_cannot_be_used_is_refused_by_name(tmp_path: Path) -> None:
    junk = tmp_path / "junk.pem"
    junk.write_text("no certificate")
    for path, says in (
        (junk, "no certificate in PEM"),
        (f"{junk}.gone", "cannot be read"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(UserError, match=f"RECALIBRATE_CA_FILE: .*{says}"):
            network({"RECALIBRATE_CA_FILE": str(path)})


@given(st.text(max_size=40))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_text_is_a_proxy_or_a_refusal(text: str) -> None:
    try:
        found = Proxy.of(text, "X")
    except UserError:
        return
    assert found.address.startswith(("http://", "https://"))
    assert "@" not in found.address


@given(st.text(max_size=40))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_list_of_hosts_is_read(without: str) -> None:
    assert Network(https=PROXY, without=without).proxy_for("https://plain.example") in (PROXY, None)
