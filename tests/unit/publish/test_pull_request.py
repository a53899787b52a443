"""Promises of carrying a publication out: every move may be repeated, and the world sees it once."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, CommitSha, FileEdit, LiteralChange, Run, RunId, TestPath, blob_sha
from bot.publish.digests import content_digest
from bot.publish.evidence_ref import entry
from bot.publish.names import CONTENT_TRAILER, EVIDENCE_BRANCH, PROPOSALS_TRAILER, app_of, marker, trailer_of
from bot.publish.plan import PublishPlan
from bot.publish.ports.refs import RefVerdict
from bot.publish.pull_request import (
    Prepared,
    Target,
    Wording,
    move_refs,
    rolling_commit,
    settle_pull_request,
    spliced,
)
from tests.fakes import FakeGit, FakePullRequests

BASE = CommitSha("a" * 40)
TARGET = Target("recalibrate/main", "main", BASE)
PATH = TestPath("tests/test_otter.py")
EDIT = FileEdit(PATH, b"old\n", b"new\n", (LiteralChange(PATH, BlobSha("c" * 40), 0, est_time=600),), "100755")
RUN = Run("zoo/otter", RunId(77), 1, BASE)
BODY = f"{marker(7, 'rolling')}\nours\n<!-- /recalibrate -->\n"
WORDING = Wording("ci: recalibrate", BODY, draft=True, labels=("ci",), reviewers=("otter",))


def prepare(git: FakeGit, evidence: bytes = b"csv") -> Prepared:
    before = git.branches.get(EVIDENCE_BRANCH)
    commit = git.commit(entry(RUN, {"evidence.csv": evidence}).commit(before))
    return Prepared(
        plan=PublishPlan.PUBLISH,
        digest="d" * 64,
        base_sha=BASE,
        branch=TARGET.branch,
        branch_before=git.branches.get(TARGET.branch),
        commit=git.commit(rolling_commit("ci: recalibrate", "d" * 64, [EDIT], TARGET)),
        evidence_before=before,
        evidence_commit=commit,
    )


def test_the_commit_holds_the_edits_with_their_modes_and_proves_itself() -> None:
    new = rolling_commit("ci: recalibrate", "d" * 64, [EDIT], TARGET)
    assert new.parent == BASE
    assert [(file.path, file.content, file.mode) for file in new.files] == [(PATH, b"new\n", "100755")]
    assert trailer_of(new.message, PROPOSALS_TRAILER) == "d" * 64
    assert trailer_of(new.message, CONTENT_TRAILER) == content_digest({PATH: blob_sha(b"new\n")})


def test_branch_and_evidence_move_together_and_a_repeated_move_is_ours() -> None:
    git = FakeGit({"main": BASE})
    prepared = prepare(git)
    assert move_refs(prepared, git).verdict is RefVerdict.OURS
    assert move_refs(prepared, git).verdict is RefVerdict.OURS
    assert git.moves == 1
    assert git.branches[TARGET.branch] == prepared.commit
    assert git.branches[EVIDENCE_BRANCH] == prepared.evidence_commit


def test_a_tip_that_moved_in_between_is_theirs_and_nothing_moves() -> None:
    git = FakeGit({"main": BASE})
    prepared = prepare(git)
    git.branches[TARGET.branch] = CommitSha("f" * 40)
    assert move_refs(prepared, git).verdict is RefVerdict.THEIRS
    assert EVIDENCE_BRANCH not in git.branches


def test_the_same_evidence_is_committed_once_and_new_evidence_is_added_beside_it() -> None:
    git = FakeGit({"main": BASE})
    move_refs(prepare(git), git)
    tip = git.branches[EVIDENCE_BRANCH]
    assert git.commit(entry(RUN, {"evidence.csv": b"csv"}).commit(tip)) == tip
    move_refs(prepare(git, b"other"), git)
    assert sorted(git.files(EVIDENCE_BRANCH).values()) == [b"csv", b"other"]


def test_a_pull_request_is_opened_once_with_its_labels_and_reviewers() -> None:
    pulls = FakePullRequests()
    first = settle_pull_request(TARGET, WORDING, pulls)
    assert (first.number, first.draft, first.body) == (1, True, BODY)
    assert settle_pull_request(TARGET, WORDING, pulls).number == 1
    assert [what for what, _ in pulls.done].count("open") == 1


def test_a_crash_between_opening_and_labels_is_made_good_and_taken_labels_stay_away() -> None:
    pulls = FakePullRequests()
    settle_pull_request(TARGET, replace(WORDING, labels=(), reviewers=()), pulls)
    settle_pull_request(TARGET, WORDING, pulls)
    assert ("labels", ("ci",)) in pulls.done
    pulls.done.clear()
    settle_pull_request(TARGET, replace(WORDING, body=BODY.replace("ours", "a later night")), pulls)
    assert pulls.done == [("update", 1)]


def test_words_of_a_person_around_our_part_stay() -> None:
    pulls = FakePullRequests()
    settle_pull_request(TARGET, WORDING, pulls)
    pulls.pulls[1] = replace(pulls.pulls[1], body=f"Do not merge yet.\r\n\r\n{BODY}\nChecked by me.\n")
    settle_pull_request(TARGET, replace(WORDING, body=BODY.replace("ours", "newer")), pulls)
    assert pulls.pulls[1].body == f"Do not merge yet.\n\n{BODY.replace('ours', 'newer')}\nChecked by me.\n"


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_splicing_twice_is_splicing_once(before: str, ours: str, after: str) -> None:
    ours = f"{marker(7, 'rolling')}\n{ours.replace('<', '')}\n<!-- /recalibrate -->\n"
    once = spliced(before.replace("<", "") + ours + after.replace("<", ""), ours)
    assert spliced(once, ours) == once
    assert ours.rstrip("\n") in once


def test_the_last_marker_of_a_text_counts() -> None:
    assert app_of("no marker", "rolling") is None
    assert app_of(marker(7, "rolling") + marker(8, "other"), "rolling") == 7
    assert app_of(marker(7, "rolling") + marker(9, "rolling"), "rolling") == 9
