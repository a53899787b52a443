"""No pattern of the program can be made to backtrack: each is fed inputs built from its own structure to hurt it.

For every repetition in a pattern: what leads up to it, then ever more of what it repeats, then something that cannot
match. Time may grow in proportion to the input and no faster.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import bot
from bot.patterns import compiled

ROOT = Path(bot.__file__).parent
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
MANY = 4  # repetitions bounded below this cannot hurt

# Patterns that are made while the program runs, as `file:function`, each with the worst that hostile text makes of it.
MADE_AT_RUN_TIME: dict[str, tuple[str | bytes, ...]] = {
    "edit/registry_reader.py:_tree": (r"\bKNOWN_LABELS\b",),
    "edit/registrations/call_sites.py:parse_program": (r"\bregister_[a-z0-9_]{1,64}_ci\b|\b(?:aa|ab|a_)\b",),
    "edit/registrations/call_rewrite.py:spans": ("_s([0-9]+)_",),
    "logs/redaction.py:__init__": (r"aaaaaaaaa|aaaaaaaa|a\.a\*a\+a\(a\[a",),  # escaped texts, the longest first
    "patterns.py:compiled": tuple(
        compiled(text)._found.pattern  # the pattern itself is what is measured
        for text in (
            "{done}/{total}",
            "step {done} of {total}:",
            "at {value}, {done}",
            "{value} aaaa",
            "a {value}\t{total}",
        )
    ),
}


@dataclass(frozen=True)
class Use:
    """A pattern and how the program asks it."""

    place: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def modules() -> Iterator[str]:
    for found in pkgutil.walk_packages([str(ROOT)], "bot."):
        if not found.name.endswith("__main__") and ".migrations" not in found.name:
            yield found.name


@cache
def sources() -> dict[str, str]:
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}


@cache
def uses() -> list[Use]:
    text = "\n".join(sources().values())
    found: dict[re.Pattern[Any], Use] = {}
    for name in modules():
        for variable, value in vars(importlib.import_module(name)).items():
            if isinstance(value, re.Pattern):
                asked = set(re.findall(rf"\b{re.escape(variable)}\.([a-z]+)\b", text)) & set(METHODS)
                known = set(found[value].methods) if value in found else set()
                found[value] = Use(f"{name}.{variable}", value, tuple(sorted(asked | known or {"search"})))
    for place, patterns in MADE_AT_RUN_TIME.items():
        for number, pattern in enumerate(patterns):
            found[re.compile(pattern)] = Use(f"{place}[{number}]", re.compile(pattern), ("finditer",))
    for place, pattern, method in written_in_calls():
        found[re.compile(pattern)] = Use(place, re.compile(pattern), (method,))
    return sorted(found.values(), key=lambda use: use.place)


def written_in_calls() -> Iterator[tuple[str, str | bytes, str]]:
    """`re.fullmatch("…", text)` and its like, the pattern written in place."""
    for file, text in sources().items():
        for node in ast.walk(ast.parse(text)):
            if is_re(node) and node.func.attr in METHODS and isinstance(node.args[0], ast.Constant):
                yield f"{file}:{node.lineno}", node.args[0].value, node.func.attr


def is_re(node: ast.AST) -> Any:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr != "escape"
    )


def made_in_functions(file: str, text: str) -> Iterator[str]:
    """Calls of `re` inside functions whose pattern is not written in place."""
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if is_re(node) and not isinstance(node.args[0], ast.Constant):
                    yield f"{file}:{function.name}"


# ------------------------------------------------------------------- inputs that hurt


def sample(items: Any) -> str:
    """A short text that a parsed pattern matches."""
    return "".join(_sample(kind, value) for kind, value in items)


def _sample(kind: Any, value: Any) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is op.ANY:
        return "a"
    if kind is op.IN:
        return member(value)
    if kind is op.BRANCH:
        return sample(value[1][0])
    if kind is op.SUBPATTERN:
        return sample(value[3])
    if kind is op.ATOMIC_GROUP:
        return sample(value)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return sample(value[2]) * max(value[0], 1 if value[1] else 0)
    return ""  # an assertion


CANDIDATES = "a0 _-.=:/A1b'\"#\t\n,;(z\\x`[\x00\u200b\xad\ud800"


def member(items: Any) -> str:
    """A character of a class."""
    negated = items[0][0] is op.NEGATE
    for char in CANDIDATES:
        if _holds(items, ord(char)) is not negated:
            return char
    first = items[-1]
    return chr(first[1][0] if first[0] is op.RANGE else first[1])


CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_NOT_DIGIT: lambda char: not char.isdigit(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda char: not char.isspace(),
    op.CATEGORY_WORD: lambda char: char.isalnum() or char == "_",
    op.CATEGORY_NOT_WORD: lambda char: not (char.isalnum() or char == "_"),
}


def _holds(items: Any, point: int) -> bool:
    for kind, value in items:
        if kind is op.LITERAL and value == point:
            return True
        if kind is op.RANGE and value[0] <= point <= value[1]:
            return True
        if kind is op.CATEGORY and CATEGORIES[value](chr(point)):
            return True
    return False


Attack = tuple[str, str, str]  # what leads up to it, what is repeated, what cannot match


def attacks(pattern: re.Pattern[Any]) -> list[Attack]:
    raw = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = parser.parse(raw, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    found = list(_attacks(tree, ""))
    whole = sample(tree)
    found += [
        ("", unit, end) for unit in (whole, whole[:-1], whole[:1], "a", " ", "0", "\\") if unit for end in ("", "\x01")
    ]
    return list(dict.fromkeys(found))


def _attacks(items: Any, before: str) -> Iterator[Attack]:
    for number, (kind, value) in enumerate(items):
        lead = before + sample(items[:number])
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            if value[1] > MANY:
                rest = sample(items[number + 1 :])
                for end in ("\x01", rest[:-1] + "\x01", rest[:1] * 2 + "\x01"):
                    yield lead, sample(value[2]) or "a", end
            yield from _attacks(value[2], lead)
        elif kind is op.SUBPATTERN:
            yield from _attacks(value[3], lead)
        elif kind is op.ATOMIC_GROUP:
            yield from _attacks(value, lead)
        elif kind is op.BRANCH:
            for branch in value[1]:
                yield from _attacks(branch, lead)


def asked(use: Use, method: str) -> Callable[[Any], object]:
    if method == "finditer":
        return lambda text: [None for _ in use.pattern.finditer(text)]
    if method == "sub":
        return lambda text: use.pattern.sub(lambda _: b"" if isinstance(text, bytes) else "", text)
    found: Callable[[Any], object] = getattr(use.pattern, method)
    return found


def seconds(ask: Callable[[Any], object], text: str | bytes) -> float:
    """The least of three measurements of this process's own time."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        ask(text)
        best = min(best, time.process_time() - start)
        if best < NOISE:
            break
    return best


