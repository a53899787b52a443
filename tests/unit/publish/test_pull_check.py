"""A pull request's check run: when it fails, what it points at, and that nothing it shows is more than text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.config_file import Problem
from bot.domain import EditRefusal, Keep, KeepReason, RefusedCall, Suite, TestPath
from bot.publish.budget import CHECK_FIELD_LIMIT
from bot.publish.comparison import Compared, Comparison
from bot.publish.links import Links
from bot.publish.ports.checks import AnnotationLevel, CheckConclusion
from bot.publish.pull_check import Subject, pull_report
from bot.publish.pull_notes import pull_notes, remarks_on
from tests.unit.publish.evaluations import BASE, HEAD, estimate, proposal, registration, run, sample, scheduled

OTTER = TestPath("tests/zoo/test_otter.py")
SUBJECT = Subject("registrations:7::main", Links(server="https://github.com"))
PASS = sample(scheduled(OTTER))
OFF = Compared(proposal(registration(OTTER, 4000), 400, PASS), registration(OTTER, 400), 5000, 310)
RIGHT = Compared(Keep(registration(OTTER), KeepReason.EQUAL, "", estimate(400, 310), samples=(PASS,)), None, 1800, 310)
NEW = Compared(Keep(registration(OTTER), KeepReason.NO_SAMPLE), None, 1800)
KILLS = Compared(proposal(registration(OTTER, 10), 2400, PASS), registration(OTTER, 1500), 1800, 1844)
REFUSED = RefusedCall(OTTER, 3, EditRefusal.STARRED_ARGUMENTS, "*ARGS")


def comparison(*compared: Compared, **facts: object) -> Comparison:
    return Comparison("zoo/keeper", HEAD, "main", BASE, compared, runs=(run(11).run,), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "fail_on", "wanted"),
    [
        (comparison(), "never", CheckConclusion.SKIPPED),
        (comparison(RIGHT), "never", CheckConclusion.SUCCESS),
        (comparison(NEW), "timeout", CheckConclusion.SUCCESS),
        (comparison(OFF), "timeout", CheckConclusion.NEUTRAL),
        (comparison(KILLS), "never", CheckConclusion.NEUTRAL),
        (comparison(KILLS), "timeout", CheckConclusion.FAILURE),
        (comparison(refused=(REFUSED,)), "never", CheckConclusion.NEUTRAL),
        (comparison(disabled=1), "never", CheckConclusion.SUCCESS),
        (comparison(config=()), "never", CheckConclusion.SUCCESS),
        (comparison(config=(Problem(2, "mode", "no"),)), "never", CheckConclusion.FAILURE),
        (comparison(unusable="GitHub did not answer"), "timeout", CheckConclusion.NEUTRAL),
    ],
)
def test_it_always_concludes_and_fails_only_where_that_is_wanted(
    given: Comparison, fail_on: str, wanted: CheckConclusion
) -> None:
    made = pull_report(given, replace(SUBJECT, fail_on=fail_on))  # type: ignore[arg-type]
    assert made.conclusion is wanted
    assert made.title
    assert made.summary
    assert (made.name, made.head_sha, made.identity) == ("recalibrate / registrations", HEAD, SUBJECT.identity)


def test_each_kind_of_remark_has_its_level_and_words() -> None:
    said = [(one[0].level, one[0].title) for one in map(remarks_on, (OFF, NEW, KILLS))]
    assert said == [
        (AnnotationLevel.WARNING, "The nights say est_time 400, not 4000"),
        (AnnotationLevel.NOTICE, "New registration without measurements"),
        (AnnotationLevel.FAILURE, "The limit of 1800 s kills a pass of 1844 s"),
    ]
    assert remarks_on(RIGHT) == []


@pytest.mark.parametrize(
    ("after_s", "said"), [(1800, "1800 s at either value."), (2500, "1800 s as written, 2500 s at 400.")]
)
def test_a_limit_that_the_value_leaves_alone_is_said_once(after_s: int, said: str) -> None:
    moved = replace(proposal(registration(OTTER, 300), 400, PASS), timeout_after_s=after_s)
    (remark,) = remarks_on(replace(OFF, decision=moved))
    assert remark.text.endswith(f"Timeout limit {said}")


def test_what_only_an_unattended_edit_is_held_back_from_is_off_and_the_rest_is_not_certain() -> None:
    for reason, level in (
        (KeepReason.LARGE_DROP, AnnotationLevel.WARNING),
        (KeepReason.OVER_CAP, AnnotationLevel.WARNING),
        (KeepReason.TOO_FEW_NIGHTS, AnnotationLevel.NOTICE),
        (KeepReason.TIMEOUT_IN_WINDOW, AnnotationLevel.NOTICE),
    ):
        kept = Keep(registration(OTTER, 4000), reason, "why", estimate(400, 310), 400, 5000, (PASS,))
        (found,) = remarks_on(Compared(kept, None, 5000, 310))
        assert found.level is level
        assert "why" in found.text


def test_a_new_key_of_a_known_test_says_what_is_known() -> None:
    (found,) = remarks_on(replace(NEW, earlier_pass_s=290, elsewhere=(Suite("lane-9"),)))
    assert "In an earlier form it passed in 290 s." in found.text
    assert "Measured on other suites: lane-9." in found.text


def test_annotations_stand_on_the_literal_the_call_and_the_configurations_line() -> None:
    given = comparison(OFF, RIGHT, refused=(REFUSED,), config=(Problem(9, "a.b", "unknown key"),))
    assert [(note.path, note.line, note.level) for note in pull_notes(given)] == [
        (".github/recalibrate.yml", 9, AnnotationLevel.FAILURE),
        (OTTER, 5, AnnotationLevel.WARNING),
        (OTTER, 3, AnnotationLevel.WARNING),
    ]
    assert len(pull_notes(comparison(*[OFF] * 900))) == 500


def test_the_table_shows_what_is_written_and_what_the_nights_say() -> None:
    text = pull_report(comparison(OFF, NEW, RIGHT), SUBJECT).summary
    assert (
        "| 400 → **4000** | [310 s](https://github.com/zoo/keeper/actions/runs/11/job/7) | 1 | 1 | 400 | 5000 s |"
        in text
    )
    assert "| new → **400** | - | 0 | 0 | - | 1800 s | New registration without measurements |" in text
    assert "Compared with 1 night;" in text


def test_hostile_names_stay_text_and_a_long_table_is_cut_at_a_row() -> None:
    nasty = "tests/`@octo|<img>\u202e\n# x"
    many = [
        replace(OFF, decision=proposal(registration(f"{nasty}{'ä' * 150}{n}", 4000), 400, PASS)) for n in range(900)
    ]
    made = pull_report(comparison(*many, unusable="@octo <script>"), SUBJECT)
    assert len(made.summary.encode()) <= CHECK_FIELD_LIMIT
    assert "registrations more." in made.summary
    assert all(line.endswith(" |") for line in made.summary.split("\n") if line.startswith("| "))
    for word in ("@octo", "<img>", "<script>", "\u202e"):
        assert word not in made.summary.replace("`@octo`", "").replace("\\x40octo", "")
    assert all("\u202e" not in note.message and len(note.title) <= 255 for note in made.annotations)


def test_unknown_labels_are_named_and_bounded() -> None:
    (found,) = remarks_on(replace(RIGHT, unknown_labels=tuple(f"l{n}" for n in range(99))))
    assert "'l0', 'l1'" in found.text
    assert "l20" not in found.text
