"""Commands about what the store remembers: history, backup, backtest."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from bot.cli.commands import Commands
from bot.cli.terminal import say, tell


def add_history(commands: Commands) -> None:
    """The options of `recalibrate history`."""
    command = commands.add_parser("history", help="a repository's measurements as CSV, out of or into the store")
    doing = command.add_subparsers(required=True, metavar="export|import")
    out = doing.add_parser(name="export", help="write them")
    out.add_argument("--out", type=Path, dest="file", metavar="FILE", help="instead of standard output")
    into = doing.add_parser(name="import", help="take them in; what the store knows stays as it is")
    into.add_argument("file", type=Path, metavar="FILE")
    for each, name in ((out, "export"), (into, "import")):
        each.add_argument("--repo", default="", metavar="OWNER/NAME", help="one of several that the store knows")
        each.set_defaults(command=_history, doing=name)


def _history(options: argparse.Namespace) -> int:
    from bot.cli.history import HistoryOptions, export, take_in  # noqa: PLC0415 - see `bot.cli.arguments`

    asked = HistoryOptions(options.file, options.repo)
    (export if options.doing == "export" else take_in)(asked, os.environ, tell)
    return 0


def add_backup(commands: Commands) -> None:
    """The options of `recalibrate backup`."""
    command = commands.add_parser("backup", help="copy the service's SQLite files while it serves")
    command.add_argument("folder", type=Path, metavar="FOLDER", help="where to; a new or empty one")
    command.set_defaults(command=_backup)


def _backup(options: argparse.Namespace) -> int:
    from bot.cli.backup import backup  # noqa: PLC0415 - see `bot.cli.arguments`

    backup(os.environ, options.folder, say)
    return 0


def add_backtest(commands: Commands) -> None:
    """The options of `recalibrate backtest`."""
    command = commands.add_parser("backtest", help="replay measured durations under policies and compare them")
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("--durations", type=Path, metavar="FILE.csv[.gz]", help="columns date,suite,file,seconds")
    source.add_argument("--history", action="store_true", help="a repository's own nights, from the store")
    command.add_argument("--repo", default="", metavar="OWNER/NAME", help="one of several that the store knows")
    command.add_argument("--policy", action="extend", nargs="+", default=[], metavar="NAME", help="default: all")
    for name, default, low, what in (
        ("--partitions", 5, 1, "ranks a suite is packed into"),
        ("--every", 7, 1, "dates between updates"),
        ("--warmup", 21, 0, "dates before the first update"),
    ):
        told = f"{what} (default: {default})"
        command.add_argument(name, type=_count(low), default=default, metavar="N", help=told)
    command.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    command.add_argument("--plot", type=Path, metavar="FILE.svg|png", help="makespan against edits; needs matplotlib")
    command.set_defaults(command=_backtest)


def _count(low: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= 100_000):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {low} to 100000")
        return int(text)

    return number


def _backtest(options: argparse.Namespace) -> int:
    from bot.calibration.backtest.replay import ReplaySettings  # noqa: PLC0415 - see `bot.cli.arguments`
    from bot.cli.backtest import BacktestOptions, Measured, run_backtest  # noqa: PLC0415 - likewise

    def history(name: str) -> Measured:
        from bot.cli.history import own_series  # noqa: PLC0415 - likewise

        return own_series(os.environ, name)

    asked = BacktestOptions(
        durations=options.durations,
        policies=tuple(name for given in options.policy for name in given.split(",") if name),
        settings=ReplaySettings(options.partitions, options.every, options.warmup),
        json=options.json,
        plot=options.plot,
        repository=options.repo,
    )
    run_backtest(asked, history, say, tell)
    return 0
