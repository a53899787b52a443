"""Signing in through an App at the sandbox: state, code, PKCE, and what the person's token reaches."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from bot.sandbox import auth, scenario
from bot.sandbox.state.accounts import AccountKind
from tests.sandbox.hub import Hub, Reply, http

CALLBACK = "http://127.0.0.1:1/pages/signed-in"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture
def ready(hub: Hub) -> Hub:
    hub.access.app.callback_url = CALLBACK
    hub.repo.private = True
    hub.person("mona", "read")
    hub.world.account("stranger")
    return hub


def asks(hub: Hub, **more: str) -> Reply:
    asked = {"client_id": hub.access.app.client_id, "redirect_uri": CALLBACK, "state": "s t", **more}
    asked |= {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
    return http("GET", f"{hub.running.urls.html}/login/oauth/authorize?{urlencode(asked)}")


def sent_back(reply: Reply) -> dict[str, str]:
    assert reply.status == 302
    target = reply.headers["Location"]
    assert target.startswith(f"{CALLBACK}?")
    return {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}


def exchanged(hub: Hub, code: str, **more: str) -> Mapping[str, str]:
    app = hub.access.app
    form = {"client_id": app.client_id, "client_secret": app.client_secret, "code": code, "code_verifier": VERIFIER}
    body = urlencode({**form, **more}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    reply = http("POST", f"{hub.running.urls.html}/login/oauth/access_token", body, kind)
    assert reply.status == 200
    return dict(reply.json)


def token_of(hub: Hub, login: str) -> str:
    return exchanged(hub, sent_back(asks(hub, login=login))["code"])["access_token"]


def test_a_person_chooses_who_they_are_and_comes_back_with_the_state(ready: Hub) -> None:
    page = asks(ready)
    assert page.status == 200
    assert b"as mona" in page.body
    assert sent_back(asks(ready, login="mona"))["state"] == "s t"
    assert sent_back(asks(ready, refused="1")) == {"error": "access_denied", "state": "s t"}


def test_another_callback_than_the_registered_one_is_refused(ready: Hub) -> None:
    back = sent_back(asks(ready, login="mona", redirect_uri="http://127.0.0.1:2/"))
    assert back["error"] == "redirect_uri_mismatch"
    assert http("GET", f"{ready.running.urls.html}/login/oauth/authorize?client_id=other").status == 404


def test_a_token_reaches_what_the_person_and_the_app_both_reach(ready: Hub, small_repository: Path) -> None:
    elsewhere = scenario.add_repository(ready.world, small_repository, "elsewhere/private")
    elsewhere.private, elsewhere.roles = True, {"mona": "admin"}
    mona, stranger = token_of(ready, "mona"), token_of(ready, "stranger")
    assert ready.call("GET", "", token=mona).status == 200
    assert ready.call("GET", "", token=stranger).status == 404
    there = f"{ready.running.urls.api}/repos/elsewhere/private"
    assert ready.call("GET", there, token=mona).status == 404
    auth.install(ready.world, ready.access.app, ready.world.account("elsewhere", AccountKind.ORGANIZATION))
    assert ready.call("GET", there, token=mona).status == 200
    assert ready.call("GET", f"{ready.running.urls.api}/user", token=mona).json["login"] == "mona"


def test_a_code_serves_once_for_ten_minutes_and_for_who_began(ready: Hub) -> None:
    code = sent_back(asks(ready, login="mona"))["code"]
    assert exchanged(ready, code, client_secret="wrong") == {"error": "incorrect_client_credentials"}
    assert "access_token" in exchanged(ready, code)
    assert exchanged(ready, code) == {"error": "bad_verification_code"}
    for stolen in ({"code_verifier": "x" * 43}, {"code_verifier": ""}):
        code = sent_back(asks(ready, login="mona"))["code"]
        assert exchanged(ready, code, **stolen) == {"error": "bad_verification_code"}
    code = sent_back(asks(ready, login="mona"))["code"]
    ready.clock.forward(minutes=10)
    assert exchanged(ready, code) == {"error": "bad_verification_code"}


def test_a_token_ends_after_eight_hours_or_when_the_app_takes_it_back(ready: Hub) -> None:
    app, token, other = ready.access.app, token_of(ready, "mona"), token_of(ready, "mona")
    url = f"{ready.running.urls.api}/applications/{app.client_id}/token"

    def taken_back(secret: str) -> int:
        return http("DELETE", url, {"access_token": token}, ready.client(secret)).status

    assert taken_back("wrong") == 401
    assert taken_back(app.client_secret) == 204
    assert ready.call("GET", "", token=token).status == 401
    assert ready.call("GET", "", token=other).status == 200
    ready.clock.forward(hours=8)
    assert ready.call("GET", "", token=other).status == 401


def test_a_client_secret_opens_nothing_else(ready: Hub) -> None:
    for path in ("/app", "/user", "/repos/octo/tests"):
        assert http("GET", ready.running.urls.api + path, None, ready.client()).status == 401
