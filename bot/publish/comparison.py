"""What a pull request writes beside what the nights measured: values only.

Made by `bot.tasks.comparing`, shown by `bot.publish.pull_check`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.config_file import Problem
from bot.domain import CommitSha, Decision, RefusedCall, Registration, Run, Suite


@dataclass(frozen=True, slots=True)
class Compared:
    """One active registration that a pull request adds or changes, and what the nights say to it.

    The decision is about the value that the head writes. `before` is the call with the same key at
    the merge base, None for a new key. `known_pass_s` is the slowest pass of this very file,
    `earlier_pass_s` that of an earlier form of it (0: none); `limit_s` is the written value's
    effective timeout. `elsewhere` names other suites that measured the test.
    """

    decision: Decision
    before: Registration | None
    limit_s: int
    known_pass_s: int = 0
    earlier_pass_s: int = 0
    elsewhere: tuple[Suite, ...] = ()
    unknown_labels: tuple[str, ...] = ()

    @property
    def registration(self) -> Registration:
        """The call as the head writes it."""
        return self.decision.registration

    @property
    def kills(self) -> bool:
        """True where the limit would have killed a pass that is known.

        At the limit, too: the End record rounds, so that a pass of 1800 s may have taken 1800.4 s.
        """
        return 0 < self.limit_s <= self.known_pass_s


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything a pull request's check run can show.

    `refused` holds the calls that the pull request brings and nobody can read; `disabled` counts
    those it brings disabled. `runs` are the attempts that were looked at. `unread_files` counts
    changed files over the bound. `config` holds what is wrong with the configuration file as the
    head has it, None where the pull request leaves the file alone. `label_registry` says why labels
    were not checked, "" where they were.
    """

    repository: str
    head_sha: CommitSha
    base: str
    merge_base: CommitSha
    compared: tuple[Compared, ...] = ()
    refused: tuple[RefusedCall, ...] = ()
    disabled: int = 0
    runs: tuple[Run, ...] = ()
    unread_files: int = 0
    config: tuple[Problem, ...] | None = None
    label_registry: str = ""
    unusable: str = ""  # why nothing could be compared

    @property
    def empty(self) -> bool:
        """True where there is nothing to say."""
        return not (self.compared or self.refused or self.disabled or self.config is not None or self.unusable)
