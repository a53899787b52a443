"""Reads a repository's configuration and holds the names in it to the tables of plug-ins.

The model (`bot.repo_config`) knows what a name looks like, the tables know which exist: so a plug-in is one
module and one line, and never a second list here. What the bytes mean otherwise is `bot.config_file`'s part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from bot.calibration.estimators import ESTIMATORS
from bot.commands import COMMANDS
from bot.commands.contract import Needs
from bot.config_file import ConfigState, Invalid, Problem, Valid, line_of, parse
from bot.edit.registrations import REGISTRATIONS, YAML_FORMS
from bot.evidence.dialects import DIALECTS
from bot.repo_config import RepoConfig

Place = tuple[str | int, ...]  # keys, and indices of lists


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the file whose value names plug-ins, and the word for what it names."""

    path: tuple[str, ...]
    word: str

    @property
    def dotted(self) -> str:
        """`logs.dialects`."""
        return ".".join(self.path)

    def names(self, config: RepoConfig) -> Iterator[tuple[str, Place]]:
        """What the configuration writes there, each name with its place; nothing where it is left to us."""
        yield from _names(config, self.path, ())


def _names(value: object, ahead: tuple[str, ...], place: Place) -> Iterator[tuple[str, Place]]:
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _names(item, ahead, (*place, index))
    elif ahead:
        yield from _names(getattr(value, ahead[0]), ahead[1:], (*place, ahead[0]))
    elif value:
        yield str(value), place


TABLES: Mapping[Key, Collection[str]] = {
    Key(("registrations", "dialects"), "dialect of registrations"): REGISTRATIONS,
    Key(("registrations", "yaml", "form"), "form of files of estimates"): YAML_FORMS,
    Key(("logs", "dialects"), "log dialect"): DIALECTS,
    Key(("estimate", "estimator", "name"), "estimator"): ESTIMATORS,
    Key(("commands", "readers"), "command that changes nothing"): [
        name for name, module in COMMANDS.items() if module.NEEDS is Needs.READER
    ],
}


def read_config(raw: bytes | None) -> ConfigState:
    """Read a configuration file's bytes (None: there is no file), its names included. Never raises."""
    state = parse(raw)
    if raw is None or not isinstance(state, Valid):
        return state
    problems = tuple(_unknown(raw, state.config))
    return Invalid(problems) if problems else state


def _unknown(raw: bytes, config: RepoConfig) -> Iterator[Problem]:
    for key, table in TABLES.items():
        for name, place in key.names(config):
            if name not in table:
                near = get_close_matches(name, table, 1)
                known = f"did you mean {near[0]}?" if near else f"choose from {', '.join(sorted(table))}"
                yield Problem(line_of(raw, *place), key.dotted, f"no {key.word} {name!r}: {known}")
