"""What a comment command is: the values a comment becomes, and what each command's module declares.

Pure. Reading comments is `bot.commands.grammar`'s part, doing what they ask `bot.tasks`'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, get_args

from bot.domain import RunId
from bot.repo_config.estimation import Estimation

NAMESPACE = "/recalibrate"
POLICIES: tuple[str, ...] = get_args(Estimation.model_fields["policy"].annotation)
VALUE_LIMIT = 300  # characters of one argument


class Needs(StrEnum):
    """Whom a command may be open to."""

    READER = "reader"  # it changes nothing: `commands.readers` may open it to everyone who can read
    WRITER = "writer"  # roles of `commands.allow` only


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `value` is the placeholder of its value, "" for a switch."""

    name: str  # without the dashes
    value: str
    meaning: str
    choices: tuple[str, ...] = ()


SUITE = Option("suite", "GLOB", "only registrations of these suites")
TEST = Option("test", "GLOB", "only these test files")
POLICY = Option("policy", "NAME", "another policy for this once", POLICIES)
DRY_RUN = Option("dry-run", "", "answer only, write nothing else")
OPTIONS: tuple[Option, ...] = (SUITE, TEST, POLICY, DRY_RUN)


@dataclass(frozen=True, slots=True)
class RunReference:
    """A run as a person named it: `server` and `repository` are "" where only the id was given."""

    run_id: RunId
    server: str = ""  # such as https://github.com
    repository: str = ""  # owner/name


@dataclass(frozen=True, slots=True)
class Command:
    """What a comment asks for. `verb` is a name of `COMMANDS`; an empty field was not given."""

    verb: str
    runs: tuple[RunReference, ...] = ()
    path: str = ""
    paths: tuple[str, ...] = ()  # of a command that takes two
    suite: str = ""
    test: str = ""
    policy: str = ""
    dry_run: bool = False


class MistakeReason(StrEnum):
    """Why a comment that addresses us is no command."""

    UNKNOWN_COMMAND = "unknown_command"
    UNKNOWN_OPTION = "unknown_option"
    OPTION_ELSEWHERE = "option_elsewhere"  # another command has it
    GIVEN_TWICE = "given_twice"
    VALUE_MISSING = "value_missing"
    VALUE_UNWANTED = "value_unwanted"
    UNKNOWN_CHOICE = "unknown_choice"
    NOT_A_RUN = "not_a_run"
    ARGUMENT_MISSING = "argument_missing"
    ARGUMENT_UNWANTED = "argument_unwanted"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong: the word, its column in the line (1-based), and the nearest right one or ""."""

    reason: MistakeReason
    word: str
    column: int
    nearest: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the line and where it begins, 1-based."""

    text: str
    column: int


class CommandModule(Protocol):
    """What a module of this package declares to be a command.

    `USAGE` follows the namespace; `SUMMARY` is its line of the help, Markdown; `EXAMPLES` pairs
    what follows the namespace with what it means and is tested by itself.
    """

    NAME: str
    USAGE: str
    SUMMARY: str
    OPTIONS: tuple[Option, ...]
    NEEDS: Needs
    EXAMPLES: tuple[tuple[str, Command], ...]

    def read(self, words: Sequence[Word], end: int) -> Command | Mistake:
        """The words that are no option, after the name; `end` is the column after the last word."""
        ...


def alone(name: str, words: Sequence[Word]) -> Command | Mistake:
    """The command of a module that takes no words."""
    if words:
        return Mistake(MistakeReason.ARGUMENT_UNWANTED, words[0].text, words[0].column)
    return Command(name)
