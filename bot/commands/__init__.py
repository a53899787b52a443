"""The table of comment commands. To add one: a module here, and its line below."""

from __future__ import annotations

from bot.commands import evaluate, explain, matrix, pause, rebuild, resume, run
from bot.commands import help as help_
from bot.commands.contract import CommandModule

COMMANDS: dict[str, CommandModule] = {
    "evaluate": evaluate,
    "run": run,
    "explain": explain,
    "matrix": matrix,
    "rebuild": rebuild,
    "pause": pause,
    "resume": resume,
    "help": help_,
}
