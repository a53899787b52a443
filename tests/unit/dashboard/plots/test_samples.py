"""The plot of one test: nothing is left out, nothing runs, and the steps are where the literals change."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.dashboard.plots.drawing import Plot, Words
from bot.dashboard.plots.marks import NOT_JUDGED, SHAPES
from bot.dashboard.plots.samples import MANY, Point, Step, samples_plot

DAY = datetime(2026, 9, 1, 2, 30, tzinfo=UTC)
WORDS = Words("samples", "Measurements", "told")
HOSTILE = "<script>alert(1)</script>\u202e\x00\x1b]8;;&\"'\ud800"

days = st.integers(0, 90).map(lambda number: DAY + timedelta(days=number))
points = st.builds(
    Point,
    at=days,
    elapsed_s=st.none() | st.integers(0, 2**63 - 1),
    host=st.sampled_from(["a", "b", "", HOSTILE]) | st.text(max_size=5),
    told=st.text(max_size=20),
    address=st.just("https://github.example/zoo/engine/actions/runs/1/job/2?a=1&b=2#L3"),
    letter=st.sampled_from(["", "", "T", "f", "?"]),
    reason=st.text(max_size=10),
)
steps = st.builds(Step, at=days, literal=st.floats(allow_nan=False), limit_s=st.integers(-1, 10**400))

few = settings(max_examples=40, deadline=None, derandomize=True, database=None)


def point(number: int, elapsed_s: int | None, host: str = "a", letter: str = "", told: str = "told") -> Point:
    return Point(DAY + timedelta(days=number), elapsed_s, host, told, f"/log#L{number}", letter, letter and "why")


def step(number: int, literal: float, limit_s: float = 1800) -> Step:
    return Step(DAY + timedelta(days=number), literal, limit_s)


def read(plot: Plot) -> Element:
    return fromstring(plot.svg)  # noqa: S314 - a drawing of our own


def drawn(plot: Plot) -> list[Element]:
    return list(read(plot).iter())


def tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def marks(plot: Plot) -> list[Element]:
    return [one for one in drawn(plot) if {"mark", "boxed"} & set(one.get("class", "").split())]


def lines(plot: Plot) -> list[list[tuple[float, float]]]:
    found = [one for one in drawn(plot) if "reactive" in one.get("class", "") and tag(one) == "path"]
    numbers = [list(map(float, re.findall(r"[\d.]+", one.attrib["d"]))) for one in found]
    return [list(zip(some[::2], some[1::2], strict=True)) for some in numbers]


@few
@given(st.lists(points, min_size=1, max_size=30), st.lists(steps, max_size=5))
def test_every_measurement_has_one_mark_and_one_link_to_its_log(found: list[Point], at: list[Step]) -> None:
    plot = samples_plot(found, at, WORDS)
    assert len(marks(plot)) == len(found)
    assert sum("boxed" in one.get("class", "") for one in marks(plot)) == sum(bool(one.letter) for one in found)
    links = [one for one in drawn(plot) if tag(one) == "a"]
    assert [one.get("href") for one in links] == [found[0].address] * len(found)


@few
@given(st.lists(points, min_size=1, max_size=10), st.lists(steps, max_size=5))
def test_nothing_in_it_runs_reaches_out_or_brings_a_style(found: list[Point], at: list[Step]) -> None:
    elements = drawn(samples_plot(found, at, WORDS))
    assert {tag(one) for one in elements} <= {"svg", "g", "path", "rect", "circle", "text", "title", "desc", "a"}
    names = {name for one in elements for name in one.attrib}
    assert not {name for name in names if name == "style" or name.startswith("on") or "}" in name}


def test_the_lines_change_where_the_literal_does_and_nowhere_else() -> None:
    at = [step(0, 600), step(1, 600), step(2, 900), step(3, 900), step(5, 300)]
    literal, limit = lines(samples_plot([point(0, 500)], at, WORDS))
    corners = [x for (x, y), (_, after) in pairwise(literal) if y != after]
    day = (corners[1] - corners[0]) / 3
    assert len(corners) == 2
    assert corners[0] == pytest.approx(literal[0][0] + 2 * day, abs=0.2)
    assert literal[1][1] > literal[2][1]  # the larger literal is higher up
    assert len({y for _, y in limit}) == 1


def test_a_pass_above_the_literal_stands_above_its_line() -> None:
    plot = samples_plot([point(0, 700), point(1, 500)], [step(0, 600)], WORDS)
    above, below = [float(one.attrib["cy"]) for one in marks(plot)]
    ((_, line), *_), _ = lines(plot)
    assert above < line < below


def test_an_absurd_number_of_seconds_stands_at_the_edge_and_labels_stay_few() -> None:
    plot = samples_plot([point(0, 500), point(1, 2**62)], [step(0, 1e300, 10**300)], WORDS)
    labels = [one.text for one in drawn(plot) if tag(one) == "text"]
    assert len(labels) < 20
    heights = [float(one.attrib["cy"]) for one in marks(plot)]
    assert 0 < heights[1] < heights[0]


def test_what_has_no_time_stands_on_the_bottom_line() -> None:
    plot = samples_plot([point(0, 500), point(1, None, letter="N")], [], WORDS)
    sample, boxed = marks(plot)
    assert float(boxed[0].attrib["y"]) > float(sample.attrib["cy"]) + 20


def test_hosts_have_shapes_of_their_own_and_the_legend_says_whose() -> None:
    plot = samples_plot([point(0, 500, "a"), point(1, 510, "b"), point(2, 505, "b")], [], WORDS)
    shapes = [one.attrib["class"] for one in marks(plot)]
    assert shapes == ["mark circle", "mark circle", "mark square"]  # b was measured more often
    assert [key.text for key in plot.legend] == ["b", "a"]


def test_more_hosts_than_shapes_share_the_last_one_and_are_counted() -> None:
    plot = samples_plot([point(number, 500, f"host-{number}") for number in range(len(SHAPES) + 3)], [], WORDS)
    assert sum(one.attrib["class"] == "mark ring" for one in marks(plot)) == 3
    assert plot.legend[-1].text == "3 other runners"


def test_a_rejected_one_is_a_boxed_letter_that_the_legend_explains() -> None:
    plot = samples_plot([point(0, 500), point(1, 1800, letter="T")], [], WORDS)
    assert [one[1].text for one in marks(plot) if "boxed" in one.attrib["class"]] == ["T"]
    assert plot.legend[-1].text == "not counted: why"


def test_what_nobody_has_judged_is_a_hollow_mark_that_still_tells_its_host() -> None:
    found = [point(0, 500), point(1, 510, "b", NOT_JUDGED), point(2, 520, "b", NOT_JUDGED)]
    plot = samples_plot(found, [], WORDS)
    assert sorted(one.attrib["class"] for one in marks(plot)) == [
        "mark circle hollow",
        "mark circle hollow",
        "mark square",
    ]
    assert [key.text for key in plot.legend] == ["b", "a", "not counted: why"]


def test_no_shape_hides_the_letter_of_a_rejected_one() -> None:
    plot = samples_plot([point(0, 500, "a", "T"), point(0, 500, "a"), point(0, 500, "b")], [], WORDS)
    assert [one.attrib["class"] for one in marks(plot)][-1] == "boxed said"


def test_points_of_many_nights_are_smaller() -> None:
    few_points, many = ([point(number, 500) for number in range(count)] for count in (MANY, MANY + 1))
    radii = [{one.attrib["r"] for one in marks(samples_plot(found, [], WORDS))} for found in (few_points, many)]
    assert radii == [{"4.5"}, {"3.0"}]


def test_it_is_named_and_told_for_who_cannot_see_it() -> None:
    root = read(samples_plot([point(0, 500, told="on a: 500 s")], [], WORDS))
    assert [root[0].text, root[1].text] == ["Measurements", "told"]
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == (root[0].get("id"), root[1].get("id"))
    assert "on a: 500 s" in [one.text for one in root.iter() if tag(one) == "title"]


def test_hostile_names_become_visible_text() -> None:
    plot = samples_plot([point(0, 500, HOSTILE, told=HOSTILE)], [], WORDS)
    assert "<script" not in plot.svg
    assert "\u202e" not in plot.svg
    assert "\\u202e\\x00" in plot.svg


def test_equal_values_give_equal_bytes() -> None:
    made = [samples_plot([point(0, 500), point(1, 510, "b")], [step(0, 600)], WORDS) for _ in range(2)]
    assert made[0] == made[1]
