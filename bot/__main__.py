"""The command line: parses arguments, calls one command, turns failures into exit statuses.

Exit status 0: it ran, whether or not anything changes. 2: something the user can fix, told in one
line. 1: our fault. Commands that need the service's libraries import them when they are called:
they take a second, which `local`, `check-config` and `--help` need not wait for.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import NoReturn

from bot import __version__
from bot.calibration.policies import POLICIES
from bot.cli.check_config import check_config
from bot.cli.local import LocalOptions, local
from bot.cli.matrix import MatrixOptions, matrix
from bot.cli.measuring import Sources
from bot.cli.partitions import partitions_text
from bot.cli.terminal import Progress
from bot.domain import Evaluation, Proposal, RunId, TestPath
from bot.errors import RetryableError, UserError
from bot.publish.visible import visible
from bot.records import Role
from bot.settings import credentials, server_settings

_REPO = "a checkout or a bare repository"
_BASE = "the revision whose literals are compared"
_ARTIFACTS = "the logs of one attempt: run.json, manifest.json and jobs/ (give it once for each attempt)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    return exit_status(lambda: _run(arguments))


def exit_status(work: Callable[[], int]) -> int:
    """The status of some work; a failure's own status after it was told in one line on standard error."""
    try:
        return work()
    except UserError as error:
        return _failed(str(error), 2)
    except RetryableError as error:
        return _failed(f"{error}; try again later", 2)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 0
    except Exception as error:  # the one place where a bug becomes a message
        return _failed(f"our fault: {type(error).__name__}: {error}; please report it", 1)


def _failed(message: str, status: int) -> int:
    """Whatever a foreign name in the message holds, it is one line and moves no cursor."""
    print(f"recalibrate: {visible(message)}", file=sys.stderr)
    return status


