"""The sandbox's manifest flow: an App as it was wished for, once for a code, and refusals as GitHub has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.sandbox.state.accounts import AccountKind
from tests.sandbox.hub import Hub, Reply, http
from tests.sandbox.manifest_flow import Form, post

MANIFEST = {
    "name": "Heron keeper",
    "url": "https://r.zoo",
    "hook_attributes": {"url": "https://r.zoo/webhook"},
    "redirect_url": "http://127.0.0.1:1/created",
    "callback_urls": ["https://r.zoo/pages/signed-in"],
    "default_permissions": {"metadata": "read", "actions": "read", "issues": "write"},
    "default_events": ["workflow_run"],
}
NEW = "/settings/apps/new"


def sends(hub: Hub, changed: Mapping[str, Any] | None = None, path: str = f"{NEW}?state=s", **more: str) -> Reply:
    manifest = json.dumps({**MANIFEST, **(changed or {})})
    return post(hub.running.urls.html + path, {"manifest": manifest, **more})


def code_of(reply: Reply) -> str:
    assert reply.status == 302, reply.body
    parts = urlsplit(reply.headers["Location"])
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == MANIFEST["redirect_url"]
    assert parse_qs(parts.query)["state"] == ["s"]
    return parse_qs(parts.query)["code"][0]


def converts(hub: Hub, code: str) -> Reply:
    return http("POST", f"{hub.running.urls.api}/app-manifests/{code}/conversions")


def test_a_person_is_asked_and_the_app_is_as_it_was_wished_for(hub: Hub) -> None:
    asked = sends(hub)
    assert asked.status == 200
    assert "Create GitHub App for operator" in asked.body.decode()
    made = converts(hub, code_of(sends(hub, agreed="1", name="Another name")))
    assert made.status == 201
    assert made.json["slug"] == "another-name"
    assert made.json["permissions"] == MANIFEST["default_permissions"]
    assert made.json["events"] == ["workflow_run"]
    assert "PRIVATE KEY" in made.json["pem"]
    app = hub.world.apps[made.json["id"]]
    assert (app.webhook_url, app.callback_url) == ("https://r.zoo/webhook", "https://r.zoo/pages/signed-in")
    assert (app.webhook_secret, app.client_secret) == (made.json["webhook_secret"], made.json["client_secret"])


def test_an_organisation_may_own_it_and_nobody_else_under_its_address(hub: Hub) -> None:
    hub.world.account("mona")
    hub.world.account("zoo", AccountKind.ORGANIZATION)
    made = converts(hub, code_of(sends(hub, path=f"/organizations/zoo{NEW}?state=s", agreed="1")))
    assert made.json["owner"]["login"] == "zoo"
    for nobody in ("mona", "nowhere"):
        assert sends(hub, path=f"/organizations/{nobody}{NEW}").status == 404


def test_a_code_serves_once_and_for_an_hour(hub: Hub) -> None:
    code = code_of(sends(hub, agreed="1"))
    assert [converts(hub, code).status for _ in range(2)] == [201, 404]
    late = code_of(sends(hub, {"name": "late"}, agreed="1"))
    hub.clock.forward(hours=1)
    assert converts(hub, late).status == 404
    assert converts(hub, "0123").status == 404


def test_a_name_that_is_taken_is_asked_for_again(hub: Hub) -> None:
    again = sends(hub, {"name": hub.access.app.slug}, agreed="1")
    assert again.status == 200
    assert "already taken" in again.body.decode()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"default_events": ["installation"]}, "events unsupported: installation"),
        ({"default_events": ["check_run"]}, "events unsupported: check_run"),
        ({"default_permissions": {"workflow": "write"}}, "permissions unsupported: workflow"),
        ({"default_permissions": {"issues": "much"}}, "permissions unsupported: issues"),
        ({"default_permissions": None}, "missing"),
        ({"hook_attributes": {}}, "must be addresses"),
        ({"redirect_url": "javascript:x"}, "must be addresses"),
    ],
)
def test_a_manifest_that_github_would_not_take_is_refused(hub: Hub, changed: dict[str, Any], says: str) -> None:
    reply = sends(hub, changed, agreed="1")
    assert reply.status == 422
    assert says in reply.body.decode()


def test_what_is_no_manifest_is_refused_and_what_a_page_shows_is_escaped(hub: Hub) -> None:
    for text in ("", "[]", "{"):
        assert post(hub.running.urls.html + NEW, {"manifest": text}).status == 422
    shown = sends(hub, {"name": '"><script>'}).body.decode()
    assert "<script>" not in shown
    assert json.loads(Form(shown.encode()).values["manifest"])["name"] == '"><script>'


def test_an_app_is_installed_from_its_page_and_told_of_it(hub: Hub) -> None:
    hub.access.app.webhook_url = f"{hub.running.urls.html}/nobody"
    slug = hub.access.app.slug
    page = http("GET", f"{hub.running.urls.html}/apps/{slug}/installations/new")
    form = Form(page.body)
    assert form.action == f"/apps/{slug}/installations/new"
    before = len(hub.world.installations)
    assert post(hub.running.urls.html + form.action, {"account": "octo"}).status == 200
    assert len(hub.world.installations) == before + 1
    assert http("GET", f"{hub.running.urls.html}/apps/nobody/installations/new").status == 404
    assert post(f"{hub.running.urls.html}/apps/{slug}/installations/new", {"account": "nobody"}).status == 404
