"""Runs of another repository that measure this one: taken where both configurations say so.

`recalibrate local` knows this repository by its remotes and the other by its own configuration
file, which a person hands over. What the words mean is `bot.evidence.foreign`'s part.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.config_file import Invalid, Unreadable
from bot.config_names import read_config
from bot.domain import Run
from bot.errors import UserError
from bot.evidence.foreign import Disagreement, Side, disagreement, measuring
from bot.forge.local_git import LocalGit
from bot.repo_config import RepoConfig
from bot.repo_config.nights import Evidence

_WAY = {
    Disagreement.NOT_TAKEN: "this repository's configuration must list it under evidence.from",
    Disagreement.NOT_GIVEN: "its configuration must list this repository under evidence.for",
    Disagreement.UNKNOWN: "give its .github/recalibrate.yml with --host-config",
}


async def with_hosts(
    runs: Sequence[Run], repository: LocalGit, config: RepoConfig, host_config: Path | None
) -> tuple[Run, ...]:
    """The runs, those of a repository that this one names as a source marked as measuring this one.

    A run of any other repository stays as it is, and is refused where own runs are checked.

    Raises:
        UserError: the other side does not agree, or its configuration is missing or wrong.
    """
    remotes = [remote.repository for remote in await repository.remotes() if remote.repository]
    taken = {name.lower() for name in config.evidence.from_}
    if not remotes or not taken:
        return tuple(runs)
    theirs = _evidence_of(host_config) if host_config else None
    return tuple(
        one
        if one.repository.lower() in remotes or one.repository.lower() not in taken
        else _agreed(one, remotes, config, theirs)
        for one in runs
    )


def _agreed(run: Run, remotes: Sequence[str], config: RepoConfig, theirs: Evidence | None) -> Run:
    hosting = Side(run.repository, theirs)
    found = [(name, disagreement(Side(name, config.evidence), hosting)) for name in remotes]
    agreed = next((name for name, why in found if why is None), None)
    if agreed is not None:
        return measuring(run, agreed)
    raise UserError(f"run {run.run_id} is of {run.repository}: {_WAY[found[0][1] or Disagreement.UNKNOWN]}")


def _evidence_of(path: Path) -> Evidence:
    try:
        state = read_config(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}; give a file for --host-config") from None
    if isinstance(state, Invalid):
        raise UserError(f"{path}: {'; '.join(str(problem) for problem in state.problems)}")
    if isinstance(state, Unreadable):
        raise UserError(f"{path}: {state.reason}")
    return state.config.evidence
