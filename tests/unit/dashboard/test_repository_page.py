"""The page of one repository: what is off, what became of each night, and what to do where something is missing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from bot.dashboard.reading import MOST, repository_asked
from bot.dashboard.repository_page import RANKS_PLOTTED, SUITES_PLOTTED, render_repository
from bot.dashboard.templates import Frame
from bot.dashboard.views import RepositoryAsked
from bot.domain import (
    EditRefusal,
    Evaluation,
    KeepReason,
    NotPacked,
    NotPackedReason,
    PartitionLoad,
    PolicyStamp,
    Suite,
)
from bot.overview import Held, KeyOverview, Listed
from bot.publish.wording import KEEP, NOT_PACKED
from bot.records.repositories import ConfigSnapshot, ConfigStatus, RepositoryState
from tests.unit.dashboard.page_values import (
    BASE,
    HOSTILE,
    HOSTILE_SHOWN,
    KEY,
    SERVER,
    ended,
    full_view,
    keep,
    night,
    partitions,
    proposal,
    registration,
    repository_view,
)

FRAME = Frame(login="mona")
SECTIONS = ("off", "nights", "coverage", "partitions", "edits", "tests", "tasks")


def section(html: str, name: str) -> str:
    """One part of the page, its tags and line breaks as they are."""
    return html.partition(f'<h2 id="{name}">')[2].partition("<h2 ")[0]


def cells(html: str) -> list[list[str]]:
    """The text of every cell of a part's tables, row by row."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    rows = [row for body in bodies for row in re.findall(r"<tr.*?>(.*?)</tr>", body, re.DOTALL)]
    found = [re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]
    return [[re.sub(r"[ \n]+", " ", re.sub(r"<[^>]+>", " ", cell)).strip() for cell in row] for row in found]


@pytest.mark.parametrize("name", [name for name in SECTIONS if name != "coverage"])
def test_each_empty_part_says_what_is_missing_and_what_to_do(name: str) -> None:
    part = section(render_repository(repository_view(), FRAME), name)
    assert re.search(r'<p class="empty"><b>[^<]+\.</b> [^<]+\.</p>', part)


def test_what_is_off_shows_literal_estimate_and_what_becomes_of_it() -> None:
    rows = cells(section(render_repository(full_view(), FRAME), "off"))
    test = "tests/test_otter.py stage-b, cuda"
    assert rows == [
        [test, "raise", "600", "700", "+17&nbsp;%", "500", "2 / 2", "1\u202f800"],
        [
            test,
            f"stays: {KEEP[KeepReason.TOO_FEW_NIGHTS]}",
            "600",
            "400",
            "\u221233&nbsp;%",
            "500",
            "2 / 2",
            "1\u202f800",
        ],
    ]


def test_a_literal_that_cannot_be_read_is_not_shown_as_a_number() -> None:
    computed = replace(registration(0), est_refusal=EditRefusal.EST_TIME_NOT_LITERAL)
    view = full_view(off=Listed((replace(keep(KeepReason.CANNOT_EDIT), registration=computed),)))
    assert cells(section(render_repository(view, FRAME), "off"))[0][2:5] == ["—", "400", "—"]


def test_a_test_links_to_its_page() -> None:
    assert 'href="/pages/r/7/test?path=tests%2Ftest_otter.py&amp;backend=cuda&amp;suite=stage-b"' in render_repository(
        full_view(), FRAME
    )


def test_a_night_shows_its_files_its_coverage_and_its_outcome() -> None:
    nights = Listed((night(2, ended()), night(1, evaluated=1)))
    part = section(render_repository(full_view(nights=nights), FRAME), "nights")
    assert 'href="/pages/r/7/evidence.csv?run=101&amp;attempt=1"' in part
    rows = cells(part)
    assert rows == [
        [
            "2026-09-03 02:30",
            "102",
            "8",
            "1",
            "0",
            "2",
            "60.0&nbsp;%",
            "80.0&nbsp;%",
            "published pull request #12",
            "—",
        ],
        [
            "2026-09-02 02:30",
            "101",
            "8",
            "1",
            "0",
            "2",
            "60.0&nbsp;%",
            "80.0&nbsp;%",
            "no task has ended",
            "evidence.csv of run 101",
        ],
    ]


def test_a_night_without_measured_runs_has_no_share() -> None:
    view = full_view(nights=Listed((night(1, held=Held()),)))
    assert cells(section(render_repository(view, FRAME), "nights"))[0][6:8] == ["—", "—"]


def test_attempts_and_lost_logs_of_a_night_are_said() -> None:
    suites = tuple(Suite(f"stage-{number}") for number in range(7))
    view = full_view(nights=Listed((night(1, attempts=3, partial=suites),)))
    part = " ".join(section(render_repository(view, FRAME), "nights").split())
    assert "3 attempts" in part
    assert "A log is lost: stage-0, stage-1, stage-2, stage-3, stage-4 and 2 more." in part


def test_what_only_the_operator_should_read_is_not_shown() -> None:
    view = full_view(nights=Listed((night(1, ended("internal_error", "KeyError: secret")),)), outcomes=())
    html = render_repository(view, FRAME)
    assert "internal error" in html
    assert "secret" not in html


def test_an_outcome_that_is_an_address_on_github_is_a_link_and_no_other_is() -> None:
    ours, foreign = f"{SERVER}/zoo/engine/pull/12", "https://elsewhere.example/pull/12"
    nights = Listed((night(2, ended(detail=ours)), night(1, ended(detail=foreign))))
    part = section(render_repository(full_view(nights=nights), FRAME), "nights")
    assert f'<a href="{ours}">zoo/engine/pull/12</a>' in part
    assert foreign in part
    assert f'href="{foreign}"' not in part


