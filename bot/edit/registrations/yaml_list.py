"""Estimates as YAML lists of `{name: path, estimated_time: n}`, one list a suite.

vllm-project/vllm-ascend wrote them (.github/workflows/scripts/config.yaml): each top-level key is a
suite, its list holds the files, and `is_skipped: true` keeps one from being scheduled.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from bot.edit.registrations.contract import Example
from bot.edit.registrations.yaml_file import YamlEntry, YamlExample
from bot.edit.registrations.yaml_text import scalar
from bot.globs import matches
from bot.repo_config.registrations import YamlRegistrations


def entries(root: yaml.Node, section: YamlRegistrations) -> Iterator[YamlEntry] | None:
    """One entry for each item with a name and a time, in every list whose key the glob matches."""
    if not isinstance(root, yaml.MappingNode):
        return None
    named = [(scalar(key) or "", value) for key, value in root.value if isinstance(value, yaml.SequenceNode)]
    lists = [(suite, value) for suite, value in named if matches(section.list, suite)]
    return _of(lists) if lists else None


def _of(lists: list[tuple[str, yaml.SequenceNode]]) -> Iterator[YamlEntry]:
    for suite, items in lists:
        for item in items.value:
            fields = _fields(item)
            name = scalar(fields["name"]) if "name" in fields else None
            if name is not None and "estimated_time" in fields:
                skipped = "is_skipped" in fields and scalar(fields["is_skipped"]) in ("true", "True", "TRUE")
                yield YamlEntry(name, suite, fields["estimated_time"], "is_skipped" if skipped else None)


def _fields(item: yaml.Node) -> dict[str, yaml.Node]:
    pairs = item.value if isinstance(item, yaml.MappingNode) else []
    return {scalar(key) or "": value for key, value in pairs}


_SECTION = YamlRegistrations(file="ci/config.yaml", list="e2e-*")

EXAMPLES: tuple[YamlExample, ...] = (
    YamlExample(
        _SECTION,
        Example(
            "the key of a list is the suite; a skipped item and other keys stay",
            before=(
                b"# suites\n"
                b"e2e-one:\n"
                b"- name: tests/test_emu.py\n"
                b"  estimated_time: 66  # 2 cards\n"
                b"- name: tests/test_fox.py\n"
                b"  estimated_time: 0\n"
                b"  is_skipped: true\n"
                b"unit:\n- name: tests/test_emu.py\n  estimated_time: 5\n"
            ),
            after=(
                b"# suites\n"
                b"e2e-one:\n"
                b"- name: tests/test_emu.py\n"
                b"  estimated_time: 90  # 2 cards\n"
                b"- name: tests/test_fox.py\n"
                b"  estimated_time: 0\n"
                b"  is_skipped: true\n"
                b"unit:\n- name: tests/test_emu.py\n  estimated_time: 5\n"
            ),
            est_time=90,
        ),
    ),
    YamlExample(
        _SECTION,
        Example(
            "one test in two suites has two entries; time before name",
            before=(
                b"e2e-one:\n- {estimated_time: 60, name: tests/test_emu.py}\n"
                b'e2e-two:\n-   name: "tests/test_emu.py"\n\n    estimated_time: 60\n'
            ),
            after=(
                b"e2e-one:\n- {estimated_time: 60, name: tests/test_emu.py}\n"
                b'e2e-two:\n-   name: "tests/test_emu.py"\n\n    estimated_time: 200\n'
            ),
            index=1,
            est_time=200,
        ),
    ),
)
