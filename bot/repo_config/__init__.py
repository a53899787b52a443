"""The watched repository's own file, `.github/recalibrate.yml`, as one strict model; each module here holds sections.

Reading a file into it, with lines for what is wrong, is `bot.config_file`'s part.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from bot.repo_config.estimation import Estimation
from bot.repo_config.logs import Logs, Timeouts
from bot.repo_config.nights import Evidence, History, IdentityScope, Nightly
from bot.repo_config.publishing import Checks, Commands, PullRequest
from bot.repo_config.registrations import Labels, Registrations
from bot.repo_config.runner import Partitions, Timeout
from bot.repo_config.strict import Strict


class RepoConfig(Strict):
    """All settings of a watched repository. Every key but `version` is optional."""

    version: Literal[1] = Field(description="The format of this file.")
    mode: Literal["propose", "observe"] = Field(default="propose", description="`observe`: report and check runs only.")
    nightly: Nightly = Field(default=Nightly(), description="Which runs are nights.")
    registrations: Registrations = Field(default=Registrations(), description="What may be read and edited.")
    logs: Logs = Field(default=Logs(), description="How job logs are read.")
    identity: IdentityScope = Field(default=IdentityScope(), description="What must be the same for a pass to count.")
    evidence: Evidence = Field(default=Evidence(), description="Evidence that crosses repositories.")
    estimate: Estimation = Field(default=Estimation(), description="How a measurement becomes a proposal.")
    timeout: Timeout = Field(default=Timeout(), description="The suite runner's limit for one file.")
    timeouts: Timeouts = Field(default=Timeouts(), description="What explains a test that hit its limit.")
    partitions: Partitions = Field(default=Partitions(), description="Partitions of suites.")
    labels: Labels = Field(default=Labels(), description="Label lists.")
    pull_request: PullRequest = Field(default=PullRequest(), description="The rolling pull request.")
    commands: Commands = Field(default=Commands(), description="Who may command the App.")
    history: History = Field(default=History(), description="What is kept of the nights.")
    checks: Checks = Field(default=Checks(), description="Check runs.")

    @field_validator("pull_request")
    @classmethod
    def _no_fleet_labels(cls, value: PullRequest) -> PullRequest:
        """Labels that start GPU fleets need an explicit opt-in (radixark/miles tests/ci/ci_policy.py)."""
        fleet = [x for x in value.labels if x.startswith("run-ci-") or x == "nightly"]
        if fleet and not value.allow_ci_labels:
            raise ValueError(f"labels {fleet} start CI fleets; set allow_ci_labels: true to mean it")
        return value


DEFAULT = RepoConfig(version=1)
