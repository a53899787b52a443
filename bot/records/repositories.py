"""Records of installations, and of repositories with their configuration as last read.

What happened in them is in the modules beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bot.domain import CommitSha, NightlyFilter, RepositoryId
from bot.repo_config import RepoConfig


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation of the App on an account."""

    installation_id: int
    account: str
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class InstallationLacks:
    """An installation as GitHub lists it, with the permissions it does not grant, such as `checks: write`."""

    installation: Installation
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repository:
    """What GitHub says of a repository. `full_name` is the present owner/name; the id is what counts."""

    repository_id: RepositoryId
    full_name: str
    installation_id: int | None = None  # None: the App has no access any more
    default_branch: str = ""
    private: bool = False
    archived: bool = False


class ConfigStatus(StrEnum):
    """The four states of a configuration file, and the one before it was ever looked at."""

    UNSEEN = "unseen"
    ABSENT = "absent"
    UNREADABLE = "unreadable"
    INVALID = "invalid"
    VALID = "valid"


@dataclass(frozen=True, slots=True)
class ConfigSnapshot:
    """The configuration as last read, and at which commit.

    `config` is None where there is nothing to go by (unseen, unreadable, invalid). `nightly` is
    what routing asks of it.
    """

    status: ConfigStatus = ConfigStatus.UNSEEN
    commit: CommitSha | None = None
    config: RepoConfig | None = None
    nightly: NightlyFilter | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What we remember of a repository beyond what GitHub says."""

    config: ConfigSnapshot = field(default_factory=ConfigSnapshot)
    paused: bool = False
    first_pr_done: bool = False
