"""Promises of the manifest: it asks for what is needed and nothing else, on the right page of the right GitHub."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.forge.endpoint import Endpoint
from bot.setup.wish import LONGEST_NAME, Wish


def test_the_app_asks_for_exactly_what_is_needed() -> None:
    made = json.loads(Wish(Endpoint.of("https://github.com"), "https://r.zoo").manifest("http://127.0.0.1:1/created"))
    assert made["default_permissions"] == {
        "actions": "read",
        "checks": "write",
        "contents": "write",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
    }
    assert made["default_events"] == ["check_run", "issue_comment", "pull_request", "workflow_run"]
    assert made["hook_attributes"] == {"url": "https://r.zoo/webhook", "active": True}
    assert made["callback_urls"] == ["https://r.zoo/pages/signed-in"]
    assert made["redirect_url"] == "http://127.0.0.1:1/created"
    assert made["public"] is False


@pytest.mark.parametrize(
    ("github", "organization", "page"),
    [
        ("https://github.com", "", "https://github.com/settings/apps/new"),
        ("https://github.com", "zoo", "https://github.com/organizations/zoo/settings/apps/new"),
        ("https://zoo.ghe.com", "zoo", "https://zoo.ghe.com/organizations/zoo/settings/apps/new"),
        ("https://git.zoo:8443/api/v3", "", "https://git.zoo:8443/settings/apps/new"),
    ],
)
def test_each_github_has_its_page(github: str, organization: str, page: str) -> None:
    parts = urlsplit(Wish(Endpoint.of(github), "https://r.zoo", organization).address("s t&x"))
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == page
    assert parse_qs(parts.query) == {"state": ["s t&x"]}


@pytest.mark.parametrize(
    ("organization", "given", "name"),
    [
        ("zoo", "", "recalibrate-zoo"),
        ("", "", "recalibrate-cage.zoo"),
        ("zoo", "mine", "mine"),
        ("z" * 99, "", "recalibrate-" + "z" * (LONGEST_NAME - 12)),
    ],
)
def test_a_name_is_proposed_that_fits_and_is_likely_free(organization: str, given: str, name: str) -> None:
    assert (
        Wish(Endpoint.of("https://github.com"), "https://recalibrate.cage.zoo", organization, given).proposed_name
        == name
    )
