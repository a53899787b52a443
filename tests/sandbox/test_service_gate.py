"""The last gate over the wire: a commit that is not the base with the planned literals alone moves no branch."""

from __future__ import annotations

import pytest

from bot.publish.gate import GateReason
from bot.sandbox import views_git as view
from bot.sandbox.generator import Generated
from bot.sandbox.git_values import Entry
from bot.sandbox.traffic import Exchange, Fault
from tests.sandbox.service import EVIDENCE, Case, Rig, watched

TREES, COMMITS = "/repos/{owner}/{repo}/git/trees", "/repos/{owner}/{repo}/git/commits"
LOOK_AT = f"{COMMITS}/{{commit_sha}}"
READ_BACK = "/repos/{owner}/{repo}/git/trees/{tree_sha}"
FIRST = "tests/e2e/lora/test_finch_9b_lora_ci.py"  # of the edited files


def exchanged(case: Case, entries: list[Entry]) -> Fault:
    """GitHub makes another commit than the one asked for: the base with `entries`. The first one made is evidence."""
    git = case.repo.git
    base = git.ref("refs/heads/main")
    assert base
    commit = git.commit(base)
    sha = git.write_commit(git.write_tree(commit.tree, entries), [base], "exchanged", (commit.author, commit.committer))
    return Fault("POST", COMMITS, 201, view.git_commit(case.rig.world, case.repo, git.commit(sha)), skip=1)


@pytest.mark.parametrize(
    ("name", "changed", "reason"),
    [
        ("workflow", {".github/workflows/nightly.yml": "100644"}, GateReason.UNPLANNED_PATH),
        ("source", {"src/planted.py": "100644"}, GateReason.UNPLANNED_PATH),
        ("bytes", {FIRST: "100644"}, GateReason.OTHER_BYTES),
        ("link", {FIRST: "120000"}, GateReason.MODE_CHANGED),
        ("nothing", {}, GateReason.EDIT_MISSING),
    ],
)
def test_a_commit_with_other_content_is_never_published(
    service_rig: Rig, generated: Generated, name: str, changed: dict[str, str], reason: GateReason
) -> None:
    case, runs = service_rig.started(generated, f"gate-{name}")
    content = case.repo.git.write_blob(b"import os  # planted\n")
    fault = exchanged(case, [Entry(path, mode, "blob", content) for path, mode in changed.items()])
    service_rig.world.faults.append(fault)
    try:
        ended = case.nightly(runs[0])
    finally:
        service_rig.world.faults.remove(fault)
    assert ended.outcome == "gate_refused"
    assert ended.detail.startswith(f"{reason}: ")
    assert (case.tip(), case.tip(EVIDENCE), case.pulls) == (None, None, [])


@pytest.mark.parametrize("merged", [False, True], ids=["moved", "merged"])
def test_a_commit_with_the_right_tree_on_another_parent_is_never_published(
    service_rig: Rig, generated: Generated, merged: bool
) -> None:
    """Its own tree is the planned one, but a merge of it would bring along what it stands on."""
    case, runs = service_rig.started(generated, f"gate-parent-{merged}".lower())
    git, trees = case.repo.git, []
    base = str(git.ref("refs/heads/main"))
    planted = case.person().commit("feature", {"src/planted.py": b"import os\n"})
    faults: list[Fault] = []

    def exchange_parent(exchange: Exchange) -> None:
        if (exchange.method, exchange.route) == ("POST", TREES):
            trees.append(exchange.response["sha"])
        if len(trees) == 2 and not faults:  # the evidence's was the first
            who, parents = git.commit(base), [base, planted] if merged else [planted]
            sha = git.write_commit(trees[1], parents, "exchanged", (who.author, who.committer))
            answer = view.git_commit(case.rig.world, case.repo, git.commit(sha))
            faults.append(Fault("POST", COMMITS, 201, answer, skip=1))
            service_rig.world.faults.append(faults[0])

    with watched(service_rig.world, exchange_parent):
        ended = case.nightly(runs[0])
    service_rig.world.faults.clear()
    assert ended.outcome == "gate_refused"
    assert ended.detail.startswith(f"{GateReason.OTHER_PARENT}: ")
    assert (case.tip(), case.tip(EVIDENCE), case.pulls) == (None, None, [])


def looks(case: Case, run: int) -> tuple[int, int]:
    """How often a published nightly read its commit, and how often the commit's files, after it made it."""
    mark = len(case.rig.world.journal)
    assert case.nightly(run).outcome == "published"
    routes = [record.route for record in case.since(mark)]
    after = routes[len(routes) - routes[::-1].index(COMMITS) :]
    return after.count(LOOK_AT), after.count(READ_BACK)


def test_the_look_at_what_was_made_costs_one_request(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "gate-cost")
    assert looks(case, runs[0]) == (1, 0)


def test_where_the_trees_name_cannot_be_computed_its_files_are_read(service_rig: Rig, generated: Generated) -> None:
    """A file's name that is not UTF-8 comes as other bytes than those in the tree's name."""
    case, runs = service_rig.started(generated, "gate-latin")
    git = case.repo.git
    tip = str(git.ref("refs/heads/main"))
    listed = git.run("ls-tree", "-z", tip) + f"100644 blob {git.write_blob(b'x')}\t".encode() + b"caf\xe9\0"
    tree, was = git.run("mktree", "-z", stdin=listed).decode().strip(), git.commit(tip)
    case.git("update-ref", "refs/heads/main", git.write_commit(tree, [tip], "latin", (was.author, was.committer)))
    assert looks(case, runs[0]) == (1, 1)


def test_a_commit_that_cannot_be_read_yet_is_looked_at_again(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "gate-lagging")
    service_rig.world.faults.append(Fault("GET", LOOK_AT, 404, {"message": "Not Found"}))
    mark = len(service_rig.world.journal)
    assert case.nightly(runs[0]).outcome == "published"
    assert case.calls(mark)[f"GET {LOOK_AT}"] == 2
