"""What a person types, one command after the other: its options, and the call that they make.

Commands that need the service's libraries import them when they are called: they take a second, which
`local`, `check-config` and `--help` need not wait for.
"""

from __future__ import annotations

import argparse

from bot import __version__
from bot.cli.arguments import artifacts, configuration, memory, runs, serving, setting_up
from bot.cli.commands import Parser

ADDED = (
    artifacts.add_local,
    artifacts.add_partitions,
    artifacts.add_matrix,
    serving.add_demo,
    setting_up.add_setup,
    runs.add_run,
    serving.add_serve,
    serving.add_doctor,
    serving.add_sandbox,
    configuration.add_check_config,
    memory.add_history,
    memory.add_backup,
    memory.add_backtest,
)


def parser() -> argparse.ArgumentParser:
    """All commands, in the order in which help lists them; what is parsed has a `command` to call with it."""
    made = Parser(prog="recalibrate", description="Keeps the est_time literals of CI tests true.")
    made.add_argument("--version", action="version", version=f"recalibrate {__version__}")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for add in ADDED:
        add(commands)
    return made
