"""The command about a watched repository's configuration: check-config."""

from __future__ import annotations

import argparse
from pathlib import Path

from bot.cli.check_config import check_config
from bot.cli.commands import Commands
from bot.cli.terminal import say


def add_check_config(commands: Commands) -> None:
    """A configuration before it is pushed."""
    command = commands.add_parser("check-config", help="check a .github/recalibrate.yml before it is pushed")
    command.add_argument("file", type=Path, metavar="FILE")
    command.set_defaults(command=_check_config)


def _check_config(options: argparse.Namespace) -> int:
    say(check_config(options.file))
    return 0
