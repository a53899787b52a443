"""GraphQL over HTTP: compare-and-swap of references, blobs by batch, and errors as GitHub words them."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sandbox.graphql_parse import GraphqlSyntaxError, parse
from tests.sandbox.hub import Hub
from tests.waits import PATIENCE_S

UPDATE = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"
ZERO = "0" * 40


def update(hub: Hub, *updates: dict[str, Any]) -> Any:
    repository = hub.graphql('{ repository(owner: "octo", name: "tests") { id } }')["data"]["repository"]["id"]
    return hub.graphql(UPDATE, {"input": {"repositoryId": repository, "refUpdates": list(updates)}})


def move(name: str, after: str, before: str | None = None, **more: Any) -> dict[str, Any]:
    entry = {"name": f"refs/heads/{name}", "afterOid": after, **more}
    return entry if before is None else {**entry, "beforeOid": before}


def commits(hub: Hub) -> tuple[str, str]:
    """The first and the second commit of main."""
    second, first = (it["sha"] for it in hub.call("GET", "/commits").json)
    return first, second


def test_two_references_move_together(hub: Hub) -> None:
    first, second = commits(hub)
    reply = update(hub, move("recalibrate/main", first, ZERO), move("recalibrate/evidence", second, ZERO))
    assert "errors" not in reply
    assert hub.repo.git.ref("refs/heads/recalibrate/main") == first
    assert hub.repo.git.ref("refs/heads/recalibrate/evidence") == second


def test_a_stale_entry_stops_all_entries_with_a_generic_error(hub: Hub) -> None:
    first, second = commits(hub)
    reply = update(hub, move("a", first, ZERO), move("main", first, before=first, force=True))
    assert reply["data"] == {"updateRefs": None}
    assert "type" not in reply["errors"][0]
    assert hub.repo.git.ref("refs/heads/a") is None
    assert hub.repo.git.ref("refs/heads/main") == second


def test_forty_zeros_mean_that_it_must_not_exist(hub: Hub) -> None:
    first, second = commits(hub)
    assert "errors" in update(hub, move("main", first, ZERO, force=True))
    assert hub.repo.git.ref("refs/heads/main") == second


def test_without_force_only_forward(hub: Hub) -> None:
    first, second = commits(hub)
    assert update(hub, move("main", first, second))["errors"][0]["type"] == "UNPROCESSABLE"
    assert "errors" not in update(hub, move("main", first, second, force=True))
    assert hub.repo.git.ref("refs/heads/main") == first


def test_of_two_racing_updates_one_wins(hub: Hub) -> None:
    first, second = commits(hub)
    hub.default_token()
    replies: list[Any] = []
    barrier = threading.Barrier(2)

    def race(after: str) -> None:
        barrier.wait(PATIENCE_S)
        replies.append((after, update(hub, move("race", after, ZERO))))

    threads = [threading.Thread(target=race, args=(after,)) for after in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    won = [after for after, reply in replies if "errors" not in reply]
    assert len(won) == 1
    assert hub.repo.git.ref("refs/heads/race") == won[0]


def test_a_protected_branch_and_a_missing_permission_are_refused(hub: Hub) -> None:
    first, _ = commits(hub)
    hub.repo.protected = ("refs/heads/main",)
    assert "rule violations" in update(hub, move("main", first, force=True))["errors"][0]["message"]
    repository = {"repositoryId": f"R_sandbox{hub.repo.id}", "refUpdates": [move("x", first, ZERO)]}
    reply = hub.graphql(UPDATE, {"input": repository}, hub.token(permissions={"contents": "read"}))
    assert reply["errors"][0]["type"] == "FORBIDDEN"


def test_blobs_come_by_batch_with_aliases(hub: Hub) -> None:
    reply = hub.graphql(
        """query Blobs($owner: String!, $name: String!) {
          repository(owner: $owner, name: $name) {
            one: object(expression: "main:tests/test_one.py") { __typename oid ... on Blob { text isBinary byteSize } }
            bom: object(expression: "main:tests/test_bom.py") { ...content }
            latin: object(expression: "main:tests/latin.py") { ...content }
            bin: object(expression: "main:tests/data.bin") { ...content }
            none: object(expression: "main:nothing") { oid }
            tree: object(expression: "main:tests") { ... on Tree { entries { name mode type } } }
          }
        }
        fragment content on Blob { text isBinary isTruncated }""",
        {"owner": "octo", "name": "tests"},
    )
    found = reply["data"]["repository"]
    assert found["one"]["text"] == "register_cuda_ci(est_time=100, suite='a')\n"
    assert found["one"]["__typename"] == "Blob"
    assert found["bom"]["text"] == "x = 1\r\n"  # the BOM is lost: bytes are REST's
    assert "\ufffd" in found["latin"]["text"]
    assert found["bin"] == {"text": None, "isBinary": True, "isTruncated": False}
    assert found["none"] is None
    assert {"name": "latin.py", "mode": 0o100644, "type": "blob"} in found["tree"]["entries"]


def test_references_and_commits_can_be_read(hub: Hub) -> None:
    _, second = commits(hub)
    query = """{ repository(owner: "octo", name: "tests") { nameWithOwner
        ref(qualifiedName: "refs/heads/main") { name prefix target { oid ... on Commit { message tree { oid } } } }
        defaultBranchRef { target { oid } } missing: ref(qualifiedName: "refs/heads/none") { name } } }"""
    found = hub.graphql(query)["data"]["repository"]
    assert (found["ref"]["name"], found["ref"]["prefix"]) == ("main", "refs/heads/")
    assert (found["ref"]["target"]["oid"], found["ref"]["target"]["message"]) == (second, "second")
    assert found["missing"] is None


def test_a_repository_nobody_may_see_is_null_with_an_error(hub: Hub) -> None:
    reply = hub.graphql('{ repository(owner: "octo", name: "none") { id } }')
    assert reply["data"] == {"repository": None}
    assert reply["errors"][0]["type"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{ nothing }", "undefinedField"),
        ('{ repository(owner: "o", name: "n", x: 1) { id } }', "argumentNotAccepted"),
        ('{ repository(owner: "o") { id } }', "missingRequiredArguments"),
        ('{ repository(owner: "o", name: "n") { object(oid: "1") { text } } }', "undefinedField"),
    ],
)
def test_an_unknown_field_or_argument_is_an_error_and_nothing_is_executed(hub: Hub, query: str, code: str) -> None:
    reply = hub.graphql(query)
    assert "data" not in reply
    assert code in [error.get("extensions", {}).get("code") for error in reply["errors"]]


@pytest.mark.parametrize(
    ("entry", "part"),
    [
        ({"name": "refs/heads/x", "afterOid": ZERO, "hard": True}, "Field is not defined on RefUpdate"),
        ({"name": "refs/heads/x"}, "Expected value to not be null"),
        ({"name": "x", "afterOid": ZERO}, "fully qualified"),
        ({"name": "refs/heads/x", "afterOid": "1"}, "40 hexadecimal digits"),
        ({"name": "refs/heads/x", "afterOid": ZERO, "force": "yes"}, "Could not coerce"),
    ],
)
def test_a_variable_that_does_not_fit_its_type_is_refused(hub: Hub, entry: dict[str, Any], part: str) -> None:
    reply = update(hub, entry)
    assert "data" not in reply
    assert part in reply["errors"][0]["message"]


@pytest.mark.parametrize(
    "query",
    [
        'mutation { updateRefs(input: {repositoryId: "x", refUpdates: [{extra: 1}]}) { clientMutationId } }',
        "query($x: Int!) { repository(owner: $x, name: $y) { id } }",
        "{ repository }",
        "{ viewer { login { x } } }",
        "{ viewer { ...missing } }",
        "{ viewer { ... on Blob { text } } }",
        "{ viewer { ...a } } fragment a on User { ...a }",
        "query A { viewer { login } } query B { viewer { login } }",
        "{",
        '{ viewer(x: "\\q") { login } }',
        "subscription { x }",
        "{ a: }",
    ],
)
def test_what_is_not_a_good_document_gets_errors_and_no_data(hub: Hub, query: str) -> None:
    reply = hub.graphql(query)
    assert reply["errors"]
    assert "data" not in reply


def test_draft_and_ready_are_mutations(hub: Hub) -> None:
    hub.person().commit("work", {"a.txt": b"1\n"})
    made = hub.call("POST", "/pulls", {"title": "t", "head": "work", "base": "main", "draft": True}).json
    for field, draft in (("markPullRequestReadyForReview", False), ("convertPullRequestToDraft", True)):
        mutation = (
            f'mutation {{ {field}(input: {{pullRequestId: "{made["node_id"]}"}}) {{ pullRequest {{ isDraft }} }} }}'
        )
        assert hub.graphql(mutation)["data"][field] == {"pullRequest": {"isDraft": draft}}
        assert hub.call("GET", f"/pulls/{made['number']}").json["draft"] is draft


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet='{}()[]:!$,."\\ \nabon#1-\ufeff', max_size=40))
def test_the_parser_reads_or_refuses_any_text(text: str) -> None:
    try:
        document = parse(text)
    except GraphqlSyntaxError:
        return
    meaning = re.sub(r"#[^\n]*", "", text).strip(", \n\ufeff")
    assert bool(document.operations or document.fragments) == bool(meaning)


def test_deep_nesting_is_refused_not_followed() -> None:
    with pytest.raises(GraphqlSyntaxError):
        parse("{a" * 1000)
    with pytest.raises(GraphqlSyntaxError):
        parse("{a(x:" + "[" * 1000)
