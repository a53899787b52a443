"""YAML text as nodes with positions, bounded and without a single object being made of it.

PyYAML's composer gives each node the character offsets of its text. Nothing is constructed,
nothing is dumped. What the nodes mean is the forms' part (`yaml_mapping`, `yaml_list`).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import yaml

from bot.domain import EditRefusal
from bot.edit.source_text import Lines, SourceText

MAX_YAML_BYTES = 128 * 1024  # the largest of vllm-project/vllm-ascend has 16 kB
_MAX_FLOW_DEPTH = 40  # nested brackets; PyYAML takes quadratic time on deep ones
_LINES_ABOVE = 20
_MOST = 4000  # characters of one comment
_OPENING = re.compile(r"[\[{]")
_PLAIN_NUMBER = re.compile(r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?")


@dataclass(frozen=True, slots=True)
class YamlText:
    """A file's text, its documents' root nodes, and its lines."""

    source: SourceText
    roots: tuple[yaml.Node, ...]
    lines: Lines


@dataclass(frozen=True, slots=True)
class NotYaml:
    """Why a file cannot be read."""

    reason: EditRefusal
    detail: str


def open_yaml(raw: bytes) -> YamlText | NotYaml:
    """Decode and compose every document of a file. Never raises."""
    if len(raw) > MAX_YAML_BYTES:
        return NotYaml(EditRefusal.FILE_TOO_LARGE, f"{len(raw)} bytes")
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    try:
        text = raw[len(bom) :].decode()
    except UnicodeDecodeError as error:
        return NotYaml(EditRefusal.UNDECODABLE, f"not UTF-8 at byte {error.start + len(bom)}")
    if sum(1 for _ in _OPENING.finditer(text)) > _MAX_FLOW_DEPTH and _depth(text) > _MAX_FLOW_DEPTH:
        return NotYaml(EditRefusal.UNKNOWN_GRAMMAR, "nested too deeply")
    try:
        roots = tuple(root for root in yaml.compose_all(text, Loader=yaml.SafeLoader) if root is not None)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        return NotYaml(EditRefusal.UNKNOWN_GRAMMAR, f"{place}{getattr(error, 'problem', None) or 'not YAML'}"[:200])
    except (RecursionError, ValueError) as error:
        return NotYaml(EditRefusal.UNKNOWN_GRAMMAR, type(error).__name__)
    return YamlText(SourceText(text, bom=bom), roots, Lines(text))


def _depth(text: str) -> int:
    """How deep brackets nest, wherever they stand: an upper bound for the flow collections."""
    deepest = depth = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest


def span(node: yaml.Node) -> tuple[int, int]:
    """The character offsets of a node's text, with its anchor and tag."""
    return node.start_mark.index, node.end_mark.index


def scalar(node: yaml.Node) -> str | None:
    """The text of a scalar, None for anything else."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else None


def number(text: str, node: yaml.Node) -> float | EditRefusal:
    """The value of a plain decimal number, or why the text there is not one that may be written over.

    YAML 1.1 reads `0600` as octal, `1:30` as ninety and `1_000` as a thousand: only what every
    reader takes for the same number is edited. An alias, an anchor or a tag is no plain number.
    """
    start, end = span(node)
    if not isinstance(node, yaml.ScalarNode) or text[start:end] != node.value or node.style is not None:
        return EditRefusal.EST_TIME_NOT_LITERAL
    if not _PLAIN_NUMBER.fullmatch(node.value):
        return EditRefusal.EST_TIME_NOT_A_NUMBER
    return float(node.value)


def comments_at(lines: Lines, line: int, end: int) -> list[str]:
    """The comment behind a value that ends at character `end`, and the full-line comments right above."""
    rest = lines.line(line)[end - lines.offset(line, 0) :][:_MOST]
    found = [rest] if rest.lstrip(" \t,}]").startswith("#") else []
    for number_above in range(line - 1, max(0, line - 1 - _LINES_ABOVE), -1):
        above = lines.line(number_above).strip()
        if not above.startswith("#"):
            break
        found.append(above[:_MOST])
    return found


def events(text: str, free: frozenset[int]) -> list[tuple[object, ...]]:
    """The stream of a text's parts, without positions; scalars that start at `free` say nothing.

    Raises:
        yaml.YAMLError: the text is not YAML.
    """
    found: list[tuple[object, ...]] = []
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        masked = isinstance(event, yaml.ScalarEvent) and event.start_mark is not None and event.start_mark.index in free
        names = ("anchor", "tag", "style", "flow_style", *(() if masked else ("value",)))
        found.append((type(event), *(getattr(event, name, None) for name in names)))
    return found
