"""A file of estimates that is one list of pairs, `- [path, seconds]`."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from bot.edit.registrations.contract import Example
from bot.edit.registrations.yaml_file import YamlEntry, YamlExample
from bot.edit.registrations.yaml_text import scalar
from bot.repo_config.registrations import YamlRegistrations


def entries(root: yaml.Node, section: YamlRegistrations) -> Iterator[YamlEntry] | None:
    """One entry a pair; None where the file is no list."""
    return (_of(root)) if isinstance(root, yaml.SequenceNode) else None


def _of(root: yaml.SequenceNode) -> Iterator[YamlEntry]:
    for pair in root.value:
        if isinstance(pair, yaml.SequenceNode) and len(pair.value) == 2:
            yield YamlEntry(scalar(pair.value[0]) or "", "stage-a", pair.value[1])


EXAMPLES: tuple[YamlExample, ...] = (
    YamlExample(
        YamlRegistrations(file="ci/pairs.yaml", form="toy"),
        Example(
            "the second of a pair changes",
            before=b"- [tests/test_tern.py, 30]  # windy\n",
            after=b"- [tests/test_tern.py, 40]  # windy\n",
            est_time=40,
        ),
    ),
)
