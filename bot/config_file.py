"""Reads `.github/recalibrate.yml`: bytes in, one of four states out, with the line of each problem.

Where the bytes come from (a commit, a work tree, a pull request) is the caller's business; so is
what to do about an invalid file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from bot.repo_config import DEFAULT, RepoConfig

CONFIG_PATH = ".github/recalibrate.yml"
MAX_CONFIG_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no file: the defaults hold."""

    config: RepoConfig = DEFAULT


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The file is there and could not be had: nothing may be concluded from it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file. `line` is 1-based; `key` is dotted, "" for the whole file."""

    line: int
    key: str
    message: str

    def __str__(self) -> str:
        place = f"line {self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Invalid:
    """The file was read and is wrong."""

    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Valid:
    """The file was read and is right."""

    config: RepoConfig


ConfigState = Absent | Unreadable | Invalid | Valid


def parse(raw: bytes | None) -> ConfigState:
    """Read a configuration file's bytes (None: there is no file). Never raises."""
    if raw is None:
        return Absent()
    if len(raw) > MAX_CONFIG_BYTES:
        return Invalid((Problem(1, "", f"larger than {MAX_CONFIG_BYTES} bytes"),))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Invalid((Problem(raw[: error.start].count(b"\n") + 1, "", "not UTF-8"),))
    try:
        node = _compose(text)
        if node is None:
            return Invalid((Problem(1, "version", "the file is empty; it needs at least `version: 1`"),))
        problems = _duplicate_keys(node)
        if problems:
            return Invalid(problems)
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - _Loader is a SafeLoader
    except yaml.YAMLError as error:
        return Invalid((_syntax_problem(error),))
    except (RecursionError, ValueError) as error:
        return Invalid((Problem(1, "", f"not readable as YAML: {type(error).__name__}"),))
    if not isinstance(data, dict):
        return Invalid((Problem(1, "", "the file must be a mapping"),))
    try:
        return Valid(RepoConfig.model_validate(_tuples(data)))
    except ValidationError as error:
        return Invalid(tuple(_problem(node, item) for item in error.errors()))


def line_of(raw: bytes, *key: str | int) -> int:
    """The line (1-based) of a file that `parse` accepts where the deepest part of a key is written; 1 without any."""
    node, line = _compose(raw.decode("utf-8-sig")), 1
    for part in key:
        step = _descend(node, part) if node else None
        if step is None:
            break
        node, line = step
    return line


class _Loader(yaml.SafeLoader):
    """SafeLoader without aliases, so that a small file cannot become a large value."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML's stubs leave it bare
            raise yaml.composer.ComposerError(None, None, "aliases are not accepted", event.start_mark)
        return super().compose_node(parent, index)


def _compose(text: str) -> yaml.Node | None:
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _duplicate_keys(node: yaml.Node, path: str = "") -> tuple[Problem, ...]:
    """YAML keeps the last of two equal keys in silence; a person meant one of them."""
    found: list[Problem] = []
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = f"{path}.{key.value}" if path else str(key.value)
            if name in seen:
                found.append(Problem(key.start_mark.line + 1, name, "given twice"))
            seen.add(name)
            found.extend(_duplicate_keys(value, name))
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            found.extend(_duplicate_keys(item, f"{path}.{number}"))
    return tuple(found)


def _tuples(value: Any) -> Any:
    """Lists as tuples: the strict model holds tuples, YAML knows lists only."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _syntax_problem(error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or str(error).splitlines()[0]
    return Problem(mark.line + 1 if mark else 1, "", f"not YAML: {what}")


def _problem(root: yaml.Node, item: Any) -> Problem:
    """The line of a pydantic error: that of the deepest node its location reaches."""
    location = [part for part in item["loc"] if isinstance(part, str | int)]
    node, line = root, 1
    for part in location:
        step = _descend(node, part)
        if step is None:
            break
        node, line = step
    known = {"extra_forbidden": "unknown key", "missing": "is missing"}
    message = known.get(item["type"]) or str(item["msg"]).removeprefix("Value error, ").replace("Tuple", "List")
    return Problem(line, ".".join(map(str, location)), message)


def _descend(node: yaml.Node, part: str | int) -> tuple[yaml.Node, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if str(key.value) == str(part):
                return value, key.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        item = node.value[part]
        return item, item.start_mark.line + 1
    return None
