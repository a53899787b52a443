"""A check run's texts and annotations."""

from __future__ import annotations

from dataclasses import replace

from bot.domain import RejectionReason, Status, TestPath
from bot.publish.budget import CHECK_FIELD_LIMIT
from bot.publish.check_text import batches, nightly_annotations, nightly_summary, nightly_title
from bot.publish.links import Links
from bot.publish.ports import AnnotationLevel
from tests.unit.publish.evaluations import evaluation, large, registration, rejection, scheduled, small


def test_each_literal_that_needs_a_look_has_an_annotation_on_its_line() -> None:
    notes = nightly_annotations(small())
    assert [(note.path, note.line, note.level, note.title) for note in notes] == [
        ("tests/zoo/test_boar.py", 12, AnnotationLevel.NOTICE, "This registration cannot be edited"),
        ("tests/zoo/test_lynx.py", 5, AnnotationLevel.NOTICE, "est_time 400 kept; the nights say 100"),
        ("tests/zoo/test_newt.py", 5, AnnotationLevel.FAILURE, "Timed out"),
        ("tests/zoo/test_otter.py", 5, AnnotationLevel.WARNING, "est_time 400 → 800"),
    ]
    assert notes[2].message == "Run 11, job 8: after 1800 s, est_time 400"
    assert notes[3].message == (
        "Slowest pass 310 s (passes: 1, nights: 1). Rule: max x 1.25. Timeout limit 1800 s now, 1800 s then."
    )


def test_120_findings_go_in_requests_of_50_50_and_20() -> None:
    notes = nightly_annotations(large(120))
    cut = batches(notes)
    assert [len(part) for part in cut] == [50, 50, 20]
    assert sum(cut, ()) == notes


def test_no_finding_is_one_request_that_makes_the_check() -> None:
    assert nightly_annotations(evaluation()) == ()
    assert batches(()) == ((),)


def test_order_of_decisions_does_not_matter() -> None:
    given_ = small()
    assert nightly_annotations(replace(given_, decisions=given_.decisions[::-1])) == nightly_annotations(given_)


def test_a_summary_of_long_two_byte_names_is_cut_under_the_byte_limit_with_a_count_and_the_csv() -> None:
    given_ = large(400)
    decisions = tuple(
        replace(item, registration=registration("ä" * 190 + f"{number:03d}", 500))
        for number, item in enumerate(given_.decisions)
    )
    text = nightly_summary(replace(given_, decisions=decisions), Links(evidence_csv="https://a.example/evidence.csv"))
    assert len(text.encode()) <= CHECK_FIELD_LIMIT
    assert "smaller changes more" in text
    assert "[`evidence.csv`](https://a.example/evidence.csv)" in text
    assert text.rsplit("\n| ", 1)[1].count("|") > 5


def test_the_title_is_one_plain_line() -> None:
    assert nightly_title(small()) == "Raises 1 est_time literal."
    assert nightly_title(evaluation()) == "No literal has to change."


def test_an_annotation_holds_no_invisible_character_and_a_line_of_at_least_one() -> None:
    row = scheduled("tests/zoo/test_newt.py", status=Status.TIMEOUT, elapsed_s=None)
    given_ = small()
    calls = (replace(given_.refused_calls[0], path=TestPath("a.py"), line=0, detail="x\u202e\x1b\n" + "y" * 9000),)
    (note,) = nightly_annotations(
        replace(evaluation(), refused_calls=calls, rejections=(rejection(row, RejectionReason.TIMEOUT),))
    )
    assert note.line == 1
    assert note.message.startswith("Est_time is computed: x\\u202e\\x1b\\x0ayyy")
    assert len(note.message) == 4000
