"""Where in the text of a list literal new labels go, in the style of the list.

Works on character offsets of the file's text. Which labels, and in which order, is decided
elsewhere (`bot.edit.labels`); present elements never move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEPARATOR = re.compile(r",[ \t]*")
_NEWLINE = re.compile(r"\r\n|\r|\n")
# what may stand between the last element and the closing bracket, up to a comma or that bracket
_FILLER = re.compile(r"(?:[ \t\f\r\n\\]|#[^\r\n]*)*")
_PLAIN = re.compile(r"[^\"'\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the list: its value and the half-open range of its text."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Insertion:
    """Text to put at an offset."""

    at: int
    text: str


def is_writable(label: str) -> bool:
    """True where the label can stand between plain quotes without an escape."""
    return _PLAIN.fullmatch(label) is not None


def align(present: tuple[str, ...], wanted: tuple[str, ...]) -> dict[int, list[str]] | None:
    """The labels to insert before each position of `present` (its length: at the end).

    None where `wanted` does not hold all of `present` in its order.
    """
    new: dict[int, list[str]] = {}
    position = 0
    for label in wanted:
        if position < len(present) and label == present[position]:
            position += 1
        else:
            new.setdefault(position, []).append(label)
    return new if position == len(present) else None


def insertions(text: str, elements: list[Element], new: dict[int, list[str]]) -> list[Insertion]:
    """What to insert into a list that has elements, so that `new` stands where `align` put it."""
    quote = _quote(text[elements[0].start : elements[0].end])
    found: list[Insertion] = []
    for position, labels in new.items():
        literals = [f"{quote}{label}{quote}" for label in labels]
        if position < len(elements):
            found.append(_before(text, elements, position, literals))
        else:
            found.extend(_append(text, elements, literals))
    return found


def fill_empty(list_start: int, call_text: str, new: dict[int, list[str]]) -> Insertion:
    """What to insert behind the `[` of an empty list; the call's first quote gives the style."""
    quote = _quote(call_text)
    return Insertion(list_start + 1, ", ".join(f"{quote}{label}{quote}" for label in new.get(0, [])))


def _quote(text: str) -> str:
    return next((character for character in text if character in "\"'"), '"')


def _before(text: str, elements: list[Element], position: int, literals: list[str]) -> Insertion:
    element = elements[position]
    indent = _own_line_indent(text, element)
    if indent is None:
        separator = _separator(text, elements, position)
        return Insertion(element.start, "".join(literal + separator for literal in literals))
    at = element.start - len(indent)
    newline = _newline_before(text, at)
    return Insertion(_above_comments(text, at), "".join(f"{indent}{literal},{newline}" for literal in literals))


def _append(text: str, elements: list[Element], literals: list[str]) -> list[Insertion]:
    last = elements[-1]
    indent = _own_line_indent(text, last)
    comma = _FILLER.match(text, last.end).end()  # type: ignore[union-attr]  # it matches the empty string
    has_comma = text.startswith(",", comma)
    if indent is None:
        separator = _separator(text, elements, len(elements) - 1)
        if has_comma:
            blank = separator[1:]
            return [Insertion(comma + 1, "".join(f"{blank}{literal}," for literal in literals))]
        return [Insertion(last.end, "".join(separator + literal for literal in literals))]
    line = _newline_before(text, last.start - len(indent)) + indent
    line_end = _line_end(text, last.end)
    if has_comma:
        closes_here = line_end is None or comma > line_end
        return [Insertion(comma + 1 if closes_here else line_end or 0, "".join(f"{line}{x}," for x in literals))]
    if line_end is None:
        return [Insertion(last.end, "".join(f",{line}{literal}" for literal in literals))]
    return [Insertion(last.end, ","), Insertion(line_end, ",".join(line + literal for literal in literals))]


def _separator(text: str, elements: list[Element], position: int) -> str:
    """What stands between the element and a neighbour, where that is a comma and blanks; else `, `."""
    for left, right in ((position - 1, position), (position, position + 1)):
        if left >= 0 and right < len(elements):
            between = text[elements[left].end : elements[right].start]
            if _SEPARATOR.fullmatch(between):
                return between
    return ", "


def _own_line_indent(text: str, element: Element) -> str | None:
    """The blanks before an element that begins its line; None where something else does."""
    line_start = max(text.rfind("\n", 0, element.start), text.rfind("\r", 0, element.start)) + 1
    indent = text[line_start : element.start]
    return indent if line_start and not indent.strip(" \t") else None


def _newline_before(text: str, line_start: int) -> str:
    """The newline that ends the line before."""
    return "\r\n" if text.endswith("\r\n", 0, line_start) else text[line_start - 1]


def _above_comments(text: str, line_start: int) -> int:
    """The start of the first of the comment lines directly above, which speak of the element below."""
    while True:
        newline = _newline_before(text, line_start)
        end = line_start - len(newline)
        above = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
        if not text[above:end].lstrip(" \t").startswith("#"):
            return line_start
        line_start = above


def _line_end(text: str, offset: int) -> int | None:
    """Where the newline of this line stands, if it comes before the list closes."""
    filler = _FILLER.match(text, offset).end()  # type: ignore[union-attr]  # it matches the empty string
    if text.startswith(",", filler):
        filler = _FILLER.match(text, filler + 1).end()  # type: ignore[union-attr]  # likewise
    newline = _NEWLINE.search(text, offset, filler)
    return newline.start() if newline else None
