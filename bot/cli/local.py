"""`recalibrate local`: log artifacts and a repository in, evidence, report and patch out.

The whole road without GitHub. Nothing is written before everything is known to be good, nothing is
ever committed, and no code of the repository is run.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.calibration.policies import Policy, policy_from
from bot.config_file import CONFIG_PATH, Invalid, Unreadable, line_of, parse
from bot.domain import CommitSha, Evaluation, Run, RunEvidence, TestPath
from bot.errors import UserError
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job, run_evidence
from bot.evidence.collect import collect
from bot.forge.local_git import LocalGit, open_repository
from bot.forge.work_tree import check_edits, write_edits
from bot.publish.body import report
from bot.publish.evidence_files import evidence_files
from bot.publish.lines import cited_logs
from bot.publish.links import Links
from bot.publish.log_lines import cited_texts
from bot.publish.patch import patch
from bot.repo_config import RepoConfig
from bot.tasks.explaining import jobs_to_explain, told_by_logs
from bot.tasks.gather import NoCache, Reader, gather
from bot.tasks.steps import Question, evaluate

Tell = Callable[[str], None]


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


async def local(options: LocalOptions, tell: Tell) -> Evaluation:
    """Do it. `tell` is given a line of progress now and then.

    Raises:
        UserError: something a person can fix, with the way; nothing was written then.
    """
    repository = await open_repository(options.repository)
    base_sha = await repository.resolve(options.base)
    config, policy = await _settings(options, repository, base_sha)
    source = ArtifactSource(options.artifacts)
    await _refuse_foreign(source.runs, repository)
    await _refuse_cut_history(source.runs, repository, base_sha)
    runs = await _read_runs(source, tell)
    tell("reading registrations")
    reader = Reader(repository, NoCache(), changes=repository)
    gathered = await gather(reader, options.base, base_sha, runs, config)
    tell("calibrating")
    told = await asyncio.to_thread(told_by_logs, jobs_to_explain(runs, config), config)
    evaluation = evaluate(Question(source.runs[0].repository, gathered, runs, config, policy, told=told))
    files = _files(evaluation, options)
    work_tree = await _work_tree(repository) if options.write else None
    if work_tree is not None:
        check_edits(work_tree, evaluation.edits)
    _write_out(options.out, files)
    if work_tree is not None:
        write_edits(work_tree, evaluation.edits)
    return evaluation


async def _settings(options: LocalOptions, repository: LocalGit, base_sha: CommitSha) -> tuple[RepoConfig, Policy]:
    """The configuration and the policy that follows from it; what is wrong is told with file, line and key."""
    raw, place = await _config_bytes(options, repository, base_sha)
    state = parse(raw)
    if isinstance(state, Invalid):
        raise UserError(f"{place}: {'; '.join(str(problem) for problem in state.problems)}")
    if isinstance(state, Unreadable):
        raise UserError(f"{place}: {state.reason}")
    try:
        return state.config, policy_from(state.config.estimate, options.policy)
    except UserError as error:  # the table of estimators is not the configuration model's to know
        line = line_of(raw or b"", "estimate", "estimator", "name")
        raise UserError(f"{place}: line {line}: {error}") from None


async def _config_bytes(options: LocalOptions, repository: LocalGit, base_sha: CommitSha) -> tuple[bytes | None, str]:
    """The bytes of the configuration and where they are from: the given file, else the base's own."""
    if options.config is not None:
        try:
            return options.config.read_bytes(), str(options.config)
        except OSError as error:
            raise UserError(f"{options.config}: cannot be read: {error.strerror}; give a file for --config") from None
    entry = (await repository.files(base_sha)).get(TestPath(CONFIG_PATH))
    if entry is None:
        return None, CONFIG_PATH
    if not entry.regular:
        raise UserError(f"{CONFIG_PATH} at {options.base}: is no plain file; give one with --config")
    return (await repository.contents([entry.blob]))[entry.blob], f"{CONFIG_PATH} at {options.base}"


async def _refuse_foreign(runs: Sequence[Run], repository: LocalGit) -> None:
    """Every run must be of this repository: its head is here and, where there are remotes, one matches."""
    names = {run.repository.lower() for run in runs}
    if len(names) > 1:
        raise UserError(f"the artifacts are of several repositories: {', '.join(sorted(names))}; give those of one")
    remotes = await repository.remotes()
    for run in runs:
        which = f"run {run.run_id}, attempt {run.attempt}"
        if remotes and run.repository.lower() not in {remote.repository for remote in remotes}:
            found = ", ".join(f"{remote.name}: {remote.repository or 'of no name'}" for remote in remotes)
            raise UserError(
                f"{which} is of {run.repository}, no remote of {repository.path} is ({found}); "
                "give a clone of it, or add it as a remote"
            )
        if not await repository.has(run.head_sha):
            raise UserError(f"{which}: head {run.head_sha} is not in {repository.path}; fetch it first")


async def _refuse_cut_history(runs: Sequence[Run], repository: LocalGit, base_sha: CommitSha) -> None:
    """In a shallow clone "not an ancestor" may mean "not fetched", and good evidence would be turned down."""
    if not await repository.is_shallow():
        return
    for run in runs:
        if not await repository.is_ancestor(run.head_sha, base_sha):
            raise UserError(
                f"run {run.run_id}, attempt {run.attempt}: {repository.path} is a shallow clone and does not show "
                f"whether the base holds {run.head_sha}; complete it: git fetch --unshallow"
            )


async def _read_runs(source: ArtifactSource, tell: Tell) -> tuple[RunEvidence, ...]:
    found = []
    for run in source.runs:
        logs = await collect(source, run, at_once=1)
        jobs = []
        for number, log in enumerate(logs, start=1):
            jobs.append(await asyncio.to_thread(read_job, run, log))
            tell(f"run {run.run_id}, attempt {run.attempt}: log {number} of {len(logs)}")
        found.append(run_evidence(run, jobs))
    return tuple(found)


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
            part = out / f".{name}.part"
            part.write_bytes(content)
            part.replace(out / name)
    except OSError as error:
        raise UserError(f"{out}: cannot be written: {error.strerror}; give a directory for --out") from None
