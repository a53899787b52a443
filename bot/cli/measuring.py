"""Log artifacts and a repository on this machine, evaluated: what several commands begin with.

Nothing is written, and no code of the repository is run. What becomes of the evaluation is each
command's own part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.calibration.policies import Policy, policy_from
from bot.cli.hosting import with_hosts
from bot.config_file import CONFIG_PATH, Invalid, Unreadable
from bot.config_names import read_config
from bot.domain import CommitSha, Evaluation, Run, RunEvidence, TestPath
from bot.errors import UserError
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job, run_evidence, told_by
from bot.evidence.collect import collect
from bot.evidence.dialects.port import Told
from bot.forge.local_git import LocalGit, open_repository
from bot.repo_config import RepoConfig
from bot.tasks.explaining import jobs_to_explain, told_by_logs
from bot.tasks.gather import Gathered, gather
from bot.tasks.question import Question
from bot.tasks.reading import NoCache, Reader
from bot.tasks.steps import evaluate

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """What to measure with what. `policy` None: the configured one; `config` None: the base's own file."""

    repository: Path
    base: str
    artifacts: tuple[Path, ...]
    policy: str | None = None
    config: Path | None = None
    host_config: Path | None = None  # of the repository whose nightlies measure this one


@dataclass(frozen=True, slots=True)
class Measured:
    """An evaluation with what it was made of."""

    evaluation: Evaluation
    repository: LocalGit
    gathered: Gathered
    config: RepoConfig
    policy: Policy


async def measure(options: Sources, tell: Tell) -> Measured:
    """Evaluate. `tell` is given a line of progress now and then.

    Raises:
        UserError: something a person can fix, with the way.
    """
    repository = await open_repository(options.repository)
    base_sha = await repository.resolve(options.base)
    config, policy = await _settings(options, repository, base_sha)
    source = ArtifactSource(options.artifacts)
    named = await with_hosts(source.runs, repository, config, options.host_config)
    own = [run for run in named if not run.measures]
    await _refuse_foreign(own, repository)
    await _refuse_cut_history(own, repository, base_sha)
    runs = await _read_runs(source, named, tell, told_by(config.logs))
    tell("reading registrations")
    reader = Reader(repository, NoCache(), changes=repository)
    gathered = await gather(reader, options.base, base_sha, runs, config)
    tell("calibrating")
    told = await asyncio.to_thread(told_by_logs, jobs_to_explain(runs, config), config)
    evaluation = evaluate(Question(named[0].measures or named[0].repository, gathered, runs, config, policy, told=told))
    return Measured(evaluation, repository, gathered, config, policy)


async def _settings(options: Sources, repository: LocalGit, base_sha: CommitSha) -> tuple[RepoConfig, Policy]:
    """The configuration and the policy that follows from it; what is wrong is told with file, line and key."""
    raw, place = await _config_bytes(options, repository, base_sha)
    state = read_config(raw)
    if isinstance(state, Invalid):
        raise UserError(f"{place}: {'; '.join(str(problem) for problem in state.problems)}")
    if isinstance(state, Unreadable):
        raise UserError(f"{place}: {state.reason}")
    return state.config, policy_from(state.config.estimate, options.policy)


async def _config_bytes(options: Sources, repository: LocalGit, base_sha: CommitSha) -> tuple[bytes | None, str]:
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


async def _read_runs(source: ArtifactSource, named: Sequence[Run], tell: Tell, told: Told) -> tuple[RunEvidence, ...]:
    found = []
    for run in named:
        logs = await collect(source, run, at_once=1)
        jobs = []
        for number, log in enumerate(logs, start=1):
            jobs.append(await asyncio.to_thread(read_job, run, log, told))
            tell(f"run {run.run_id}, attempt {run.attempt}: log {number} of {len(logs)}")
        found.append(run_evidence(run, jobs))
    return tuple(found)
