"""The git database over HTTP: true object names, rules of references, comparisons."""

from __future__ import annotations

import base64
import subprocess

import pytest

from tests.sandbox.hub import Hub

LATIN = b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'\n"


def tip(hub: Hub, branch: str = "main") -> str:
    return str(hub.call("GET", f"/git/ref/heads/{branch}").json["object"]["sha"])


def new_commit(hub: Hub, parent: str, path: str = "new.txt", **extra: object) -> dict[str, object]:
    base = hub.call("GET", f"/git/commits/{parent}").json["tree"]["sha"]
    entry = {"path": path, "mode": "100644", "type": "blob", "content": "hello\n"}
    tree = hub.call("POST", "/git/trees", {"base_tree": base, "tree": [entry]}).json["sha"]
    reply = hub.call("POST", "/git/commits", {"message": "m", "tree": tree, "parents": [parent], **extra})
    assert reply.status == 201
    return dict(reply.json)


def test_a_base64_blob_has_the_name_that_git_gives_the_same_bytes(hub: Hub) -> None:
    reply = hub.call("POST", "/git/blobs", {"content": base64.b64encode(LATIN).decode(), "encoding": "base64"})
    expected = subprocess.run(["git", "hash-object", "--stdin"], input=LATIN, capture_output=True, check=True)
    assert (reply.status, reply.json["sha"]) == (201, expected.stdout.decode().strip())
    assert base64.b64decode(hub.call("GET", f"/git/blobs/{reply.json['sha']}").json["content"]) == LATIN


def test_content_that_is_not_base64_is_refused(hub: Hub) -> None:
    assert hub.call("POST", "/git/blobs", {"content": "%%", "encoding": "base64"}).status == 422


def test_a_tree_over_a_base_changes_the_given_paths_alone(hub: Hub) -> None:
    sha = str(new_commit(hub, tip(hub), "tests/deep/new.txt")["sha"])
    files = hub.call("GET", f"/commits/{sha}").json["files"]
    assert [(file["filename"], file["status"], file["additions"]) for file in files] == [
        ("tests/deep/new.txt", "added", 1)
    ]


def test_a_tree_entry_without_a_sha_removes_its_path(hub: Hub) -> None:
    base = hub.call("GET", f"/git/commits/{tip(hub)}").json["tree"]["sha"]
    gone = {"path": "README.md", "mode": "100644", "type": "blob", "sha": None}
    tree = hub.call("POST", "/git/trees", {"base_tree": base, "tree": [gone]}).json
    assert "README.md" not in [entry["path"] for entry in tree["tree"]]


def test_a_subtree_can_be_put_elsewhere_by_its_sha(hub: Hub) -> None:
    tests = next(it for it in hub.call("GET", "/git/trees/main").json["tree"] if it["path"] == "tests")
    entry = {"path": "copy", "mode": "040000", "type": "tree", "sha": tests["sha"]}
    tree = hub.call("POST", "/git/trees", {"tree": [entry]}).json["sha"]
    assert hub.call("GET", f"/git/trees/{tree}").json["tree"][0]["sha"] == tests["sha"]


@pytest.mark.parametrize(
    "entry",
    [
        {"path": "a", "mode": "777", "type": "blob", "content": ""},
        {"path": "../a", "mode": "100644", "type": "blob", "content": ""},
        {"path": ".git/config", "mode": "100644", "type": "blob", "content": ""},
        {"path": "a", "mode": "100644", "type": "blob", "sha": "1" * 40},
    ],
    ids=["unknown mode", "outside", "git's own directory", "unknown object"],
)
def test_a_bad_tree_entry_is_refused(hub: Hub, entry: dict[str, str]) -> None:
    reply = hub.call("POST", "/git/trees", {"tree": [entry]})
    hub.watcher.found.clear()  # the schema knows the modes: a wrong one is what this test sends
    assert reply.status == 422


def test_a_commit_in_the_app_s_own_name_is_signed(hub: Hub) -> None:
    commit = new_commit(hub, tip(hub))
    assert commit["verification"]["verified"] is True  # type: ignore[index]
    assert commit["author"]["name"] == "recalibrate[bot]"  # type: ignore[index]


def test_a_commit_in_another_name_is_not_signed(hub: Hub) -> None:
    commit = new_commit(hub, tip(hub), author={"name": "Mona", "email": "mona@example.invalid"})
    assert commit["verification"]["verified"] is False  # type: ignore[index]


def test_a_reference_that_exists_is_not_created_again(hub: Hub) -> None:
    reply = hub.call("POST", "/git/refs", {"ref": "refs/heads/main", "sha": tip(hub)})
    assert (reply.status, reply.json["message"]) == (422, "Reference already exists")


def test_a_reference_moves_forward_freely_and_elsewhere_by_force_alone(hub: Hub) -> None:
    first = tip(hub)
    one, other = new_commit(hub, first)["sha"], new_commit(hub, first, "other.txt")["sha"]
    assert hub.call("POST", "/git/refs", {"ref": "refs/heads/work", "sha": first}).status == 201
    assert hub.call("PATCH", "/git/refs/heads/work", {"sha": one}).status == 200
    refused = hub.call("PATCH", "/git/refs/heads/work", {"sha": other})
    assert (refused.status, refused.json["message"]) == (422, "Update is not a fast forward")
    assert hub.call("PATCH", "/git/refs/heads/work", {"sha": other, "force": True}).status == 200
    assert tip(hub, "work") == other


