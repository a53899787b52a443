"""The report: what a maintainer reads, within GitHub's limits, whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from bot.domain import (
    EditRefusal,
    Evaluation,
    Flag,
    Keep,
    KeepReason,
    LabelChange,
    LabelRefusal,
    LabelSelection,
    LabelSuggestion,
    LiteralChange,
    LogNote,
    NotPacked,
    NotPackedReason,
    PartitionLoad,
    Plan,
    PlannedFile,
    PolicyStamp,
    Proposal,
    RefusedCall,
    RefusedEdit,
    RefusedLabels,
    RegistrationKey,
    RejectionReason,
    RunId,
    Status,
    Suite,
    SuitePartitions,
    TestPath,
)
from bot.publish import wording
from bot.publish.body import report
from bot.publish.budget import BODY_LIMIT
from bot.publish.links import Links
from tests.unit.publish.evaluations import (
    BASE,
    CUDA,
    SUITE,
    blob,
    evaluation,
    job,
    large,
    proposal,
    registration,
    rejection,
    run,
    sample,
    scheduled,
    small,
)

LINKS = Links(
    evidence_csv="https://github.com/zoo/keeper/blob/1234567/evidence.csv",
    marker="<!-- recalibrate app=1 key=rolling -->",
)
GOLDEN = Path(__file__).parents[2] / "data" / "publish" / "small_report.md"


def with_everything() -> Evaluation:
    """The small evaluation with a part of every kind."""
    given_ = small()
    (otter, *others) = given_.decisions
    assert isinstance(otter, Proposal)
    flagged = replace(otter, flags=(Flag.PASSES_ONLY_BY_LITERAL, Flag.SINGLE_NIGHT))
    before = PartitionLoad((500.0, 300.0), ((TestPath("a"),), (TestPath("b"),)), (470.0, 310.0))
    after = PartitionLoad((400.0, 400.0), ((TestPath("a"),), (TestPath("b"),)), (400.0, 380.0))
    return replace(
        given_,
        decisions=(flagged, *others),
        label_changes=(LabelChange(flagged.registration, ("beta",), ("alpha", "beta"), "tests/zoo/*.py"),),
        label_selections=(LabelSelection("beta", (flagged.registration.key,), 310.0),),
        label_suggestions=(LabelSuggestion(registration("tests/zoo/test_hare.py"), ("beta",), (TestPath("x.py"),)),),
        refused_labels=(RefusedLabels(registration("tests/zoo/test_mole.py"), LabelRefusal.UNKNOWN_LABEL, "gamma"),),
        partitions=(SuitePartitions(SUITE, CUDA, 2, before, after, RunId(11)),),
        not_packed=(NotPacked(Suite("stage-r"), CUDA, NotPackedReason.PLAN_MISSING),),
        notes=("No workflow filter is configured.",),
    )


def test_the_whole_report_reads_as_agreed() -> None:
    assert report(with_everything(), LINKS) == GOLDEN.read_text(encoding="utf-8")


def test_the_same_evaluation_in_another_order_gives_the_same_text() -> None:
    given_ = with_everything()
    turned = replace(
        given_,
        samples=given_.samples[::-1],
        rejections=given_.rejections[::-1],
        decisions=given_.decisions[::-1],
        identities=given_.identities[::-1],
    )
    assert report(turned, LINKS) == report(given_, LINKS)


def test_900_changes_fit_the_largest_first_and_the_rest_counted() -> None:
    text = report(large(900, 120), LINKS)
    assert len(text) <= len(text.encode()) <= BODY_LIMIT
    shown = re.findall(r"^\| `tests/x+/(\d{6})\.py` \| `stage.*\*\*\d+\*\*", text, re.MULTILINE)
    numbers = [int(number) for number in shown]
    assert numbers == list(range(899, 899 - len(numbers), -1))
    assert len(numbers) > 50
    assert f"\n{900 - len(numbers)} smaller changes more" in text
    assert f"[`evidence.csv`]({LINKS.evidence_csv})" in text
    assert "**Raises 900 `est_time` literals.**" in text
    assert text.endswith("<!-- /recalibrate -->\n")
    assert "### Recompute" in text


@pytest.mark.parametrize("limit", [3000, 8000, 20000])
def test_any_limit_above_the_fixed_parts_holds(limit: int) -> None:
    assert len(report(large(300), LINKS, limit).encode()) <= limit


def test_with_nothing_to_change_it_says_so_and_why() -> None:
    given_ = small()
    text = report(replace(given_, decisions=given_.decisions[1:]), Links())
    assert text.startswith("**No literal has to change.**\n")
    assert "- 1: the rule gives the present value.\n" in text
    assert "- 1: passes in too few nights for this change.\n" in text
    assert "- 2: no accepted pass (timed out: 1; the test file has changed since the run: 1).\n" in text


def test_an_evaluation_of_nothing_is_a_report_all_the_same() -> None:
    assert "**No literal has to change.**" in report(evaluation(), Links())


def test_where_no_pass_could_be_used_it_does_not_call_the_literals_right() -> None:
    """A run of another commit measures nothing; its commit is named by its first digits."""
    row = scheduled("a.py")
    unused = rejection(row, RejectionReason.TESTED_SHA_DIFFERS, detail="9" * 40)
    text = report(evaluation(run(11, job(7, row)), rejections=(unused,)), Links())
    assert text.startswith("**No literal is changed: none of the passes could be used (1).**\n")
    assert "the job checked out another commit than the run's head: `9999999` |" in text
    failed = scheduled("a.py", status=Status.FAILED)
    text = report(evaluation(run(11, job(7, failed)), rejections=(rejection(failed, RejectionReason.FAILED),)), Links())
    assert text.startswith("**No literal is changed: no scheduled file passed.**\n")


def test_a_literal_that_stays_is_flagged_where_a_person_should_look() -> None:
    row = scheduled("a.py", elapsed_s=1900)
    slow = Keep(registration("a.py", 2400), KeepReason.EQUAL, samples=(sample(row),))
    killed = Keep(registration("b.py", 1700), KeepReason.NO_SAMPLE)
    found = (
        replace(slow, flags=(Flag.PASSES_ONLY_BY_LITERAL, Flag.SINGLE_NIGHT)),
        replace(killed, flags=(Flag.NO_PASS_ONLY_TIMEOUTS,)),
    )
    text = report(evaluation(run(11, job(7, row)), samples=(sample(row),), decisions=found), Links())
    assert "passes only because its literal raises the limit (1): `a.py`.\n" in text
    assert "Never passed in the window, only timed out (1): `b.py`.\n" in text
    assert "Measured in one night only" not in text


def test_a_file_of_a_suite_that_ran_in_one_session_is_not_called_unscheduled() -> None:
    together, elsewhere = registration("a.py"), registration("b.py")
    plan = Plan(SUITE, CUDA, 0, 1, 3, (PlannedFile(TestPath("a.py"), 400, 4),))
    session = replace(job(7), plan=plan, notes=(LogNote.NO_PER_FILE_TIMING,))
    keeps = tuple(Keep(one, KeepReason.NO_SAMPLE) for one in (together, elsewhere))
    text = report(evaluation(run(11, session), decisions=keeps), Links())
    assert (
        "- 2: no accepted pass (ran in one session, without a time for each file: 1; not scheduled in these runs: 1).\n"
    ) in text


def test_a_base_named_by_its_commit_and_a_parameter_without_a_value_are_not_said_twice() -> None:
    named = replace(evaluation(), base=BASE, policy=PolicyStamp("strict", {"guards": "", "method": "max"}))
    text = report(named, Links())
    assert "Policy `strict`: `max`. Base `bbbbbbb`, 0 registrations." in text


def test_with_edits_off_it_says_so_before_anything_else() -> None:
    text = report(replace(small(), report_only="The run is not a configured nightly."), Links())
    assert text.startswith(
        "**Would raise 1 `est_time` literal.**\n\n> **Report only:** The run is not a configured nightly. Nothing is"
    )


def test_a_limit_below_a_pass_that_was_not_used_is_pointed_out() -> None:
    row = scheduled("a.py", elapsed_s=310)
    slow = scheduled("a.py", run_id=RunId(10), elapsed_s=2100)
    used = sample(row)
    text = report(
        evaluation(
            run(11, job(7, row)),
            samples=(used,),
            rejections=(rejection(slow, RejectionReason.CHANGED),),
            decisions=(proposal(registration("a.py", 2400), 400, used),),
        ),
        Links(),
    )
    assert (
        "- The new limit of 1800 s is below 1 pass that was not used: `a.py` took 2100 s in run 10 "
        "(the test file has changed since the run).\n"
    ) in text


def test_of_several_passes_that_the_new_limit_would_have_killed_the_slowest_is_named() -> None:
    row = scheduled("a.py", elapsed_s=310)
    used = sample(row)
    slow = [scheduled("a.py", run_id=RunId(n), elapsed_s=s) for n, s in ((8, 1900), (9, 2500), (10, 2100), (7, 1800))]
    text = report(
        evaluation(
            run(11, job(7, row)),
            samples=(used,),
            rejections=tuple(rejection(one, RejectionReason.CHANGED) for one in slow),
            decisions=(proposal(registration("a.py", 2400), 400, used),),
        ),
        Links(),
    )
    assert "The new limit of 1800 s is below 3 passes that were not used: `a.py` took 2500 s in run 9 " in text


def test_a_slower_pass_of_an_older_night_is_named_beside_the_change_that_newer_nights_ask_for() -> None:
    old = sample(scheduled("a.py", run_id=RunId(10), elapsed_s=2100))
    level = sample(scheduled("a.py", run_id=RunId(11), elapsed_s=640))
    new = sample(scheduled("a.py", run_id=RunId(12), elapsed_s=640))
    kept = sample(scheduled("b.py", run_id=RunId(12), plan_index=1))
    before = sample(scheduled("b.py", run_id=RunId(10), plan_index=1, elapsed_s=1900))
    text = report(
        evaluation(
            run(10, job(7, old.row, before.row)),
            run(11, job(7, level.row)),
            run(12, job(7, new.row, kept.row)),
            samples=(old, level, new, kept, before),
            decisions=(
                proposal(registration("a.py", 3600), 800, new),
                Keep(registration("b.py"), KeepReason.EQUAL, "", samples=(kept,)),
            ),
        ),
        Links(),
    )
    assert "2 passes used" in text
    assert "Passes not used (3)</summary>\n\nNewer nights of the test give the value: 3.\n" in text
    shown = [line for line in text.splitlines() if line.startswith("| `") and "newer nights of the test" in line]
    assert [line.split(" | ")[2] for line in shown] == ["2100 s"]
    assert (
        "- The new limit of 1800 s is below 1 pass that was not used: `a.py` took 2100 s in run 10 "
        "(newer nights of the test give the value).\n"
    ) in text


def test_a_refused_edit_is_not_counted_as_a_change() -> None:
    change = LiteralChange(TestPath("tests/zoo/test_otter.py"), blob("a"), 0, est_time=800)
    text = report(replace(small(), refused_edits=(RefusedEdit(change, EditRefusal.EDIT_CHECK_FAILED),)), Links())
    assert text.startswith("**No literal has to change.**")
    assert "- `tests/zoo/test_otter.py`: the edit could not be proved to change the literal alone.\n" in text


EVIL = "@octocat fixes #1 <img src=x> | [a](http://evil.example) ` \u202e\x1b[31m\nx -->"


def hostile() -> Evaluation:
    """Every text that comes from outside is hostile."""
    row = scheduled(EVIL, suite=EVIL, job_name=EVIL, backend=EVIL, note=EVIL)
    other = scheduled(EVIL + "2", suite=EVIL, plan_index=1, backend=EVIL)
    key = RegistrationKey(TestPath(EVIL), EVIL, EVIL)  # type: ignore[arg-type]
    mine = registration(EVIL, key=key, labels=(EVIL,))
    used = sample(row)
    held = replace(mine, key=replace(key, path=TestPath("x" + EVIL)))
    runs = (replace(run(11, job(7, row, other)), partial=frozenset({Suite(EVIL)})),)
    runs = (replace(runs[0], run=replace(runs[0].run, conclusion=EVIL, url=f"https://a/{EVIL}", workflow=EVIL)),)
    return replace(
        evaluation(*runs),
        repository=EVIL,
        base=EVIL,
        policy=PolicyStamp(EVIL, {EVIL: EVIL}),
        samples=(used,),
        rejections=(rejection(other, RejectionReason.CHANGED, detail=EVIL),),
        decisions=(
            replace(proposal(mine, 800, used), flags=(Flag.SINGLE_NIGHT,)),
            Keep(held, KeepReason.TOO_FEW_NIGHTS, EVIL, held=300),
        ),
        label_changes=(LabelChange(mine, (EVIL,), (EVIL, EVIL), EVIL),),
        label_selections=(LabelSelection(EVIL, (key,), 1.0),),
        label_suggestions=(LabelSuggestion(mine, (EVIL,), (TestPath(EVIL),)),),
        refused_labels=(RefusedLabels(mine, LabelRefusal.NO_REGISTRY, EVIL),),
        refused_calls=(RefusedCall(TestPath(EVIL), 1, EditRefusal.UNDECODABLE, EVIL),),
        not_packed=(NotPacked(Suite(EVIL), CUDA, NotPackedReason.PLAN_MISSING, EVIL),),
        report_only=EVIL,
        notes=(EVIL,),
    )


def outside_code(text: str) -> str:
    """The text without fenced blocks, code spans, our own tags and links to runs."""
    text = re.sub(r"```\n.*?\n```", "", text, flags=re.DOTALL)
    text = re.sub(r"`[^`\n]+`", "", text)
    return re.sub(r"</?(?:details|summary)>", "", text)


def test_no_hostile_text_leaves_its_code_span() -> None:
    text = report(hostile(), Links())
    left = outside_code(text)
    assert not set(left) & set("@#<`\\").difference("#")
    assert re.findall(r"#+", left) == ["###"] * left.count("### ")
    assert "evil" not in left
    assert "](" not in left
    assert not set(text) & set("\u202e\x1b")


def test_no_hostile_text_breaks_a_table() -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", report(hostile(), Links()), flags=re.MULTILINE)
    assert len(tables) > 2
    for table in tables:
        lines = table.splitlines()
        assert len({re.sub(r"`[^`]*`", "", line).count("|") for line in lines}) == 1
        assert len({line.count("|") for line in lines}) == 1


def test_a_renderer_finds_nothing_but_our_own_elements_in_hostile_text() -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(report(hostile(), Links()))
    outside = re.sub(r"<code[^>]*>.*?</code>", "", html, flags=re.DOTALL)
    assert set(re.findall(r"<([a-z0-9]+|!)", outside)) <= {
        *("p", "strong", "blockquote", "h3", "ul", "li", "pre", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert "evil" not in outside
    assert html.count("<details>") == html.count("</details>")


def test_a_hostile_policy_name_does_not_end_the_command_s_fence() -> None:
    text = report(replace(small(), policy=PolicyStamp("x\n```\n@octocat")), Links())
    fenced = re.findall(r"^```\n(.*)\n```$", text, flags=re.MULTILINE)
    assert len(fenced) == 1
    assert text.count("```") == 2


TABLES: list[tuple[dict[StrEnum, str], type[StrEnum]]] = [
    (dict(wording.KEEP), KeepReason),
    (dict(wording.REJECTION), RejectionReason),
    (dict(wording.FLAG), Flag),
    (dict(wording.EDIT_REFUSAL), EditRefusal),
    (dict(wording.LABEL_REFUSAL), LabelRefusal),
    (dict(wording.LOG_NOTE), LogNote),
    (dict(wording.NOT_PACKED), NotPackedReason),
]


@pytest.mark.parametrize(("table", "reasons"), TABLES, ids=[reasons.__name__ for _, reasons in TABLES])
def test_every_reason_has_a_sentence(table: dict[StrEnum, str], reasons: Iterable[StrEnum]) -> None:
    assert [reason for reason in reasons if reason not in table] == []