def test_the_open_pull_request_is_linked() -> None:
    html = render_repository(full_view(), FRAME)
    assert '<a href="https://github.example/zoo/engine/pull/12">#12</a> for main' in html


def test_partitions_show_makespan_and_every_rank_before_and_after() -> None:
    part = section(render_repository(full_view(), FRAME), "partitions")
    assert "Makespan 800 s at the present literals, 500 s at the proposed ones" in part
    assert cells(part) == [["0", "800", "500"], ["1", "200", "500"]]
    assert part.count('class="bar"') == 4


def test_no_more_suites_and_ranks_are_drawn_than_fit_and_the_table_has_all() -> None:
    wide = PartitionLoad((), (), tuple(float(rank) for rank in range(RANKS_PLOTTED + 5)))
    many = tuple(
        replace(partitions(), suite=Suite(f"stage-{number}"), before=wide, after=wide)
        for number in range(SUITES_PLOTTED + 2)
    )
    part = section(render_repository(full_view(evaluation=_evaluation(partitions=many)), FRAME), "partitions")
    assert part.count('role="img"') == SUITES_PLOTTED
    assert part.count('class="bar"') == SUITES_PLOTTED * RANKS_PLOTTED * 2
    assert len(cells(part)) == len(many) * (RANKS_PLOTTED + 5)
    assert f"The first {RANKS_PLOTTED} of {RANKS_PLOTTED + 5} ranks are drawn" in " ".join(part.split())


def test_a_load_without_bounds_is_not_drawn_and_breaks_nothing() -> None:
    endless = PartitionLoad((), (), (float("inf"), 1.0))
    suites = (replace(partitions(), after=endless),)
    part = section(render_repository(full_view(evaluation=_evaluation(partitions=suites)), FRAME), "partitions")
    assert "<svg" not in part
    assert cells(part) == [["0", "800", "inf"], ["1", "200", "1"]]


def test_a_suite_that_is_not_packed_has_its_reason() -> None:
    one = NotPacked(KEY.suite, KEY.backend, NotPackedReason.PLAN_MISSING, "run 1 shows 2 of 3 plans")
    part = section(render_repository(full_view(evaluation=_evaluation(not_packed=(one,))), FRAME), "partitions")
    assert f"not planned, {NOT_PACKED[one.reason]} (run 1 shows 2 of 3 plans)." in part


def test_edits_show_how_many_literals_each_pull_request_moved() -> None:
    part = section(render_repository(full_view(), FRAME), "edits")
    assert cells(part) == [["#12", "main", "2026-09-01 02:30", "3", "1", "open", "—"]]
    assert "pull request #12: 3, raised" in part


def test_trouble_stands_at_the_top_with_its_remedy() -> None:
    state = RepositoryState(ConfigSnapshot(ConfigStatus.INVALID, problems=("line 3: unknown key",)), paused=True)
    html = render_repository(full_view(state=state), FRAME)
    assert html.index("Paused by a person.") < html.index('<h2 id="off">')
    assert "Mend .github/recalibrate.yml. line 3: unknown key" in html


def test_a_further_part_of_one_list_leaves_the_others_where_they_are() -> None:
    tests = Listed((KeyOverview(KEY, 600.0, 3, 0, 500),), more=True)
    view = full_view(off=Listed((proposal(),), more=True), tests=tests, asked=RepositoryAsked(off=25, find="a b"))
    html = render_repository(view, FRAME)
    assert 'href="/pages/r/7?off=50&amp;find=a+b#off"' in html
    assert 'href="/pages/r/7?off=25&amp;tests=50&amp;find=a+b#tests"' in html


def test_nothing_found_is_not_nothing_there() -> None:
    html = render_repository(full_view(asked=RepositoryAsked(find="owl")), FRAME)
    assert 'value="owl"' in html
    assert "No test of the last nights has that in its path or suite." in html


def test_hostile_names_are_text_wherever_they_stand() -> None:
    suite = Suite(HOSTILE)
    view = full_view(
        repository=replace(full_view().repository, full_name=HOSTILE),
        evaluation=_evaluation(partitions=(replace(partitions(), suite=suite),)),
        nights=Listed((night(1, ended(detail=HOSTILE), partial=(suite,)),)),
        asked=RepositoryAsked(find=HOSTILE),
        off=Listed((keep(), replace(proposal(), registration=replace(proposal().registration, key=_key(suite))))),
    )
    html = render_repository(view, FRAME)
    assert "<script" not in html
    assert "\u202e" not in html
    assert html.count(HOSTILE_SHOWN) >= 6


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ({}, RepositoryAsked()),
        ({"off": "25", "find": "  otter "}, RepositoryAsked(off=25, find="otter")),
        ({"off": "-1", "nights": "x", "tests": "\uff11", "edits": ""}, RepositoryAsked()),
        ({"off": str(MOST), "nights": str(MOST + 1)}, RepositoryAsked(off=MOST)),
    ],
    ids=["nothing", "offset and words", "no numbers", "too large"],
)
def test_an_address_that_asks_for_nonsense_gets_the_beginning(query: dict[str, str], asked: RepositoryAsked) -> None:
    assert repository_asked(query) == asked


def _evaluation(**parts: object) -> Evaluation:
    return Evaluation("zoo/engine", "main", BASE, PolicyStamp("default"), **parts)  # type: ignore[arg-type]  # by name


def _key(suite: Suite) -> object:
    return replace(KEY, suite=suite)
