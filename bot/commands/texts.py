"""What the App says about commands: the help table, and the short answer to a mistake.

Generated from the table of commands. Everything a person wrote is shown inert. No line of these
texts is itself a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.commands import COMMANDS
from bot.commands.contract import NAMESPACE, OPTIONS, CommandModule, Mistake, MistakeReason, Needs, Option
from bot.publish.markdown import code, row, table_head

_SAID: Mapping[MistakeReason, str] = {
    MistakeReason.UNKNOWN_COMMAND: "There is no such command",
    MistakeReason.UNKNOWN_OPTION: "There is no such option",
    MistakeReason.OPTION_ELSEWHERE: "This command does not have that option",
    MistakeReason.GIVEN_TWICE: "This option is given twice",
    MistakeReason.VALUE_MISSING: "This option needs a value",
    MistakeReason.VALUE_UNWANTED: "This option takes no value",
    MistakeReason.UNKNOWN_CHOICE: "This is not one of the values that can be chosen",
    MistakeReason.NOT_A_RUN: "This is neither the id nor the address of a workflow run",
    MistakeReason.ARGUMENT_MISSING: "Something is missing",
    MistakeReason.ARGUMENT_UNWANTED: "This word is not expected here",
    MistakeReason.TOO_LONG: "This is too long",
}
_BY_LIKENESS = frozenset({MistakeReason.UNKNOWN_COMMAND, MistakeReason.UNKNOWN_OPTION, MistakeReason.UNKNOWN_CHOICE})


def help_table(readers: Iterable[str]) -> str:
    """The commands and the options as Markdown. `readers` names those that are open to readers."""
    opened = frozenset(readers)
    commands = "".join(row((usage(module), module.SUMMARY, _who(module, opened))) for module in COMMANDS.values())
    options = "".join(row((_option(one), one.meaning + _choices(one), _takers(one))) for one in OPTIONS)
    return (
        table_head(("Comment", "What it does", "Who"))
        + commands
        + "\n"
        + table_head(("Option", "Meaning", "Of"))
        + options
    )


def usage(module: CommandModule) -> str:
    """How a command is written, as a code span that a table can hold."""
    said = f"{NAMESPACE} {module.USAGE}".rstrip()
    return f"`{said} [options]`" if module.OPTIONS else f"`{said}`"


def mistake_text(mistake: Mistake) -> str:
    """One or two sentences: what is wrong, where, and the nearest right word."""
    word = f": {code(mistake.word, 80)}" if mistake.word else ""
    expected = "Nearest" if mistake.reason in _BY_LIKENESS else "Expected"
    nearest = f" {expected}: {code(mistake.nearest, 80)}." if mistake.nearest else ""
    return f"{_SAID[mistake.reason]}{word} (column {mistake.column}).{nearest} `{NAMESPACE} help` lists all commands.\n"


def _who(module: CommandModule, opened: frozenset[str]) -> str:
    return "readers" if module.NEEDS is Needs.READER and module.NAME in opened else "`commands.allow`"


def _option(option: Option) -> str:
    return f"`--{option.name} {option.value}`" if option.value else f"`--{option.name}`"


def _choices(option: Option) -> str:
    return f": {', '.join(map(code, option.choices))}" if option.choices else ""


def _takers(option: Option) -> str:
    """The commands that have the option; the one without a name by the namespace alone."""
    return ", ".join(
        f"`{module.USAGE.split(' ')[0] or NAMESPACE}`" for module in COMMANDS.values() if option in module.OPTIONS
    )
