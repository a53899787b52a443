"""Promises about the rolling branch: nobody is overwritten, nothing is repeated, every no is named."""

from dataclasses import replace

import pytest

from bot.domain import BlobSha, CommitSha, Evaluation, FileEdit, LiteralChange, PolicyStamp, TestPath
from bot.publish.digests import proposals_digest
from bot.publish.names import marker
from bot.publish.plan import BranchFacts, PublishPlan, Standing, choose
from bot.publish.ports.pulls import PullRequestState

APP = 7
TIP = CommitSha("b" * 40)
EDIT = FileEdit(
    TestPath("tests/test_otter.py"),
    b"old",
    b"new",
    (LiteralChange(TestPath("tests/test_otter.py"), BlobSha("c" * 40), 0, est_time=600),),
)
NOTHING = Evaluation("zoo/otter", "main", CommitSha("a" * 40), PolicyStamp("default"))
SOMETHING = replace(NOTHING, edits=(EDIT,))
DIGEST = proposals_digest(SOMETHING)
PULL = PullRequestState(
    number=1,
    state="open",
    merged=False,
    draft=False,
    head="recalibrate/main",
    head_sha=TIP,
    base="main",
    title="t",
    body=marker(APP, "rolling"),
    author="recalibrate[bot]",
    url="",
)
CLOSED = replace(PULL, state="closed")


def plan(
    evaluation: Evaluation = SOMETHING,
    facts: BranchFacts = BranchFacts(None, None, ()),  # noqa: B008 - frozen
    standing: Standing = Standing.PROPOSE,
) -> PublishPlan:
    return choose(evaluation, proposals_digest(evaluation), facts, APP, standing)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (BranchFacts(None, None, ()), PublishPlan.PUBLISH),
        (BranchFacts(TIP, DIGEST, (PULL,)), PublishPlan.REFRESH),
        (BranchFacts(TIP, "other", (PULL,)), PublishPlan.PUBLISH),
        (BranchFacts(TIP, None, (PULL,)), PublishPlan.BRANCH_OF_A_PERSON),
        (BranchFacts(TIP, None, ()), PublishPlan.BRANCH_OF_A_PERSON),
        (BranchFacts(TIP, DIGEST, (CLOSED,), frozenset({DIGEST})), PublishPlan.DECLINED),
        (BranchFacts(None, None, (CLOSED,), frozenset({DIGEST})), PublishPlan.DECLINED),
        (BranchFacts(TIP, DIGEST, (CLOSED,), frozenset({"other"})), PublishPlan.PUBLISH),
        (BranchFacts(TIP, DIGEST, (PULL,), frozenset({DIGEST})), PublishPlan.REFRESH),
        (BranchFacts(TIP, DIGEST, (replace(CLOSED, merged=True),)), PublishPlan.PUBLISH),
        (BranchFacts(TIP, DIGEST, (replace(PULL, body=marker(8, "rolling")),)), PublishPlan.BRANCH_OF_ANOTHER_APP),
        (BranchFacts(TIP, None, (replace(PULL, body=marker(8, "rolling")),)), PublishPlan.BRANCH_OF_ANOTHER_APP),
    ],
)
def test_what_happens_to_proposals(facts: BranchFacts, expected: PublishPlan) -> None:
    assert plan(facts=facts) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (BranchFacts(None, None, ()), PublishPlan.NOTHING_TO_CHANGE),
        (BranchFacts(TIP, "other", (PULL,)), PublishPlan.WITHDRAW),
        (BranchFacts(TIP, None, (PULL,)), PublishPlan.BRANCH_OF_A_PERSON),
        (BranchFacts(None, None, (CLOSED,)), PublishPlan.NOTHING_TO_CHANGE),
    ],
)
def test_what_happens_when_nothing_is_to_change(facts: BranchFacts, expected: PublishPlan) -> None:
    assert plan(NOTHING, facts) is expected


def test_report_only_and_observing_and_paused_come_before_everything() -> None:
    assert plan(replace(SOMETHING, report_only="a branch run")) is PublishPlan.REPORT_ONLY
    assert plan(standing=Standing.OBSERVE) is PublishPlan.OBSERVE
    assert plan(standing=Standing.PAUSED) is PublishPlan.PAUSED


def test_equal_proposals_have_equal_digests_whatever_else_the_base_did() -> None:
    moved = replace(SOMETHING, base_sha=CommitSha("d" * 40), notes=("another night",))
    assert proposals_digest(moved) == DIGEST


@pytest.mark.parametrize(
    "change",
    [
        {"est_time": 700},
        {"labels": ("a",)},
        {"index": 1},
        {"blob": BlobSha("e" * 40)},  # the same value in a file that has changed is another identity
        {"path": TestPath("tests/test_newt.py")},
    ],
)
def test_anything_that_is_proposed_is_in_the_digest(change: dict[str, object]) -> None:
    other = replace(EDIT, changes=(replace(EDIT.changes[0], **change),), path=change.get("path", EDIT.path))  # type: ignore[arg-type]
    assert proposals_digest(replace(SOMETHING, edits=(other,))) != DIGEST


def test_the_order_of_edits_does_not_matter() -> None:
    second = replace(EDIT, path=TestPath("tests/test_newt.py"))
    one, two = replace(SOMETHING, edits=(EDIT, second)), replace(SOMETHING, edits=(second, EDIT))
    assert proposals_digest(one) == proposals_digest(two)
