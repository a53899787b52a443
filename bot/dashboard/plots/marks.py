"""The shapes of points: one a host, a boxed letter for what was rejected; in a plot and in its legend.

Shapes differ without their colours. Which host gets which is the plot's part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

_OUTLINES: Mapping[str, Sequence[tuple[float, float]]] = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "triangle": ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)),
    "diamond": ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
    "down": ((0, 1.3), (1.2, -0.9), (-1.2, -0.9)),
    "bar": ((-1.6, -0.6), (1.6, -0.6), (1.6, 0.6), (-1.6, 0.6)),
}
SHAPES = ("circle", *_OUTLINES)  # one a host, in this order
OTHER = "ring"  # every further host
NOT_JUDGED = "○"  # instead of a letter: the host's shape, hollow
RADIUS, SMALL = 4.5, 3.0
BOX = 13


def shape(name: str, x: float, y: float, radius: float = RADIUS) -> Element:
    """A shape with its centre at a place; its name may be followed by `hollow`."""
    name, _, how = name.partition(" ")
    classes = f"mark {name} {how}".rstrip()
    if name in _OUTLINES:
        places = [f"{x + dx * radius:.1f} {y + dy * radius:.1f}" for dx, dy in _OUTLINES[name]]
        return Element("path", {"d": f"M{' L'.join(places)} Z", "class": classes})
    return Element("circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{radius}", "class": classes})


def boxed(letter: str, x: float, y: float) -> Element:
    """A letter in a box with its centre at a place; a capital has a class of its own."""
    group = Element("g", {"class": "boxed said" if letter.isupper() else "boxed"})
    half = BOX / 2
    SubElement(group, "rect", {"x": f"{x - half:.1f}", "y": f"{y - half:.1f}", "width": f"{BOX}", "height": f"{BOX}"})
    SubElement(group, "text", {"x": f"{x:.1f}", "y": f"{y + 3.7:.1f}", "text-anchor": "middle"}).text = letter
    return group


def host_key(number: int) -> Markup:
    """What a legend shows for the host with this number, counted from 0."""
    name = SHAPES[number] if number < len(SHAPES) else OTHER
    return _key(f"host-{min(number, len(SHAPES))}", shape(name, 0, 0, 5))


def letter_key(letter: str) -> Markup:
    """What a legend shows for a boxed letter, or for what is not judged."""
    if letter == NOT_JUDGED:
        return _key("hollow", shape("circle hollow", 0, 0))
    return _key("rejected", boxed(letter, 0, 0))


def line_key(name: str, mark: str = "") -> Markup:
    """What a legend shows for a line of a class, with the mark that stands on it."""
    drawn = Element("g", {"class": "line-key"})
    SubElement(drawn, "path", {"d": "M-12 0 L12 0", "class": "line"})
    if mark:
        drawn.append(shape(mark, 0, 0))
    return _key(name, drawn)


def bar_key(name: str) -> Markup:
    """What a legend shows for bars of a class."""
    return _key(name, Element("rect", {"x": "-6", "y": "-6", "width": "12", "height": "12", "class": "rect"}))


def _key(name: str, drawn: Element) -> Markup:
    width = 26 if drawn.get("class") == "line-key" else 18
    box = {"viewBox": f"{-width / 2} -9 {width} 18", "width": f"{width}", "height": "18"}
    root = Element("svg", {"class": f"key {name}", "aria-hidden": "true", **box})
    root.append(drawn)
    return Markup(tostring(root, encoding="unicode"))  # noqa: S704 - elements of our own, a letter escaped by this
