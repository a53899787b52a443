"""The page of one test: the table holds what the plot shows, each row leads to its log, each no has its reason."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from bot.dashboard.letters import NOT_JUDGED_WORDS
from bot.dashboard.templates import Frame
from bot.dashboard.test_page import render_test
from bot.domain import Flag, KeepReason, PolicyStamp, RejectionReason, Status, Suite, TestPath
from bot.overview import KeyPage, Span, Verdict
from bot.publish.reasons import reasons
from bot.publish.wording import KEEP, REJECTION
from bot.repo_config.runner import Timeout
from tests.unit.dashboard.page_values import (
    HOSTILE,
    HOSTILE_SHOWN,
    KEY,
    judged,
    keep,
    key_view,
    proposal,
)

FRAME = Frame(login="mona")


def body(html: str) -> str:
    return html.partition("<tbody>")[2].partition("</tbody>")[0]


def plot(html: str) -> str:
    return html.partition('<svg xmlns="http://www.w3.org/2000/svg" class="plot"')[2].partition("</svg>")[0]


def test_the_table_holds_every_row_with_its_seconds_its_literal_and_its_limit() -> None:
    html = render_test(key_view(judged(1), judged(0, elapsed_s=512, logged_est_s=2000.0)), FRAME)
    rows = body(html).split("</tr>")[:-1]
    numbers = [re.findall(r'<td class="number">([^<]+)</td>', row) for row in rows]
    assert numbers == [["500", "600", "1\u202f800"], ["512", "2\u202f000", "2\u202f500"]]


def test_a_nights_limit_is_that_of_the_configuration_it_was_evaluated_under() -> None:
    then = Timeout.model_validate({"floor_s": 100, "suites": {"stage-b": {"floor_s": 900}, "stage-*": {"floor_s": 50}}})
    rows = (judged(1), judged(0, policy=PolicyStamp("default", then.stamped())))
    html = render_test(key_view(*rows), FRAME)
    assert [re.findall(r'<td class="number">([^<]+)</td>', row)[2] for row in body(html).split("</tr>")[:-1]] == [
        "1\u202f800",
        "900",
    ]


def test_a_longer_history_is_a_link_away_where_there_is_one() -> None:
    assert "Nights beside one another" not in render_test(key_view(judged(1)), FRAME)
    html = render_test(key_view(judged(1), page=KeyPage((judged(1),), more=True)), FRAME)
    assert "<b>60</b>" in html
    assert re.search(r'show=400#measurements">400</a>', html)
    chosen = render_test(key_view(page=KeyPage((judged(1),), more=True), nights=Span(400)), FRAME)
    assert "<b>400</b>" in chosen
    assert "nights=400&amp;show=400#measurements" in chosen  # what comes after keeps the choice


def test_a_point_and_its_row_lead_to_the_kept_line_of_the_log() -> None:
    html = render_test(key_view(judged(1)), FRAME)
    address = "/pages/r/7/log?run=101&amp;attempt=1&amp;job=901#L40"
    assert address in plot(html)
    assert f'<a href="{address}">timing 40</a>' in body(html)


def test_without_kept_lines_they_lead_to_the_job_on_github() -> None:
    html = render_test(key_view(judged(1, lines_kept=False)), FRAME)
    job = "https://github.example/zoo/engine/actions/runs/101/job/901"
    assert f'href="{job}"' in plot(html)
    assert f'<a href="{job}">h100-01</a>' in body(html)
    assert "timing 40" in body(html)


def test_where_nothing_has_an_address_a_point_leads_to_its_row() -> None:
    html = render_test(key_view(judged(1, lines_kept=False), server=""), FRAME)
    anchor = re.search(r'<tr id="([^"]+)">', html)
    assert anchor is not None
    assert f'href="#{anchor[1]}"' in plot(html)


@pytest.mark.parametrize("reason", RejectionReason, ids=lambda reason: reason.value)
def test_each_reason_for_not_counting_stands_in_the_table_and_in_the_legend(reason: RejectionReason) -> None:
    html = render_test(key_view(judged(1), judged(0, Verdict(reason, "9 of 9"))), FRAME)
    assert f"no: {escape(REJECTION[reason])} (9 of 9)" in body(html)
    assert f"not counted: {escape(REJECTION[reason])}" in html.partition('class="legend"')[2].partition("</ul>")[0]


def test_before_an_evaluation_the_log_says_why_a_row_does_not_count() -> None:
    killed = judged(1, None, status=Status.TIMEOUT)
    html = render_test(key_view(killed, judged(0, None), judged(2, None, carried_over=True)), FRAME)
    found = re.findall(r"no: ([^<]+) <span", body(html))
    assert found == [REJECTION[RejectionReason.TIMEOUT], NOT_JUDGED_WORDS, REJECTION[RejectionReason.CARRIED_OVER]]


def test_what_the_last_decision_rests_on_is_said() -> None:
    html = render_test(key_view(replace(judged(1), decides=True), judged(0)), FRAME)
    assert body(html).count("yes, in the estimate") == 1


@pytest.mark.parametrize("reason", KeepReason, ids=lambda reason: reason.value)
def test_why_a_literal_stays_is_said_in_the_words_of_the_answer(reason: KeepReason) -> None:
    html = render_test(key_view(judged(1), decision=keep(reason, detail="see it")), FRAME)
    assert "<b>Not changed:</b>" in html
    assert f"{KEEP[reason]} (see it); the measurements alone would say 400." in html


def test_a_change_is_said_with_its_rule_and_what_a_person_should_know() -> None:
    decided = replace(proposal(), flags=(Flag.SINGLE_NIGHT,))
    html = render_test(key_view(judged(1), decision=decided), FRAME)
    known = reasons(decided)
    assert "<b>Raise to 700.</b>" in html
    assert known.measured in html
    assert f"<li>{known.flags[0]}.</li>" in html


def test_rows_without_a_date_are_in_the_table_alone_and_that_is_said() -> None:
    undated = judged(0)
    undated = replace(undated, timing=replace(undated.timing, night_at=None))
    html = render_test(key_view(judged(1), undated), FRAME)
    assert "1 row without a date stand in the table alone" in html.replace("\n", " ")
    assert len(body(html).split("</tr>")[:-1]) == 2
    assert plot(html).count('class="mark') == 1


def test_only_undated_rows_give_a_table_without_a_plot() -> None:
    undated = judged(0)
    html = render_test(key_view(replace(undated, timing=replace(undated.timing, night_at=None))), FRAME)
    assert plot(html) == ""
    assert "500" in body(html)


def test_older_and_newer_nights_are_a_link_away_where_there_are_any() -> None:
    alone = render_test(key_view(judged(1)), FRAME)
    assert "Older nights" not in alone
    assert "Newer nights" not in alone
    view = key_view(judged(1))
    middle = render_test(
        replace(view, nights=replace(view.nights, offset=60), page=KeyPage(view.page.rows, True)), FRAME
    )
    here = "/pages/r/7/test?path=tests%2Ftest_otter.py&amp;backend=cuda&amp;suite=stage-b"
    assert f'href="{here}&amp;nights=120#measurements">Older nights' in middle
    assert f'href="{here}#measurements">Newer nights' in middle


@pytest.mark.parametrize("literal", [float("inf"), 1.7e308], ids=["endless", "endless with its factor"])
def test_a_literal_without_bounds_has_no_limit_and_breaks_nothing(literal: float) -> None:
    rows = body(render_test(key_view(judged(1), judged(0, logged_est_s=literal)), FRAME)).split("</tr>")
    assert re.findall(r'<td class="number">([^<]+)</td>', rows[1])[::2] == ["500", "—"]


def test_without_anything_it_says_what_is_missing() -> None:
    html = render_test(key_view(), FRAME)
    assert "No night on record scheduled this test." in html
    assert "No evaluation has decided about this test." in html


def test_hostile_names_are_text_wherever_they_stand() -> None:
    key = replace(KEY, path=TestPath(HOSTILE), suite=Suite(HOSTILE))
    row = judged(1, Verdict(RejectionReason.CHANGED, HOSTILE), runner_name=HOSTILE, path=TestPath(HOSTILE))
    html = render_test(key_view(row, decision=keep(detail=HOSTILE), key=key), FRAME)
    assert "<script" not in html
    assert "\u202e" not in html
    assert html.count(HOSTILE_SHOWN) >= 6
