"""The command that calibrates once from runs on GitHub: run."""

from __future__ import annotations

import argparse
import os

from bot.calibration.policies import POLICIES
from bot.cli.commands import Commands, until_ended
from bot.cli.terminal import say
from bot.domain import RunId
from bot.settings import credentials


def add_run(commands: Commands) -> None:
    """The options of `recalibrate run`."""
    command = commands.add_parser("run", help="calibrate once from runs on GitHub; credentials from the environment")
    command.add_argument("--repo", required=True, metavar="OWNER/NAME")
    command.add_argument("--run", type=_run_id, required=True, action="append", metavar="ID", help="a completed run")
    command.add_argument("--host", default="", metavar="OWNER/NAME", help="whose runs they are, if another one's")
    command.add_argument("--nights", type=int, default=0, help="nights to read in all (default: what a lower needs)")
    command.add_argument("--policy", choices=sorted(POLICIES), metavar="NAME", help=", ".join(sorted(POLICIES)))
    command.add_argument("--dry-run", action="store_true", help="print what would be published, write nothing")
    command.set_defaults(command=_run_once)


def _run_id(text: str) -> RunId:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**63):
        raise argparse.ArgumentTypeError(f"{text!r} is no run id; it is the number in the run's address")
    return RunId(int(text))


def _run_once(options: argparse.Namespace) -> int:
    from bot.cli.run import RunOptions, run  # noqa: PLC0415 - see `bot.cli.arguments`

    named = tuple(dict.fromkeys(options.run))
    nights = options.nights or (2 if len(named) == 1 else len(named))
    asked = RunOptions(options.repo, named, nights, options.policy, options.dry_run, options.host)
    return until_ended(run(asked, credentials(os.environ), say))
