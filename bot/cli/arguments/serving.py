"""Commands that serve until they are stopped, and the one that looks at the service: demo, serve, doctor, sandbox."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path

from bot.cli.commands import Commands, until_ended
from bot.cli.terminal import say
from bot.records.work import ProcessRole
from bot.settings import server_settings


def add_demo(commands: Commands) -> None:
    """The options of `recalibrate demo`."""
    command = commands.add_parser("demo", help="everything on this machine: a local GitHub, the service, two nights")
    command.set_defaults(command=_demo)


def _demo(_options: argparse.Namespace) -> int:
    from bot.cli.demo import demo  # noqa: PLC0415 - see `bot.cli.arguments`

    return until_ended(demo(os.environ, say))


def add_serve(commands: Commands) -> None:
    """The options of `recalibrate serve`."""
    command = commands.add_parser("serve", help="receive webhooks and work on them; settings from the environment")
    command.add_argument(
        "--role",
        choices=[role.value for role in ProcessRole],
        default=ProcessRole.ALL.value,
        help="`all`: one process does everything (default); for several: `web` receives, `worker` works",
    )
    command.set_defaults(command=_serve)


def _serve(options: argparse.Namespace) -> int:
    from bot.cli.serve import serve  # noqa: PLC0415 - see `bot.cli.arguments`

    return until_ended(serve(server_settings(os.environ, ProcessRole(options.role)), _listening))


def _listening(address: str) -> None:
    say(f"receiving webhooks at {address}")


def add_doctor(commands: Commands) -> None:
    """The options of `recalibrate doctor`."""
    command = commands.add_parser("doctor", help="what a service with these settings lacks, and the remedies")
    roles = [role.value for role in (ProcessRole.ALL, ProcessRole.WORKER)]
    command.add_argument(
        "--role",
        choices=roles,
        default=ProcessRole.ALL.value,
        help="whose settings; `web` has no key to ask GitHub with",
    )
    command.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from bot.cli.doctor import doctor  # noqa: PLC0415 - see `bot.cli.arguments`

    return 0 if asyncio.run(doctor(os.environ, ProcessRole(options.role), say)) else 2


def add_sandbox(commands: Commands) -> None:
    """The options of `recalibrate sandbox`."""
    command = commands.add_parser("sandbox", help="a local GitHub over a scenario file, for a service beside it")
    command.add_argument("scenario", type=Path, metavar="SCENARIO", help="a scenario.json, such as the generator's")
    command.add_argument("--webhook", default="http://127.0.0.1:8080/webhook", metavar="URL", help="the service's")
    command.add_argument("--port", type=int, default=0, help="of the local GitHub (default: any free one)")
    command.set_defaults(command=_sandbox)


def _sandbox(options: argparse.Namespace) -> int:
    from bot.cli.sandbox import SandboxOptions, sandbox  # noqa: PLC0415 - see `bot.cli.arguments`

    return until_ended(sandbox(SandboxOptions(options.scenario, options.webhook, options.port), say))
