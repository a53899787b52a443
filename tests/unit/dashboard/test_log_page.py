"""The page of a job's kept lines: each has its number as its address, and its text as it was, made visible."""

from __future__ import annotations

from bot.dashboard.log_page import LONGEST_LINE, MOST_LINES, render_log
from bot.dashboard.templates import Frame
from bot.dashboard.views import LogView
from bot.domain import Job, JobId
from bot.overview import KeptLog
from tests.unit.dashboard.page_values import HOSTILE, HOSTILE_SHOWN, REPOSITORY, SERVER, run

JOB = Job(JobId(901), "stage-b (0)", 1, "success", runner_name="h100-01")


def page(lines: dict[int, str]) -> str:
    return render_log(LogView(REPOSITORY, SERVER, KeptLog(run(1), JOB, lines)), Frame(login="mona"))


def test_a_line_is_found_by_its_number() -> None:
    html = page({40: "elapsed=500", 7: "plan"})
    assert '<tr id="L40">' in html
    assert "<code>elapsed=500</code>" in html
    assert 'href="https://github.example/zoo/engine/actions/runs/101/job/901"' in html


def test_hostile_lines_are_text() -> None:
    html = page({1: HOSTILE})
    assert "<script" not in html
    assert HOSTILE_SHOWN in html


def test_a_flood_of_lines_is_cut_and_counted() -> None:
    html = page(dict.fromkeys(range(1, MOST_LINES + 3), "x"))
    assert html.count('<tr id="L') == MOST_LINES
    assert "2 further ones are not shown" in html


def test_without_lines_it_says_where_they_are() -> None:
    assert "No line of this log is kept." in page({})


def test_an_endless_line_is_cut() -> None:
    html = page({1: "x" * 65_536})
    assert f"<code>{'x' * (LONGEST_LINE - 1)}…</code>" in html
