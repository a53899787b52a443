r"""Reads comments: the body in, a command, a mistake, or None for a comment that does not speak to us.

The rule: the first line that is not blank, and only that one, begins (after at most three spaces,
for four make a code block) with `/recalibrate` as a whole word. So a quote, a fence, inline code, a
path, a mention on a later line and another bot's `/recalibrate-other` are nothing. What follows on
other lines is not read; `commands_not_read` counts the commands there, so that the answer can say so.

    /recalibrate [NAME] [WORD …] [--option VALUE | --option=VALUE | --switch …]

Words are divided by spaces; a pair of quotes or backticks around a word is dropped, and the dash
that phones make of two counts as two. Names are read without regard to case. Who wrote the
comment is the caller's to know. Never raises, on any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from bot.commands import COMMANDS
from bot.commands.contract import (
    NAMESPACE,
    OPTIONS,
    VALUE_LIMIT,
    Command,
    CommandModule,
    Mistake,
    MistakeReason,
    Option,
    Word,
)

KEPT = 4000  # characters of a comment: the line that is read, and what the answer says about others
LINE_LIMIT = 2000  # characters; twenty addresses of runs fit
DEFAULT = "evaluate"
_ADDRESSED = re.compile(rf" {{0,3}}{re.escape(NAMESPACE)}(?=[ \t]|$)", re.IGNORECASE)
_WORD = re.compile(r"[^ \t]+")
_NEAREST_LIMIT = 40  # characters of a word that similar ones are looked for
_QUOTES = "\"'`"
_DASHES = "\u2014\u2013"  # phones turn two hyphens into one of these


def parse(body: str) -> Command | Mistake | None:
    """What a comment asks for."""
    line = command_line(body)
    if line is None:
        return None
    if len(line) > LINE_LIMIT:
        return Mistake(MistakeReason.TOO_LONG, "", LINE_LIMIT + 1, f"{LINE_LIMIT} characters at most")
    start = _ADDRESSED.match(line)
    words = [_word(found) for found in _WORD.finditer(line, start.end() if start else 0)]
    too_long = next((word for word in words if len(word.text) > VALUE_LIMIT), None)
    if too_long is not None:
        nearest = f"{VALUE_LIMIT} characters at most"
        return Mistake(MistakeReason.TOO_LONG, too_long.text[:_NEAREST_LIMIT] + "…", too_long.column, nearest)
    return _command(words, len(line) + 1)


def command_line(body: str) -> str | None:
    """The line that speaks to us, without what follows it; None where the first line does not."""
    for line in _lines(body):
        if line.strip():
            text = line.rstrip()
            return text if _ADDRESSED.match(text) else None
    return None


def beginning(body: str) -> str:
    """As much of a comment as a task keeps: from the line that is read on."""
    lines = _lines(body)
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[first:])[:KEPT]


def commands_not_read(body: str) -> int:
    """How many lines after the first would have been commands on their own."""
    return max(sum(_ADDRESSED.match(line.rstrip()) is not None for line in _lines(body)) - 1, 0)


def _lines(body: str) -> Sequence[str]:
    return body.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _word(found: re.Match[str]) -> Word:
    text = found.group()
    if text[0] in _DASHES:
        text = "--" + text[1:]
    name, equals, value = text.partition("=") if text.startswith("--") else ("", "", text)
    return Word(name + equals + _unquoted(value), found.start() + 1)


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] and text[0] in _QUOTES else text


def _command(words: Sequence[Word], end: int) -> Command | Mistake:
    module, rest = _module(words)
    if isinstance(module, Mistake):
        return module
    given = _Given()
    while rest:
        left = given.take(module, rest, end)
        if isinstance(left, Mistake):
            return left
        rest = left
    command = module.read(given.words, end)
    return replace(command, **given.fields) if isinstance(command, Command) else command


def _module(words: Sequence[Word]) -> tuple[CommandModule | Mistake, Sequence[Word]]:
    """The command that the first word names; without a name it is to evaluate."""
    if not words or words[0].text.startswith("-"):
        return COMMANDS[DEFAULT], words
    name = words[0].text.lower()
    if name not in COMMANDS:
        nearest = _nearest(name, COMMANDS)
        return Mistake(MistakeReason.UNKNOWN_COMMAND, words[0].text, words[0].column, nearest), ()
    return COMMANDS[name], words[1:]


@dataclass(slots=True)
class _Given:
    """What was read of a line so far: plain words, and options by the field of `Command` they fill."""

    words: list[Word] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)

    def take(self, module: CommandModule, rest: Sequence[Word], end: int) -> Sequence[Word] | Mistake:
        """Take one word, or an option with its value; what is left."""
        word, *others = rest
        if not word.text.startswith("-"):
            self.words.append(word)
            return others
        name, equals, value = word.text.lstrip("-").partition("=")
        option = next((one for one in module.OPTIONS if one.name == name.lower()), None)
        if option is None or not word.text.startswith("--"):
            return _no_option(module, word, name)
        if option.name.replace("-", "_") in self.fields:
            return Mistake(MistakeReason.GIVEN_TWICE, f"--{option.name}", word.column)
        if not option.value:
            return self._switch(option, word, others, equals)
        if not equals:
            if not others or others[0].text.startswith("--"):
                return _missing(option, others[0].column if others else end)
            return self._value(option, others[0], others[1:])
        return self._value(option, Word(value, word.column + len(word.text) - len(value)), others)

    def _switch(self, option: Option, word: Word, others: Sequence[Word], equals: str) -> Sequence[Word] | Mistake:
        if equals:
            return Mistake(MistakeReason.VALUE_UNWANTED, word.text, word.column, f"--{option.name}")
        self.fields[option.name.replace("-", "_")] = True
        return others

    def _value(self, option: Option, value: Word, others: Sequence[Word]) -> Sequence[Word] | Mistake:
        if not value.text:
            return _missing(option, value.column)
        if option.choices and value.text not in option.choices:
            nearest = _nearest(value.text, option.choices) or " or ".join(option.choices)
            return Mistake(MistakeReason.UNKNOWN_CHOICE, value.text, value.column, nearest)
        self.fields[option.name.replace("-", "_")] = value.text
        return others


def _no_option(module: CommandModule, word: Word, name: str) -> Mistake:
    """An option that nobody has, or another command has."""
    known = [option.name for option in module.OPTIONS]
    elsewhere = {option.name for option in OPTIONS} - set(known)
    if name.lower() in elsewhere and word.text.startswith("--"):
        return Mistake(MistakeReason.OPTION_ELSEWHERE, word.text, word.column)
    nearest = _nearest(name.lower(), known)
    return Mistake(MistakeReason.UNKNOWN_OPTION, word.text, word.column, f"--{nearest}" if nearest else "")


def _missing(option: Option, column: int) -> Mistake:
    return Mistake(MistakeReason.VALUE_MISSING, f"--{option.name}", column, f"--{option.name} {option.value}")


def _nearest(word: str, known: Iterable[str]) -> str:
    return next(iter(get_close_matches(word[:_NEAREST_LIMIT].lower(), list(known), n=1, cutoff=0.5)), "")