LENGTHS = (12, 18, 24, 36, 54, 81, 120, 240, 480, 1_500, 12_000)
NOISE = 0.004
FIRST, LAST = LENGTHS[-2:]
MOST = 3 * LAST / FIRST  # linear gives 8, quadratic 64


def too_slow(use: Use) -> list[str]:
    """The first input that makes it slow, told; nothing where none does."""
    for method in use.methods:
        ask = asked(use, method)
        for lead, unit, end in attacks(use.pattern):
            took = 0.0
            for length in LENGTHS:
                text: str | bytes = lead + unit * (length // len(unit)) + end
                if isinstance(use.pattern.pattern, bytes):
                    text = str(text).encode("latin-1", "replace")
                before, took = took, seconds(ask, text)
                if took > NOISE and (length < FIRST or (length == LAST and took > MOST * max(before, NOISE / 8))):
                    return [f"{method}: {lead[:40]!r} + {length} of {unit[:40]!r} + {end[:40]!r}: {took:.3f} s"]
    return []


def test_every_pattern_is_looked_at() -> None:
    """Whoever makes a pattern inside a function names it above, so that it is measured too."""
    made = {place for file, text in sources().items() for place in made_in_functions(file, text)}
    assert made == set(MADE_AT_RUN_TIME)
    assert len(uses()) > 60


@pytest.mark.parametrize("use", uses(), ids=lambda use: use.place)
def test_no_input_makes_a_pattern_slow(use: Use) -> None:
    assert too_slow(use) == []


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+b", r"(?:a|a)*b", r"a*a*b", r"(\w+\s?)*:", r"[ \t]+$"],
    ids=["nested", "ambiguous", "adjacent", "words", "trailing"],
)
def test_a_pattern_that_backtracks_would_be_found(pattern: str) -> None:
    assert too_slow(Use("planted", re.compile(pattern), ("search",))) != []
