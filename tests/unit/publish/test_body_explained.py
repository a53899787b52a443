"""Partitions, limits and matrices in words: foreign text stays text, every "no" has a sentence, bounds hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import (
    CommitNote,
    CommitSha,
    Evaluation,
    JobId,
    KeptRows,
    LabelTotal,
    LaunchFact,
    LimitAnswer,
    LimitFinding,
    LimitKind,
    Matrix,
    MatrixAnswer,
    MatrixPair,
    MatrixRefusal,
    MatrixSplit,
    PartitionLoad,
    PastTry,
    PhaseTime,
    PolicyStamp,
    Progress,
    RankCount,
    RefusedMatrix,
    RowTrace,
    RunId,
    Status,
    SuitePartitions,
    SweptFile,
    TestPath,
)
from bot.publish.body import report
from bot.publish.body_limits import limits
from bot.publish.body_partitions import matrices, partitions, totals
from bot.publish.budget import assemble
from bot.publish.links import Links
from bot.publish.lookup import lookup
from bot.publish.matrix_text import MATRIX, matrix_refusal, matrix_report
from tests.unit.publish.evaluations import BASE, BOAR, CUDA, HEAD, SUITE, registration, scheduled

HOSTILE = "@team closes #1 <img src=x> `x` | http://evil.example"
KILLED = scheduled(BOAR, status=Status.TIMEOUT, elapsed_s=3750, logged_est_s=3000.0)
PAST = PastTry(RunId(10), 1, JobId(6), Status.PASSED, 2000, 3750, HEAD)
TRACE = RowTrace(Progress("rollout", 44, 60, 9), (PhaseTime("train", 62.9, 0.76),), (LaunchFact("batch", "256", 4),))
FINDING = LimitFinding(LimitKind.TIMED_OUT, KILLED, 3750, TRACE, None, 5114, 4100, 6400)


def evaluation(**facts: object) -> Evaluation:
    return Evaluation("zoo/keeper", "main", BASE, PolicyStamp("default"), **facts)  # type: ignore[arg-type]


def said(*found: LimitFinding) -> str:
    return assemble(limits(lookup(evaluation(limits=found)), Links()), 1 << 20)


def test_a_killed_test_in_words() -> None:
    assert said(FINDING).partition("alone.\n\n")[2] == (
        "- `tests/zoo/test_boar.py` on `stage-q-4-gpu` was killed at 3750 s in run 11 (literal 3000). It had reached "
        "`rollout` 44 of 60, 85.2 s each: finishing needs about 5110 s. A literal of 4100 would allow that; the rule "
        "would make 6400 of such a pass.\n"
        "  - Where a step's time went (phases may hold one another): `train` 62.9 s (76%).\n"
        "  - Launched with `batch` `256`.\n"
        "  - No earlier run of it is known here.\n\n"
    )


def test_a_pass_near_its_limit_in_words() -> None:
    row = scheduled(BOAR, elapsed_s=3400, logged_est_s=3000.0)
    near = LimitFinding(LimitKind.NEAR_LIMIT, row, 3750, RowTrace(), None, 3400, 2800, 4300, (PAST,), PAST)
    assert "passed after 3400 s of the 3750 s it may take, in run 11. The rule makes 4300 of that pass." in said(near)
    assert "Before, newest first: passed after 2000 s in run 10." in said(near)
    assert "No commit is known that touched it since it last passed (run 10)." in said(near)


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (RowTrace(), "says nothing about how far it came"),
        (
            RowTrace(Progress("step", 3, 9, 1, restarts=2)),
            "after 2 earlier counts of its own; what is left is not known",
        ),
        (RowTrace(Progress("step", 0, 9, 1)), "It had reached `step` 0 of 9."),
    ],
)
def test_what_is_not_known_is_said(trace: RowTrace, words: str) -> None:
    assert words in said(replace(FINDING, trace=trace, needed_s=None, least_s=None, literal_s=None))


def test_an_answer_shows_before_and_after() -> None:
    after = RowTrace(None, (PhaseTime("train", 12.2, 0.3),), (LaunchFact("batch", "64", 4), LaunchFact("cap", "9", 5)))
    answer = LimitAnswer((replace(PAST, elapsed_s=2295, run_id=RunId(12)),), after, 2900, 1, 2, False)
    told = said(replace(FINDING, answer=answer))
    assert (
        "passed after 2295 s in run 12 (3750 → 2295 s; the file is the same). The rule makes **2900** of that" in told
    )
    assert "nights that confirm it so far: 1, needed: 2." in told
    assert "`batch` `256` → `64`; `cap` none → `9`; `train` 62.9 → 12.2 s a step." in told


def test_foreign_text_stays_text() -> None:
    sha = CommitSha("c" * 40)
    trace = replace(TRACE, facts=(LaunchFact(HOSTILE, HOSTILE, 1),), progress=Progress(HOSTILE, 1, 2, 1))
    told = said(replace(FINDING, trace=trace, commits=(CommitNote(sha, HOSTILE),)))
    assert "@team" not in told
    assert "<img" not in told
    assert "http://evil" in told  # in a code span, where it is no link
    assert "\\x40team" in told


def test_many_findings_are_cut_to_whole_ones_and_counted() -> None:
    found = tuple(replace(FINDING, row=replace(KILLED, plan_index=i)) for i in range(500))
    told = report(evaluation(limits=found), Links(), 20_000)
    assert len(told.encode()) <= 20_000
    assert " more.\n" in told


def packed(**facts: object) -> SuitePartitions:
    before = PartitionLoad((500.0, 300.0), ((BOAR,), (TestPath("b"),)), (470.0, 310.0))
    after = PartitionLoad((400.0, 400.0), ((BOAR,), (TestPath("b"),)), (400.0, 380.0))
    given = {"gpus": 4, "longest": BOAR, "longest_s": 400.0, "supported": RankCount(2, 400.0), **facts}
    return SuitePartitions(SUITE, CUDA, 2, before, after, RunId(11), **given)  # type: ignore[arg-type]


def partition_text(one: SuitePartitions) -> str:
    return assemble(partitions(lookup(evaluation(partitions=(one,)))), 1 << 20)


def test_a_suite_in_one_row() -> None:
    told = partition_text(packed())
    assert (
        "| `stage-q-4-gpu` `cuda` | 2 | 470, 310 → 400, 380 | 470 → 400 s | 1.21 → 1.03 | 160 → 20 s | 640 → 80 "
        "| `tests/zoo/test_boar.py` 400 s | 2 | 0 | 11 |\n"
    ) in told
    assert "\n- " not in told


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"budget_s": 450}, "over the budget of 450 s: rank 0 → none (ranks from 0)"),
        ({"budget_s": 390, "supported": None}, "`tests/zoo/test_boar.py` alone takes 400 s"),
        (
            {"budget_s": 410, "supported": None},
            "no number of ranks stays within the budget of 410 s: the estimates pack",
        ),
        ({"supported": RankCount(1, 465.0)}, "1 rank would do instead of 2"),
        ({"supported": RankCount(1, 780.0), "budget_s": 900}, "1 rank would do instead of 2"),
        ({"supported": RankCount(3, 400.0), "budget_s": 390}, "3 ranks would do instead of 2"),
    ],
)
def test_what_the_data_would_support_is_said(facts: dict[str, object], words: str) -> None:
    assert words in partition_text(packed(**facts))


@pytest.mark.parametrize("supported", [RankCount(3, 400.0), None])
def test_without_a_budget_nobody_is_told_to_add_a_rank(supported: RankCount | None) -> None:
    assert "\n- " not in partition_text(packed(supported=supported))


def test_a_suite_that_names_no_gpus_claims_no_gpu_seconds() -> None:
    assert "| 160 → 20 s | - |" in partition_text(packed(gpus=0))


def test_a_label_named_by_a_person_stays_text() -> None:
    told = assemble(totals((LabelTotal(HOSTILE, CUDA, 6, 12200, 8600, 5),)), 1 << 20)
    assert "| 6 | 5 | 12200 → 8600 s |" in told
    assert "@team" not in told


def test_a_pair_is_named_with_the_command_that_explains_it() -> None:
    told = assemble(matrices((MatrixPair(BOAR, TestPath("b|@x"), 4, (1829, None)),)), 1 << 20)
    assert "- 4 cells, 1829 s: `recalibrate matrix tests/zoo/test_boar.py b\\x7c\\x40x`.\n" in told


@pytest.mark.parametrize("reason", MatrixRefusal)
def test_every_refused_matrix_has_a_sentence(reason: MatrixRefusal) -> None:
    assert reason in MATRIX
    assert matrix_refusal(RefusedMatrix(reason, BOAR, "_A, _B")).startswith("`tests/zoo/test_boar.py`: ")
    assert matrix_refusal(RefusedMatrix(reason)).endswith(".")


def test_the_matrix_report_keeps_foreign_names_text_and_its_bound() -> None:
    rows = ((HOSTILE, "a"), ("two", "b"))
    files = [SweptFile(Matrix(TestPath(p), "_C", 1, rows), registration(p), (5, 6), 12) for p in ("x", "y")]
    split = MatrixSplit((KeptRows((0,), 5, 10), KeptRows((1,), 6, 10)), 13, None)
    answer = MatrixAnswer((files[0], files[1]), (split,) * 20, 3, ((),) * 20)
    told = matrix_report(answer)
    assert "@team" not in told
    assert "3 dearer splits not shown." in told
    assert len(matrix_report(answer, 3000).encode()) <= 3000
