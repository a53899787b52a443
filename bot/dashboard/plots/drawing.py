"""Turns a chart of pygal into the SVG that a page holds: no script, no style, no comment, a title and a description.

pygal writes a configuration script, a style sheet, hidden tooltips and the date into every chart, and
cannot draw any point but a circle. What a chart shows is the other modules' part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, fromstring, tostring

from markupsafe import Markup

from bot.dashboard.plots.charts import WIDTH
from bot.dashboard.plots.marks import RADIUS, boxed, shape
from bot.publish.visible import visible

_DECIMALS = re.compile(r"(?<=\.\d)\d+")  # behind the first one
_NUMBERS = ("d", "x", "y", "cx", "cy", "width", "height", "transform")
_GONE = frozenset({"defs", "desc"})
_HREF = "{http://www.w3.org/1999/xlink}href"


@dataclass(frozen=True, slots=True)
class Words:
    """What a plot is called and what it says, for who cannot see it. `name` is unique on its page."""

    name: str  # letters, digits and hyphens
    title: str
    description: str


@dataclass(frozen=True, slots=True)
class Key:
    """One line of a legend."""

    mark: Markup
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with its legend."""

    svg: Markup
    legend: tuple[Key, ...]


def point(
    where: tuple[float, float], mark: str, told: str, address: str = "", radius: float = RADIUS
) -> dict[str, Any]:
    """A point of a chart: `mark` names a shape of a radius, or is `=` and a letter that is put into a box.

    A point with an address is a link. It is left out of the order of the Tab key: the table has the same links.
    """
    made: dict[str, Any] = {
        "value": where,
        "tooltip": visible(told),
        "node": {"data-mark": mark, "data-radius": radius},
    }
    return {**made, "xlink": {"href": visible(address), "tabindex": "-1"}} if address else made


def drawn(chart: Any, words: Words) -> Markup:
    """The chart as a page holds it. One with links is a group of graphics, else it is one image."""
    root = fromstring(chart.render())  # noqa: S314 - written by pygal a moment ago, from values made visible
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _tidy(element)
    for title in root.findall("title"):
        root.remove(title)
    links = root.find(".//a") is not None
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        **_size(root.get("viewBox", "")),
        "role": "group" if links else "img",
        "aria-labelledby": f"{words.name}-title",
        "aria-describedby": f"{words.name}-told",
    }
    for tag, end, text in (("desc", "told", words.description), ("title", "title", words.title)):
        said = Element(tag, {"id": f"{words.name}-{end}"})
        said.text = visible(text)
        root.insert(0, said)
    return Markup(tostring(root, encoding="unicode"))  # noqa: S704 - every text in it was escaped by the serialiser


def _size(box: str) -> dict[str, str]:
    """A full chart takes the room there is, a smaller one keeps its size."""
    width = box.split()[2]
    if int(width) >= WIDTH:
        return {"class": "plot", "viewBox": box}
    return {"class": "plot small", "viewBox": box, "width": width}


def _tidy(element: Element) -> None:
    """Mend an element and drop those of its children that a page has no use for."""
    for child in list(element):
        if _useless(child, element):
            element.remove(child)
        elif child.get("data-mark"):
            element[list(element).index(child)] = _mark(child)
    for name in [name for name in _NUMBERS if name in element.attrib]:
        element.set(name, _DECIMALS.sub("", element.attrib[name]))
    for name in [name for name in ("style", "id") if name in element.attrib]:
        del element.attrib[name]
    if _HREF in element.attrib:
        element.set("href", element.attrib.pop(_HREF))


def _useless(child: Element, parent: Element) -> bool:
    tag = child.tag.rpartition("}")[2]
    classes = child.get("class", "").split()
    guide = "guides" in parent.get("class", "").split()  # its title repeats the label, unformatted
    return tag in _GONE or "tooltip-overlay" in classes or (tag == "title" and guide)


def _mark(circle: Element) -> Element:
    x, y, mark = float(circle.attrib["cx"]), float(circle.attrib["cy"]), circle.attrib["data-mark"]
    return boxed(mark[1:], x, y) if mark.startswith("=") else shape(mark, x, y, float(circle.attrib["data-radius"]))
