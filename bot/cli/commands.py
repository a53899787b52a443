"""What the parsers of all commands share. Which commands there are is `bot.cli.arguments`' part."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Coroutine
from typing import NoReturn, TypeAlias

from bot.errors import UserError


class Parser(argparse.ArgumentParser):
    """Tells a wrong command line in one line, as everything else a person can fix."""

    def error(self, message: str) -> NoReturn:
        """Raises UserError: it is told where all of them are."""
        raise UserError(f"{message}; see {self.prog} --help")


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # what `add_subparsers` gives


def until_ended(work: Coroutine[None, None, None]) -> int:
    """Run a command's work on a loop of its own; its exit status."""
    asyncio.run(work)
    return 0
