"""Answers to comments: what they show, where log lines are linked, and that they fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import TestPath
from bot.publish.answer import full_answer, short_answer
from bot.publish.budget import BODY_LIMIT
from bot.publish.compare_answer import compare_answer
from bot.publish.comparison import Compared
from bot.publish.explanation import LinePlaces, Wanted, explanation, unknown
from bot.publish.lines import CitedText, cited_logs
from bot.publish.links import Links
from tests.unit.publish.evaluations import BOAR, large, small
from tests.unit.publish.lines_reader import lines_txt

OTTER, LYNX, NEWT = (TestPath(f"tests/zoo/test_{name}.py") for name in ("otter", "lynx", "newt"))
LINKS = Links(server="https://github.com")


def lines_file() -> bytes:
    logs = cited_logs(small())
    return lines_txt(logs, {log.source: {n: CitedText(f"line {n}".encode()) for n in log.roles} for log in logs})


def test_log_lines_are_linked_to_where_the_published_file_has_them() -> None:
    text = lines_file()
    places = LinePlaces.of({"https://github.com/zoo/keeper/blob/c/lines.txt": text})
    for (source, number), (_, place) in places.places.items():
        line = text.decode().split("\n")[place - 1]
        assert line.startswith(f"{number}\t")
        assert f"\t{source}\t" in "\n".join(text.decode().split("\n")[:place])
    answer = explanation(small(), Wanted(OTTER), LINKS, places)
    assert answer.count("lines.txt#L") == 3 * 1
    assert "lines.txt" not in explanation(small(), Wanted(OTTER), LINKS, LinePlaces())


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (OTTER, ("**Raise to 800.**", "| yes |", "no: job carried over")),
        (LYNX, ("**Not changed:**", "complete nights")),
        (NEWT, ("no accepted pass", "| timed out |", "no: timed out")),
        (BOAR, ("Calls that cannot be read", "line 12")),
    ],
)
def test_an_explanation_says_what_was_decided_and_why(path: TestPath, said: tuple[str, ...]) -> None:
    assert Wanted(path).known(small())
    answer = explanation(small(), Wanted(path), LINKS, LinePlaces())
    assert [words for words in said if words not in answer] == []


def test_an_unknown_path_and_a_suite_that_has_it_not_are_told() -> None:
    assert not Wanted("tests/zoo/test_oter.py").known(small())
    assert f"Nearest: `{OTTER}`" in unknown(small(), Wanted("tests/zoo/test_oter.py"))
    assert not Wanted(OTTER, "stage-z-*").known(small())


def test_a_long_evaluation_fits_into_a_comment() -> None:
    whole = large(900, 120)
    assert len(full_answer(whole, LINKS, "Said.").encode()) < BODY_LIMIT
    compared = [Compared(one, None, 1800) for one in whole.decisions]
    answer = compare_answer(compared, (), " Said.", "")
    assert len(answer.encode()) < BODY_LIMIT
    assert " more." in answer
    assert len(short_answer(whole, LINKS, "Said.")) < 2000


def test_a_limit_that_would_have_killed_a_known_pass_is_named() -> None:
    one = small().decisions[0]
    answer = compare_answer([Compared(one, None, 300, 310, 990, (), ("nope",))], (), " Said.", "")
    assert "the limit would have killed a pass of 310 s" in answer
    assert "an earlier form of the file passed in 990 s" in answer
    assert "unknown labels: `nope`" in answer


def test_what_was_narrowed_or_only_reported_says_so() -> None:
    answer = full_answer(replace(small(), narrowed="suite stage-b-*", report_only="run 4 is none"), LINKS, "Said.")
    assert "Narrowed to suite `stage-b-*`" in answer
    assert "**Report only:** run 4 is none" in answer
