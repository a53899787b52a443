"""Commands that measure from log artifacts on this machine: local, partitions, matrix."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from bot.calibration.policies import POLICIES
from bot.cli.commands import Commands
from bot.cli.local import LocalOptions, local
from bot.cli.matrix import MatrixOptions, matrix
from bot.cli.measuring import Sources
from bot.cli.partitions import partitions_text
from bot.cli.terminal import Progress, say
from bot.domain import Evaluation, Proposal, TestPath
from bot.publish.lookup import lookup

_REPO = "a checkout or a bare repository"
_BASE = "the revision whose literals are compared"
_ARTIFACTS = "the logs of one attempt: run.json, manifest.json and jobs/ (give it once for each attempt)"


def add_local(commands: Commands) -> None:
    """The options of `recalibrate local`."""
    command = commands.add_parser("local", help="calibrate a repository on this machine from log artifacts")
    command.add_argument("--repo", type=Path, required=True, metavar="REPO", help=_REPO)
    command.add_argument("--base", required=True, metavar="REV", help=_BASE)
    _add_evidence(command)
    command.add_argument("--out", type=Path, required=True, metavar="OUT", help="where the results are written")
    command.add_argument("--write", action="store_true", help="also edit the work tree (never commits)")
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
        host_config=options.host_config,
    )
    with Progress() as progress:
        evaluation = asyncio.run(local(asked, progress.tell))
    say(_summary(evaluation, asked))
    return 0


def _summary(evaluation: Evaluation, options: LocalOptions) -> str:
    """What happened, in a few lines."""
    proposals = [one for one in evaluation.decisions if isinstance(one, Proposal)]
    raised = sum(one.action == "raise" for one in proposals)
    files = len(evaluation.edits)
    where = "changes.patch and the work tree" if options.write else "changes.patch; the work tree is as it was"
    changes = f"{raised} raised, {len(proposals) - raised} lowered, labels added to {len(evaluation.label_changes)}"
    used = lookup(evaluation).passes_used
    lines = [
        f"{evaluation.registrations} registrations, {used} passes used, policy {evaluation.policy.name}",
        f"{changes}: {files} {'file' if files == 1 else 'files'} in {where}" if files else "no literal is changed",
        *evaluation.notes,
        f"read {options.out / 'report.md'}",
    ]
    return "\n".join(lines)


def _add_evidence(command: argparse.ArgumentParser) -> None:
    """What every command that measures from artifacts takes."""
    command.add_argument("--artifacts", type=Path, required=True, action="append", metavar="DIR", help=_ARTIFACTS)
    command.add_argument("--policy", choices=sorted(POLICIES), metavar="NAME", help=", ".join(sorted(POLICIES)))
    command.add_argument("--config", type=Path, metavar="FILE", help="instead of the base's .github/recalibrate.yml")
    command.add_argument(
        "--host-config", type=Path, metavar="FILE", help="of the repository whose nightlies measure this one"
    )


def add_partitions(commands: Commands) -> None:
    """The options of `recalibrate partitions`."""
    command = commands.add_parser("partitions", help="how suites pack at the present and at the proposed literals")
    command.add_argument("--repo", type=Path, required=True, metavar="REPO", help=_REPO)
    command.add_argument("--base", required=True, metavar="REV", help=_BASE)
    _add_evidence(command)
    command.set_defaults(command=_partitions)


def _partitions(options: argparse.Namespace) -> int:
    with Progress() as progress:
        told = asyncio.run(partitions_text(_sources(options), progress.tell))
    say(told.rstrip())
    return 0


def add_matrix(commands: Commands) -> None:
    """The options of `recalibrate matrix`."""
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
    say(told.rstrip())
    return 0


def _sources(options: argparse.Namespace) -> Sources:
    return Sources(
        options.repo, options.base, tuple(options.artifacts), options.policy, options.config, options.host_config
    )
