"""The question that one evaluation answers, as one value. Asking it is `bot.tasks.evaluating`'s part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.calibration.policies import Policy
from bot.domain import MergedLower, RegistrationKey, RunEvidence
from bot.repo_config import RepoConfig
from bot.tasks.explaining import Told
from bot.tasks.gather import Gathered
from bot.tasks.selection import EVERYTHING, Selection


@dataclass(frozen=True, slots=True)
class Question:
    """Everything one evaluation depends on.

    `published` holds the value that our last merged pull request wrote, by key: a literal that differs
    from the one that was measured and is that value is ours and not a person's. `declined` holds the slowest
    passes that pull requests which a person closed rested on, `lowered` what merged ones lowered.
    `most_edits` None: no cap.
    `told` holds the telling lines of `bot.tasks.explaining.jobs_to_explain`.
    """

    repository: str
    gathered: Gathered
    runs: tuple[RunEvidence, ...]
    config: RepoConfig
    policy: Policy
    published: Mapping[RegistrationKey, float] = field(default_factory=dict)
    declined: Mapping[RegistrationKey, tuple[float, ...]] = field(default_factory=dict)
    lowered: Mapping[RegistrationKey, tuple[MergedLower, ...]] = field(default_factory=dict)
    most_edits: int | None = None
    selection: Selection = EVERYTHING
    report_only: str = ""
    told: Told = field(default_factory=dict)
