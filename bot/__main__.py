"""The command line: parses arguments, calls one command, turns failures into exit statuses.

Exit status 0: it ran, whether or not anything changes. 2: something the user can fix, told in one
line. 1: our fault.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from bot import __version__
from bot.calibration.policies import POLICIES
from bot.cli.local import LocalOptions, local
from bot.cli.terminal import Progress
from bot.domain import Evaluation, Proposal
from bot.errors import RetryableError, UserError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    try:
        options = _parser().parse_args(arguments)
        status: int = options.command(options)
    except UserError as error:
        print(f"recalibrate: {error}", file=sys.stderr)
        return 2
    except RetryableError as error:
        print(f"recalibrate: {error}; try again later", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:  # the one place where a bug becomes a message
        print(f"recalibrate: our fault: {type(error).__name__}: {error}; please report it", file=sys.stderr)
        return 1
    return status


class _Parser(argparse.ArgumentParser):
    """Tells a wrong command line in one line, as everything else a person can fix."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see {self.prog} --help")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="recalibrate", description="Keeps the est_time literals of CI tests true.")
    parser.add_argument("--version", action="version", version=f"recalibrate {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_local(commands)
    return parser


def _add_local(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("local", help="calibrate a repository on this machine from log artifacts")
    command.add_argument("--repo", type=Path, required=True, metavar="REPO", help="a checkout or a bare repository")
    command.add_argument("--base", required=True, metavar="REV", help="the revision whose literals are compared")
    command.add_argument("--artifacts", type=Path, required=True, action="append", metavar="DIR", help="one attempt")
    command.add_argument("--out", type=Path, required=True, metavar="OUT", help="where the results are written")
    command.add_argument("--policy", choices=sorted(POLICIES), metavar="NAME", help=", ".join(sorted(POLICIES)))
    command.add_argument("--write", action="store_true", help="also edit the work tree (never commits)")
    command.add_argument("--config", type=Path, metavar="FILE", help="instead of the base's .github/recalibrate.yml")
    command.set_defaults(command=_local)


def _local(options: argparse.Namespace) -> int:
    asked = LocalOptions(
        repository=options.repo,
        base=options.base,
        artifacts=tuple(options.artifacts),
        out=options.out,
        policy=options.policy,
        write=options.write,
        config=options.config,
    )
    with Progress() as progress:
        evaluation = asyncio.run(local(asked, progress.tell))
    print(_summary(evaluation, asked))
    return 0


def _summary(evaluation: Evaluation, options: LocalOptions) -> str:
    """What happened, in a few lines."""
    proposals = [one for one in evaluation.decisions if isinstance(one, Proposal)]
    raised = sum(one.action == "raise" for one in proposals)
    files = len(evaluation.edits)
    where = "changes.patch and the work tree" if options.write else "changes.patch; the work tree is as it was"
    changes = f"{raised} raised, {len(proposals) - raised} lowered, {len(evaluation.label_changes)} label lists"
    lines = [
        f"{evaluation.registrations} registrations, {len(evaluation.samples)} samples, policy {evaluation.policy.name}",
        f"{changes}: {files} {'file' if files == 1 else 'files'} in {where}" if files else "no literal is changed",
        *evaluation.notes,
        f"read {options.out / 'report.md'}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