def test_a_reference_needs_an_object_and_a_good_name(hub: Hub) -> None:
    assert hub.call("POST", "/git/refs", {"ref": "refs/heads/x", "sha": "1" * 40}).status == 422
    assert hub.call("POST", "/git/refs", {"ref": "refs/heads/a..b", "sha": tip(hub)}).status == 422
    assert hub.call("PATCH", "/git/refs/heads/none", {"sha": tip(hub)}).status == 422


def test_a_protected_branch_is_not_written(hub: Hub) -> None:
    hub.repo.protected = ("refs/heads/main",)
    reply = hub.call("PATCH", "/git/refs/heads/main", {"sha": new_commit(hub, tip(hub))["sha"]})
    assert reply.status == 422
    assert reply.json["message"].startswith("Repository rule violations found")


def test_a_workflow_file_cannot_be_written_without_that_permission(hub: Hub) -> None:
    sha = new_commit(hub, tip(hub), ".github/workflows/ci.yml")["sha"]
    assert hub.call("POST", "/git/refs", {"ref": "refs/heads/x", "sha": sha}).status == 403


def test_references_are_found_by_the_start_of_their_name(hub: Hub) -> None:
    for name in ("recalibrate/main", "recalibrate/evidence"):
        hub.call("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": tip(hub)})
    found = hub.call("GET", "/git/matching-refs/heads/recalibrate/").json
    assert sorted(it["ref"] for it in found) == ["refs/heads/recalibrate/evidence", "refs/heads/recalibrate/main"]
    assert hub.call("GET", "/git/ref/heads/recalibrate").status == 404


def test_a_deleted_branch_closes_its_pull_request(hub: Hub) -> None:
    hub.call("POST", "/git/refs", {"ref": "refs/heads/work", "sha": new_commit(hub, tip(hub))["sha"]})
    number = hub.call("POST", "/pulls", {"title": "t", "head": "work", "base": "main"}).json["number"]
    assert hub.call("DELETE", "/git/refs/heads/work").status == 204
    assert hub.call("GET", f"/pulls/{number}").json["state"] == "closed"


def test_a_recursive_tree_lists_everything_until_the_limit(hub: Hub) -> None:
    whole = hub.call("GET", "/git/trees/main?recursive=1").json
    assert not whole["truncated"]
    assert {"README.md", "tests", "tests/test_one.py"} <= {entry["path"] for entry in whole["tree"]}
    hub.repo.tree_limit = 2
    cut = hub.call("GET", "/git/trees/main?recursive=1").json
    assert (cut["truncated"], len(cut["tree"])) == (True, 2)


def test_a_comparison_says_which_side_is_ahead(hub: Hub) -> None:
    base = tip(hub)
    ahead = new_commit(hub, base)["sha"]
    seen = hub.call("GET", f"/compare/{base}...{ahead}").json
    assert (seen["status"], seen["ahead_by"], seen["merge_base_commit"]["sha"]) == ("ahead", 1, base)
    assert hub.call("GET", f"/compare/{ahead}...{base}").json["status"] == "behind"
    assert hub.call("GET", f"/compare/{base}...{base}").json["status"] == "identical"
    other = new_commit(hub, base, "other.txt")["sha"]
    assert hub.call("GET", f"/compare/{ahead}...{other}").json["status"] == "diverged"
    assert hub.call("GET", f"/compare/{base}...{'1' * 40}").status == 404


def test_a_file_is_read_at_a_revision_and_a_missing_one_is_404(hub: Hub) -> None:
    first = hub.call("GET", "/commits?sha=main").json[-1]["sha"]
    data = hub.call("GET", f"/contents/tests/test_bom.py?ref={first}").json
    assert base64.b64decode(data["content"]) == b"\xef\xbb\xbfx = 1\r\n"
    assert hub.call("GET", f"/contents/README.md?ref={first}").status == 404
    assert hub.call("GET", "/contents/nothing.txt").status == 404
    assert [it["type"] for it in hub.call("GET", "/contents/").json] == ["file", "dir"]
    assert [it["name"] for it in hub.call("GET", "/contents/tests").json][-1] == "test_one.py"


def test_commits_are_listed_by_path(hub: Hub) -> None:
    assert [it["commit"]["message"] for it in hub.call("GET", "/commits?path=README.md").json] == ["second"]


def test_a_role_is_told_exactly_and_in_the_old_words(hub: Hub) -> None:
    hub.person("mona", "maintain")
    hub.world.account("stranger")
    seen = hub.call("GET", "/collaborators/mona/permission").json
    assert (seen["permission"], seen["role_name"]) == ("write", "maintain")
    assert hub.call("GET", "/collaborators/stranger/permission").json["permission"] == "read"
    assert hub.call("GET", "/collaborators/nobody/permission").status == 404
