"""A nightly's check run: texts, counts, and an annotation on each registration that needs a look."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import (
    CheckAction,
    EditRefusal,
    Evaluation,
    Flag,
    Keep,
    KeepReason,
    RepositoryId,
    RunId,
    SourceRegistrations,
    Status,
    TaskKind,
    TaskRequest,
    TestPath,
)
from bot.publish.budget import CHECK_FIELD_LIMIT
from bot.publish.check_names import (
    OPEN_PULL_REQUEST,
    REEVALUATE,
    About,
    about,
    nightly_identity,
    registrations_identity,
)
from bot.publish.check_notes import NightlyCheck, Notes, nightly_notes
from bot.publish.check_text import nightly_report, nightly_summary, nightly_title
from bot.publish.links import Links
from bot.publish.ports.checks import Annotation, AnnotationLevel, CheckConclusion
from tests.unit.publish.evaluations import (
    BOAR,
    blob,
    estimate,
    evaluation,
    job,
    large,
    proposal,
    registration,
    run,
    sample,
    scheduled,
    small,
)

OTTER, NEWT = TestPath("tests/zoo/test_otter.py"), TestPath("tests/zoo/test_newt.py")
NIGHTLY = TaskRequest(TaskKind.NIGHTLY, 9, RepositoryId(5), "zoo/keeper", RunId(11), 1, "g1")


def seen(given: Evaluation, **at_head: SourceRegistrations | None) -> NightlyCheck:
    """The evaluation from its first run; `at_head` by the name of a zoo animal."""
    files = {TestPath(f"tests/zoo/test_{name}.py"): source for name, source in at_head.items()}
    return NightlyCheck(given, given.runs[0].run if given.runs else run(11).run, files)


def notes(given: Evaluation, **at_head: SourceRegistrations | None) -> tuple[Annotation, ...]:
    return nightly_notes(seen(given, **at_head)).annotations


def test_each_registration_that_needs_a_look_has_one_annotation_on_its_line() -> None:
    found = notes(small())
    assert [(note.path, note.line, note.level, note.title) for note in found] == [
        ("tests/zoo/test_boar.py", 12, AnnotationLevel.NOTICE, "This registration cannot be edited"),
        ("tests/zoo/test_lynx.py", 5, AnnotationLevel.NOTICE, "est_time 400 kept; the nights say 100"),
        ("tests/zoo/test_newt.py", 5, AnnotationLevel.FAILURE, "Timed out"),
        ("tests/zoo/test_otter.py", 5, AnnotationLevel.WARNING, "est_time 400 → 800"),
        ("tests/zoo/test_wolf.py", 5, AnnotationLevel.NOTICE, "Not measured"),
    ]
    assert found[2].message == (
        "Run 11, job 8: after 1800 s, est_time 400.\nNot measured: no pass in the window can be used: timed out."
    )
    assert found[3].message == (
        "Slowest pass 310 s (passes: 1, nights: 1). Rule: max x 1.25. Timeout limit 1800 s as before."
    )
    assert found[4].message == "No pass in the window can be used: the test file has changed since the run."


def test_an_earlier_nights_timeout_is_not_this_nights() -> None:
    given = small()
    later = run(12, job(20, scheduled(OTTER, run_id=RunId(12))))
    check = NightlyCheck(replace(given, runs=(*given.runs, later)), later.run)
    assert [note.level for note in nightly_notes(check).annotations if note.path == NEWT] == [AnnotationLevel.NOTICE]
    assert "timed out" not in nightly_title(check)


@pytest.mark.parametrize(("slowest", "level"), [(1619, AnnotationLevel.WARNING), (1620, AnnotationLevel.FAILURE)])
def test_a_pass_within_a_tenth_of_the_limit_is_a_failure(slowest: int, level: AnnotationLevel) -> None:
    passed = sample(scheduled(OTTER, elapsed_s=slowest))
    given = evaluation(run(11), samples=(passed,), decisions=(proposal(registration(OTTER), 2100, passed),))
    (note,) = notes(given)
    assert note.level is level
    assert ("within 10 % of the limit of 1800 s" in note.title) is (level is AnnotationLevel.FAILURE)
    assert "est_time 400 → 2100" in f"{note.title}\n{note.message}"


def test_what_is_right_or_does_not_matter_has_no_annotation() -> None:
    passed = sample(scheduled(OTTER, elapsed_s=160))
    for reason in (KeepReason.EQUAL, KeepReason.IMMATERIAL):
        kept = Keep(registration(OTTER), reason, "", estimate(200, 160), 200, 1800, (passed,))
        assert notes(evaluation(run(11), samples=(passed,), decisions=(kept,))) == ()


def test_a_raise_that_only_tries_is_said_to_be_no_measurement() -> None:
    tried = replace(proposal(registration(OTTER), 2100), flags=(Flag.PROBE,))
    (note,) = notes(evaluation(run(11), decisions=(tried,)))
    assert (note.level, note.title) == (AnnotationLevel.WARNING, "est_time 400 → 2100, to be tried")
    assert "slowest pass" not in note.message.lower()


def test_what_only_the_cap_keeps_is_off_as_the_others_are() -> None:
    kept = Keep(registration(OTTER), KeepReason.OVER_CAP, "", estimate(800, 600), 800, 1800)
    assert [note.level for note in notes(evaluation(run(11), decisions=(kept,)))] == [AnnotationLevel.WARNING]


def test_lines_are_those_of_the_commit_the_check_run_is_on() -> None:
    there = registration(OTTER, 300, line=40, est_line=42, blob=blob("9"))
    found = notes(small(), otter=SourceRegistrations(OTTER, blob("9"), (there,)))
    (note,) = [one for one in found if one.path == OTTER]
    assert (note.line, note.title) == (42, "est_time 400 → 800")
    assert note.message.endswith("\nest_time has changed since: 300 here, 400 at main.")


def test_a_registration_that_is_not_at_the_commit_is_counted_and_not_pointed_at() -> None:
    for source in (None, SourceRegistrations(OTTER, blob("9"))):
        check = seen(small(), otter=source)
        found = nightly_notes(check)
        assert found.elsewhere == 1
        assert OTTER not in {note.path for note in found.annotations}
        assert "1 registration with something to say, not at this commit" in nightly_summary(check, found, Links())


def test_a_refused_call_of_a_file_that_is_another_at_the_commit_is_read_there() -> None:
    given = small()
    calls = (replace(given.refused_calls[0], line=3, reason=EditRefusal.STARRED_ARGUMENTS),)
    assert notes(given, boar=SourceRegistrations(BOAR, blob("9"), refused=calls))[0].line == 3
    assert BOAR not in {note.path for note in notes(given, boar=None)}


def test_order_of_decisions_does_not_matter() -> None:
    given = small()
    assert notes(replace(given, decisions=given.decisions[::-1])) == notes(given)


def test_more_than_can_be_sent_keeps_the_worst_and_counts_the_rest() -> None:
    given = small()
    found = nightly_notes(seen(given), most=2)
    assert [note.level for note in found.annotations] == [AnnotationLevel.FAILURE, AnnotationLevel.WARNING]
    assert found.left_out == 3
    assert "3 annotations left out" in nightly_summary(seen(given), found, Links())


def test_nothing_to_say_is_still_a_whole_check_run() -> None:
    made = nightly_report(seen(evaluation()), NIGHTLY, Links(), "never", (REEVALUATE,))
    assert (made.annotations, made.title) == ((), "No literal has to change.")
    assert (made.name, made.conclusion) == ("recalibrate / nightly", CheckConclusion.NEUTRAL)


def test_a_timeout_fails_the_check_run_only_where_that_is_wanted() -> None:
    for fail_on, wanted in (("never", CheckConclusion.NEUTRAL), ("timeout", CheckConclusion.FAILURE)):
        assert nightly_report(seen(small()), NIGHTLY, Links(), fail_on, ()).conclusion is wanted  # type: ignore[arg-type]
    quiet = replace(small(), runs=())
    assert nightly_report(seen(quiet), NIGHTLY, Links(), "timeout", ()).conclusion is CheckConclusion.NEUTRAL


def test_the_summary_counts_by_suite_and_says_the_coverage() -> None:
    text = nightly_summary(seen(small()), Notes(), Links())
    assert (
        "| **All** | 5 | 3 | 60 % | 1 | 1 | 1 | 1 | 2 |\n| `stage-q-4-gpu` | 5 | 3 | 60 % | 1 | 1 | 1 | 0 | 2 |" in text
    )
    assert "Nothing is published for this run" in text
    assert "Nothing is published" not in nightly_summary(
        seen(small()), Notes(), Links(evidence_csv="https://a.example/e")
    )


def test_a_summary_of_long_two_byte_names_is_cut_under_the_byte_limit_with_a_count_and_the_csv() -> None:
    given = large(400)
    decisions = tuple(
        replace(item, registration=registration("ä" * 190 + f"{number:03d}", 500))
        for number, item in enumerate(given.decisions)
    )
    links = Links(evidence_csv="https://a.example/evidence.csv")
    text = nightly_summary(seen(replace(given, decisions=decisions)), Notes(), links)
    assert len(text.encode()) <= CHECK_FIELD_LIMIT
    assert "smaller changes more" in text
    assert "[`evidence.csv`](https://a.example/evidence.csv)" in text
    assert all(line.endswith(" |") or not line.startswith("| ") for line in text.split("\n"))


def test_the_title_is_one_plain_line() -> None:
    assert nightly_title(seen(small())) == "Raises 1 est_time literal. 1 file timed out."


def test_an_annotation_holds_no_invisible_character_and_a_line_of_at_least_one() -> None:
    calls = (replace(small().refused_calls[0], path=TestPath("a.py"), line=0, detail="x\u202e\x1b\n" + "y" * 9000),)
    (note,) = notes(replace(evaluation(run(11)), refused_calls=calls))
    assert note.line == 1
    assert note.message.startswith("est_time is computed: x\\u202e\\x1b\\x0ayyy")
    assert len(note.message) == 4000


def test_a_timed_out_file_without_a_registration_is_counted() -> None:
    row = scheduled("tests/zoo/test_ibex.py", status=Status.TIMEOUT)
    check = seen(evaluation(run(11, job(7, row))))
    assert nightly_notes(check) == Notes()
    assert nightly_title(check).endswith("1 file timed out.")


def test_a_check_run_says_what_it_is_about() -> None:
    pressed = replace(NIGHTLY, kind=TaskKind.CHECK_ACTION, delivery="g2", action=CheckAction.REEVALUATE)
    assert nightly_identity(NIGHTLY) != nightly_identity(pressed)
    for request in (NIGHTLY, pressed):
        assert about(nightly_identity(request)) == About(run_id=11, attempt=1)
    pull = TaskRequest(TaskKind.PULL_REQUEST, 9, RepositoryId(5), number=7, head_sha="a" * 40, base="release/1")
    assert about(registrations_identity(pull)) == About(number=7, base="release/1")
    again = replace(pull, action="reopened", delivery="g3")
    assert registrations_identity(again) != registrations_identity(pull)
    assert about(registrations_identity(replace(pull, base="x" * 200))) is None
    for other in ("", "nightly:11", "nightly:x:1:", "registrations:7::a b", "deploy-42", "nightly:1:1:\n"):
        assert about(other) is None


@pytest.mark.parametrize("button", [REEVALUATE, OPEN_PULL_REQUEST])
def test_buttons_keep_to_githubs_lengths(button: object) -> None:
    assert len(button.label) <= 20  # type: ignore[attr-defined]
    assert len(button.description) <= 40  # type: ignore[attr-defined]
    assert len(button.identifier) <= 20  # type: ignore[attr-defined]
