"""Who may talk to the sandbox: the App's JWT, installation tokens, their narrowing and their end."""

from __future__ import annotations

import pytest

from bot.sandbox import auth, scenario
from tests.sandbox.hub import Hub, http


def test_the_app_sees_itself_with_a_jwt_that_its_key_signed(hub: Hub) -> None:
    reply = hub.app("GET", "/app")
    assert (reply.status, reply.json["slug"]) == (200, "recalibrate")


def test_a_jwt_of_another_key_is_refused(hub: Hub) -> None:
    assert hub.app("GET", "/app", key=auth.generate_key()[0]).status == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1_700_000_000},
        {"iat": 1_900_000_000},
        {"exp": 1_900_000_000},
        {"iss": "1"},
    ],
    ids=["expired", "issued in the future", "longer than ten minutes", "unknown issuer"],
)
def test_a_jwt_with_wrong_claims_is_refused(hub: Hub, claims: dict[str, object]) -> None:
    assert hub.app("GET", "/app", **claims).status in (401, 404)


@pytest.mark.parametrize("header", ["", "Bearer nonsense", "Bearer a.b.c", "Basic eDp5"])
def test_other_credentials_are_bad(hub: Hub, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    assert http("GET", hub.running.urls.api + "/repos/octo/tests", headers=headers).status == 401


def test_a_jwt_opens_no_repository_and_a_token_no_app(hub: Hub) -> None:
    assert hub.app("GET", "/repos/octo/tests").status == 401
    assert hub.call("GET", f"{hub.running.urls.api}/app").status == 401


def test_a_token_lives_one_hour_of_the_sandbox_clock(hub: Hub) -> None:
    token = hub.token()
    hub.clock.forward(minutes=59)
    assert hub.call("GET", "", token=token).status == 200
    hub.clock.forward(minutes=1)
    assert hub.call("GET", "", token=token).status == 401


def test_a_narrowed_token_reads_what_it_may_and_nothing_else(hub: Hub) -> None:
    token = hub.token(permissions={"contents": "read"})
    assert hub.call("GET", "/git/ref/heads/main", token=token).status == 200
    refused = hub.call("POST", "/git/blobs", {"content": "x"}, token=token)
    assert (refused.status, refused.json["message"]) == (403, "Resource not accessible by integration")
    assert hub.call("GET", "/actions/runs", token=token).status == 403


def test_a_token_cannot_have_more_than_the_installation(hub: Hub) -> None:
    path = f"/app/installations/{hub.access.installation.id}/access_tokens"
    for permissions in ({"workflows": "write"}, {"actions": "write"}):
        assert hub.app("POST", path, {"permissions": permissions}).status == 422


def test_a_token_for_one_repository_does_not_see_another(hub: Hub) -> None:
    scenario.add_repository(hub.world, hub.repo.git.path, "octo/other")
    token = hub.token(repositories=["other"])
    assert hub.call("GET", "", token=token).status == 404
    assert hub.call("GET", f"{hub.running.urls.api}/repos/octo/other", token=token).status == 200
    listed = hub.call("GET", f"{hub.running.urls.api}/installation/repositories", token=token)
    assert [repo["full_name"] for repo in listed.json["repositories"]] == ["octo/other"]


def test_a_token_by_repository_id_is_the_same_and_unknown_ones_are_refused(hub: Hub) -> None:
    assert hub.call("GET", "", token=hub.token(repository_ids=[hub.repo.id])).status == 200
    path = f"/app/installations/{hub.access.installation.id}/access_tokens"
    assert hub.app("POST", path, {"repository_ids": [1]}).status == 422


def test_a_repository_of_another_account_does_not_exist_for_the_installation(hub: Hub) -> None:
    scenario.add_repository(hub.world, hub.repo.git.path, "elsewhere/tests")
    assert hub.call("GET", f"{hub.running.urls.api}/repos/elsewhere/tests").status == 404


def test_a_suspended_installation_gets_nothing(hub: Hub) -> None:
    token = hub.token()
    hub.access.installation.suspended_at = hub.clock()
    assert hub.call("GET", "", token=token).status == 403
    path = f"/app/installations/{hub.access.installation.id}/access_tokens"
    assert hub.app("POST", path).status == 403


def test_a_person_s_token_sees_a_private_repository_only_with_a_role(hub: Hub) -> None:
    hub.repo.private = True
    stranger = auth.person_token(hub.world, hub.world.account("stranger"))
    member = auth.person_token(hub.world, hub.person("mona").account)
    assert hub.call("GET", "", token=stranger.secret).status == 404
    assert hub.call("GET", "", token=member.secret).status == 200


def test_a_request_without_a_user_agent_is_forbidden(hub: Hub) -> None:
    headers = {"Authorization": f"token {hub.token()}", "User-Agent": ""}
    assert http("GET", hub.running.urls.api + "/repos/octo/tests", headers=headers).status == 403


def test_an_unknown_api_version_is_refused(hub: Hub) -> None:
    headers = {"Authorization": f"token {hub.token()}", "X-GitHub-Api-Version": "1999-01-01"}
    assert http("GET", hub.running.urls.api + "/repos/octo/tests", headers=headers).status == 400


def test_the_journal_counts_calls_by_operation(hub: Hub) -> None:
    hub.call("GET", "/git/ref/heads/main")
    hub.call("GET", "/git/ref/heads/none")
    hub.graphql("{ viewer { login } }")
    calls = hub.world.calls()
    assert calls["GET /repos/{owner}/{repo}/git/ref/{ref}"] == 2
    assert calls["POST /graphql:viewer"] == 1


def test_a_persons_token_says_whose_it_is_and_an_installations_is_nobodys(hub: Hub) -> None:
    url = f"{hub.running.urls.api}/user"
    person = hub.call("GET", url, token=auth.person_token(hub.world, hub.repo.owner).secret)
    assert person.json["login"] == hub.repo.owner.login
    assert hub.call("GET", url, token=hub.token()).status == 403