def _run(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    status: int = options.command(options)
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
    _add_partitions(commands)
    _add_matrix(commands)
    _add_demo(commands)
    _add_run(commands)
    _add_serve(commands)
    _add_doctor(commands)
    _add_sandbox(commands)
    _add_check_config(commands)
    _add_history(commands)
    _add_backtest(commands)
    return parser


def _add_local(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("local", help="calibrate a repository on this machine from log artifacts")
    command.add_argument("--repo", type=Path, required=True, metavar="REPO", help=_REPO)
    command.add_argument("--base", required=True, metavar="REV", help=_BASE)
    _add_evidence(command)
    command.add_argument("--out", type=Path, required=True, metavar="OUT", help="where the results are written")
    command.add_argument("--write", action="store_true", help="also edit the work tree (never commits)")
    command.set_defaults(command=_local)


def _add_evidence(command: argparse.ArgumentParser) -> None:
    """What every command that measures from artifacts takes."""
    command.add_argument("--artifacts", type=Path, required=True, action="append", metavar="DIR", help=_ARTIFACTS)
    command.add_argument("--policy", choices=sorted(POLICIES), metavar="NAME", help=", ".join(sorted(POLICIES)))
    command.add_argument("--config", type=Path, metavar="FILE", help="instead of the base's .github/recalibrate.yml")
    command.add_argument(
        "--host-config", type=Path, metavar="FILE", help="of the repository whose nightlies measure this one"
    )


def _add_partitions(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("partitions", help="how suites pack at the present and at the proposed literals")
    command.add_argument("--repo", type=Path, required=True, metavar="REPO", help=_REPO)
    command.add_argument("--base", required=True, metavar="REV", help=_BASE)
    _add_evidence(command)
    command.set_defaults(command=_partitions)


def _partitions(options: argparse.Namespace) -> int:
    with Progress() as progress:
        told = asyncio.run(partitions_text(_sources(options), progress.tell))
    _say(told.rstrip())
    return 0


def _add_matrix(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("matrix", help="share the configurations that two test files sweep between them")
    command.add_argument("files", nargs=2, metavar="FILE", help="a test file, from the repository's root")
    command.add_argument("--repo", type=Path, default=Path(), metavar="REPO", help=f"{_REPO} (default: here)")
    command.add_argument("--base", default="HEAD", metavar="REV", help=f"{_BASE} (default: HEAD)")
    _add_evidence(command)
    command.add_argument("--patch", type=Path, metavar="OUT", help="write a patch that takes rows out of both lists")
    command.add_argument("--split", type=int, default=1, metavar="N", help="the split to patch (default: the cheapest)")
    command.set_defaults(command=_matrix)


def _matrix(options: argparse.Namespace) -> int:
    first, second = map(TestPath, options.files)
    asked = MatrixOptions(_sources(options), (first, second), options.patch, options.split)
    with Progress() as progress:
        told = asyncio.run(matrix(asked, progress.tell))
    _say(told.rstrip())
    return 0


def _sources(options: argparse.Namespace) -> Sources:
    return Sources(
        options.repo, options.base, tuple(options.artifacts), options.policy, options.config, options.host_config
    )


def _add_demo(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("demo", help="everything on this machine: a local GitHub, the service, two nights")
    command.set_defaults(command=_demo)


def _demo(_options: argparse.Namespace) -> int:
    from bot.cli.demo import demo  # noqa: PLC0415 - see the module's docstring

    return _until_stopped(demo(os.environ, _say))


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
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
    from bot.cli.run import RunOptions, run  # noqa: PLC0415 - see the module's docstring

    named = tuple(dict.fromkeys(options.run))
    nights = options.nights or (2 if len(named) == 1 else len(named))
    asked = RunOptions(options.repo, named, nights, options.policy, options.dry_run, options.host)
    return _until_stopped(run(asked, credentials(os.environ), _say))


def _add_serve(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("serve", help="receive webhooks and work on them; settings from the environment")
    command.add_argument(
        "--role",
        choices=[role.value for role in Role],
        default=Role.ALL.value,
        help="for several processes: %(choices)s",
    )
    command.set_defaults(command=_serve)


def _serve(options: argparse.Namespace) -> int:
    from bot.cli.serve import serve  # noqa: PLC0415 - see the module's docstring

    return _until_stopped(serve(server_settings(os.environ, Role(options.role)), _listening))


def _add_doctor(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("doctor", help="what a service with these settings lacks, and the remedies")
    roles = [role.value for role in (Role.ALL, Role.WORKER)]
    command.add_argument("--role", choices=roles, default=Role.ALL.value, help="whose settings: %(choices)s")
    command.set_defaults(command=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    from bot.cli.doctor import doctor  # noqa: PLC0415 - see the module's docstring

    return 0 if asyncio.run(doctor(os.environ, Role(options.role), _say)) else 2


def _add_sandbox(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("sandbox", help="a local GitHub over a scenario file, for a service beside it")
    command.add_argument("scenario", type=Path, metavar="SCENARIO", help="a scenario.json, such as the generator's")
    command.add_argument("--webhook", default="http://127.0.0.1:8080/webhook", metavar="URL", help="the service's")
    command.add_argument("--port", type=int, default=0, help="of the local GitHub (default: any free one)")
    command.set_defaults(command=_sandbox)


def _sandbox(options: argparse.Namespace) -> int:
    from bot.cli.sandbox import SandboxOptions, sandbox  # noqa: PLC0415 - see the module's docstring

    return _until_stopped(sandbox(SandboxOptions(options.scenario, options.webhook, options.port), _say))


def _add_history(commands: argparse._SubParsersAction[_Parser]) -> None:
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
    from bot.cli.history import HistoryOptions, export, take_in  # noqa: PLC0415 - see the module's docstring

    asked = HistoryOptions(options.file, options.repo)
    (export if options.doing == "export" else take_in)(asked, os.environ, _tell)
    return 0


def _add_backtest(commands: argparse._SubParsersAction[_Parser]) -> None:
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
    from bot.calibration.backtest.replay import Settings  # noqa: PLC0415 - see the module's docstring
    from bot.cli.backtest import BacktestOptions, Measured, run_backtest  # noqa: PLC0415 - likewise

    def history(name: str) -> Measured:
        from bot.cli.history import own_series  # noqa: PLC0415 - likewise

        return own_series(os.environ, name)

    asked = BacktestOptions(
        durations=options.durations,
        policies=tuple(name for given in options.policy for name in given.split(",") if name),
        settings=Settings(options.partitions, options.every, options.warmup),
        json=options.json,
        plot=options.plot,
        repository=options.repo,
    )
    run_backtest(asked, history, _say, _tell)
    return 0


def _tell(text: str) -> None:
    print(visible(text), file=sys.stderr)


def _add_check_config(commands: argparse._SubParsersAction[_Parser]) -> None:
    command = commands.add_parser("check-config", help="check a .github/recalibrate.yml before it is pushed")
    command.add_argument("file", type=Path, metavar="FILE")
    command.set_defaults(command=lambda options: _until_stopped(_checked(options.file)))


async def _checked(path: Path) -> None:
    _say(check_config(path))


def _until_stopped(work: Coroutine[None, None, None]) -> int:
    asyncio.run(work)
    return 0


def _say(text: str) -> None:
    print(text, flush=True)


def _listening(address: str) -> None:
    _say(f"receiving webhooks at {address}")


def _local(options: argparse.Namespace) -> int:
    asked = LocalOptions(
        repository=options.repo,
        base=options.base,
        artifacts=tuple(options.artifacts),
        out=options.out,
        policy=options.policy,
        write=options.write,
        config=options.config,
        host_config=options.host_config,
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
    changes = f"{raised} raised, {len(proposals) - raised} lowered, labels added to {len(evaluation.label_changes)}"
    lines = [
        f"{evaluation.registrations} registrations, {len(evaluation.samples)} samples, policy {evaluation.policy.name}",
        f"{changes}: {files} {'file' if files == 1 else 'files'} in {where}" if files else "no literal is changed",
        *evaluation.notes,
        f"read {options.out / 'report.md'}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
