"""Estimates as a YAML mapping `path: seconds` under one top-level key.

vllm-project/vllm-ascend writes one (`estimated_times:` in .github/workflows/scripts/estimated_times.yaml).
Such an entry names no suite and no backend: the configuration may, else the logs do.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from bot.edit.registrations.contract import Example
from bot.edit.registrations.yaml_file import YamlEntry, YamlExample
from bot.edit.registrations.yaml_text import scalar
from bot.repo_config.registrations import YamlRegistrations


def entries(root: yaml.Node, section: YamlRegistrations) -> Iterator[YamlEntry] | None:
    """One entry for each key of the mapping under the configured key; None where there is none."""
    if not isinstance(root, yaml.MappingNode):
        return None
    found = [value for key, value in root.value if scalar(key) == section.key]
    mappings = [value for value in found if isinstance(value, yaml.MappingNode)]
    return _of(mappings) if mappings else None


def _of(mappings: list[yaml.MappingNode]) -> Iterator[YamlEntry]:
    for mapping in mappings:
        for key, value in mapping.value:
            path = scalar(key)
            if path is not None:
                yield YamlEntry(path, "", value)


_SECTION = YamlRegistrations(file="ci/times.yaml", key="estimated_times")

EXAMPLES: tuple[YamlExample, ...] = (
    YamlExample(
        _SECTION,
        Example(
            "comments, quoting, order and the rest of the file stay; another mapping is not read",
            before=(
                b"limits: {tests/a/test_emu.py: 1800}\n"
                b"estimated_times:\n"
                b"  tests/a/test_emu.py: 600   # cold cache\n"
                b"  # beta machines below\n\n"
                b"  'tests/b/test_fox.py': 300\n"
                b"other: 1\n"
            ),
            after=(
                b"limits: {tests/a/test_emu.py: 1800}\n"
                b"estimated_times:\n"
                b"  tests/a/test_emu.py: 700   # cold cache\n"
                b"  # beta machines below\n\n"
                b"  'tests/b/test_fox.py': 300\n"
                b"other: 1\n"
            ),
            est_time=700,
        ),
    ),
    YamlExample(
        _SECTION,
        Example(
            "a part of a file has an entry of its own; CRLF, no newline at the end",
            before=b"estimated_times:\r\n  tests/test_fox.py::test_den: 60\r\n  tests/test_fox.py: 300",
            after=b"estimated_times:\r\n  tests/test_fox.py::test_den: 60\r\n  tests/test_fox.py: 400",
            index=1,
            est_time=400,
        ),
    ),
    YamlExample(
        _SECTION,
        Example(
            "the second document of a file",
            before=b"kind: config\n---\nestimated_times: {tests/test_fox.py: 300, tests/test_emu.py: 20}\n",
            after=b"kind: config\n---\nestimated_times: {tests/test_fox.py: 300, tests/test_emu.py: 30}\n",
            index=1,
            est_time=30,
        ),
    ),
)
