"""The command that makes the App: setup."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bot.cli.commands import Commands, until_ended
from bot.cli.terminal import say, tell
from bot.settings import github_url, network


def add_setup(commands: Commands) -> None:
    """The options of `recalibrate setup`."""
    command = commands.add_parser("setup", help="make the App on GitHub from a page on this machine; keep its secrets")
    command.add_argument("--url", required=True, metavar="URL", help="the service's public one: https://HOST")
    command.add_argument("--github", default="", metavar="URL", help="default: RECALIBRATE_GITHUB_URL, else github.com")
    command.add_argument("--organization", default="", metavar="LOGIN", help="whose App it is (default: your own)")
    command.add_argument("--name", default="", help="proposed for the App; nobody else may have it")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, default=Path("recalibrate-app"), metavar="DIR", help="default: %(default)s")
    where.add_argument("--print", action="store_true", help="one JSON object on standard output, for a secret store")
    command.add_argument("--replace", action="store_true", help="overwrite the files of an earlier set-up in DIR")
    command.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="the page listens at %(default)s")
    command.add_argument("--port", type=_port, default=0, help="of the page (default: any free one)")
    command.set_defaults(command=_setup)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a whole number from 0 to 65535")
    return int(text)


def _setup(options: argparse.Namespace) -> int:
    from bot.cli.setup import SetupOptions, setup  # noqa: PLC0415 - see `bot.cli.arguments`
    from bot.setup.server import Place  # noqa: PLC0415 - likewise

    asked = SetupOptions(
        url=options.url,
        github=options.github or github_url(os.environ),
        organization=options.organization,
        name=options.name,
        out=None if options.print else options.out,
        overwrites=options.replace,
        place=Place(options.host, options.port),
    )
    return until_ended(setup(asked, network(os.environ), tell, say))
