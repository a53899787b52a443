"""Promises about addresses: which GitHub is meant, and where a credential may go."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.errors import UserError
from bot.forge.endpoint import Endpoint, RepositoryName


@pytest.mark.parametrize(
    ("given", "rest", "graphql", "web"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql", "https://github.com"),
        ("https://api.github.com/", "https://api.github.com", "https://api.github.com/graphql", "https://github.com"),
        ("https://zoo.ghe.com", "https://api.zoo.ghe.com", "https://api.zoo.ghe.com/graphql", "https://zoo.ghe.com"),
        ("https://git.zoo", "https://git.zoo/api/v3", "https://git.zoo/api/graphql", "https://git.zoo"),
        ("https://git.zoo:8443/api/v3/", *[f"https://git.zoo:8443{x}" for x in ("/api/v3", "/api/graphql", "")]),
        ("http://127.0.0.1:81/api/v3", *[f"http://127.0.0.1:81{x}" for x in ("/api/v3", "/api/graphql", "")]),
    ],
)
def test_an_address_names_its_three_roots(given: str, rest: str, graphql: str, web: str) -> None:
    assert Endpoint.of(given) == Endpoint(rest, graphql, web)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "github.com",
        "ftp://github.com",
        "http://github.com",
        "https://user:pw@github.com",
        "https://github.com/radixark/miles",
        "https://git.zoo/api/v3?x=1",
        "https://git.zoo:999999",
        "https://[::1",
    ],
)
def test_what_is_no_github_address_is_refused_with_words(given: str) -> None:
    with pytest.raises(UserError) as refusal:
        Endpoint.of(given)
    assert "pw" not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "owned"),
    [
        ("https://git.zoo/api/v3/x", True),
        ("https://git.zoo:443/api/v3/x", True),
        ("https://GIT.zoo/api/v3/x", True),
        ("http://git.zoo/api/v3/x", False),
        ("https://git.zoo:8443/api/v3/x", False),
        ("https://git.zoo.evil/api/v3/x", False),
        ("https://git.zoo@evil/api/v3/x", False),
        ("//git.zoo/api", False),
    ],
)
def test_only_the_same_scheme_host_and_port_is_ours(url: str, owned: bool) -> None:
    assert Endpoint.of("https://git.zoo").owns(url) is owned


@pytest.mark.parametrize("name", ["", "miles", "a/b/c", "a/..", "a/.", "../b", "a/b?x", "a/b%2f", "a b/c", "a/b\n"])
def test_a_name_that_could_bend_an_address_is_refused(name: str) -> None:
    with pytest.raises(UserError):
        RepositoryName.of(name)


def test_ordinary_names_become_paths() -> None:
    assert RepositoryName.of("radixark/miles").path == "/repos/radixark/miles"
    assert RepositoryName.of("a-b/.github").path == "/repos/a-b/.github"


@given(st.text(max_size=60) | st.text(max_size=40).map(lambda text: f"https://{text}"))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_text_is_an_endpoint_over_https_or_loopback_or_a_refusal(text: str) -> None:
    try:
        found = Endpoint.of(text)
    except UserError:
        return
    assert found.rest.startswith(("https://", "http://127.0.0.1", "http://localhost", "http://[::1]"))
    assert found.owns(found.rest)
    assert found.owns(found.graphql)


@given(st.text(max_size=30) | st.from_regex(r"[a-z.]{1,4}/[a-z./%?#]{1,6}", fullmatch=True))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_any_text_is_a_name_of_two_plain_parts_or_a_refusal(text: str) -> None:
    try:
        found = RepositoryName.of(text)
    except UserError:
        return
    assert str(found) == text
    assert found.path.count("/") == 3
    assert not set(found.path) & set("?#%\\ \n")
    assert ".." not in found.path.split("/")
