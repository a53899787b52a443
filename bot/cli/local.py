"""`recalibrate local`: log artifacts and a repository in, evidence, report and patch out.

The whole road without GitHub. Nothing is written before everything is known to be good, nothing is
ever committed, and no code of the repository is run.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.cli.measuring import Sources, Tell, measure
from bot.domain import CommitSha, Evaluation
from bot.errors import UserError
from bot.forge.local_git import LocalGit
from bot.forge.work_tree import check_edits, write_edits
from bot.publish.body import report
from bot.publish.evidence_files import evidence_files
from bot.publish.lines import cited_logs
from bot.publish.links import Links
from bot.publish.log_lines import cited_texts
from bot.publish.parts import stale_parts
from bot.publish.patch import patch


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """What `recalibrate local` was asked to do. `policy` None: the configured one."""

    repository: Path
    base: str
    artifacts: tuple[Path, ...]
    out: Path
    policy: str | None = None
    write: bool = False
    config: Path | None = None
    host_config: Path | None = None

    @property
    def sources(self) -> Sources:
        """What is measured, without what becomes of it."""
        return Sources(self.repository, self.base, self.artifacts, self.policy, self.config, self.host_config)


async def local(options: LocalOptions, tell: Tell) -> Evaluation:
    """Do it. `tell` is given a line of progress now and then.

    Raises:
        UserError: something a person can fix, with the way; nothing was written then.
    """
    measured = await measure(options.sources, tell)
    evaluation = measured.evaluation
    files = _files(evaluation, options)
    work_tree = await _work_tree(measured.repository) if options.write else None
    if work_tree is not None:
        check_edits(work_tree, evaluation.edits)
    _write_out(options.out, files)
    if work_tree is not None:
        write_edits(work_tree, evaluation.edits)
    return evaluation


def _files(evaluation: Evaluation, options: LocalOptions) -> Mapping[str, bytes]:
    texts = cited_texts(cited_logs(evaluation))
    return {
        **evidence_files(evaluation, texts),
        "report.md": report(evaluation, Links(recompute=_recompute(options, evaluation.base_sha))).encode(),
        "changes.patch": patch(evaluation.edits),
    }


def _recompute(options: LocalOptions, base_sha: CommitSha) -> str:
    """The command that makes the same files again: its base is the commit, for a branch moves on."""
    words = ["recalibrate", "local", "--repo", str(options.repository), "--base", base_sha]
    for directory in options.artifacts:
        words += ["--artifacts", str(directory)]
    words += ["--policy", options.policy] if options.policy else []
    words += ["--config", str(options.config)] if options.config else []
    words += ["--host-config", str(options.host_config)] if options.host_config else []
    return shlex.join([*words, "--out", str(options.out)])


async def _work_tree(repository: LocalGit) -> Path:
    root = await repository.work_tree()
    if root is None:
        raise UserError(
            f"{repository.path}: is bare, so --write has no work tree; leave it out and apply changes.patch"
        )
    return root


def _write_out(out: Path, files: Mapping[str, bytes]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            unready = out / f".{name}.part"
            unready.write_bytes(content)
            unready.replace(out / name)
        for name in stale_parts((one.name for one in out.iterdir()), files):
            (out / name).unlink()
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}; give a directory for --out") from None
