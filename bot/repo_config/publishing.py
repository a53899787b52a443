"""The settings of what people see of the App: pull request, check runs, answers to commands.

Writing them is `bot.publish`'s part.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from bot import cron
from bot.repo_config.strict import PlugInName, Strict


class PullRequest(Strict):
    """The rolling pull request."""

    schedule: Annotated[str, Field(max_length=200)] = Field(
        default="nightly",
        description="It is updated once at most in each: `nightly`, `weekly`, or a cron expression of five fields "
        "in UTC, after which the next nightly updates it. Counted from its last commit, also where it was merged or "
        "closed since; a person's command need not wait.",
    )
    title: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        default="ci: recalibrate est_time", description="Its title and the subject of its commit."
    )
    labels: tuple[str, ...] = Field(default=(), description="Labels it gets.")
    allow_ci_labels: bool = Field(
        default=False, description="Accept labels that start CI fleets (`run-ci-*`, `nightly`)."
    )
    reviewers: tuple[str, ...] = Field(default=(), description="Logins asked for review.")
    draft: bool = Field(default=False, description="Open it as a draft.")
    max_edits: Annotated[int, Field(ge=1, le=1000)] = Field(default=40, description="Most files it may change.")

    @field_validator("schedule")
    @classmethod
    def _known_schedule(cls, value: str) -> str:
        if value not in ("nightly", "weekly"):
            try:
                cron.parse(value)
            except ValueError as error:
                raise ValueError(f"neither nightly, weekly nor a cron expression: {error}") from None
        return value


class Commands(Strict):
    """Who may command the App."""

    allow: tuple[Literal["read", "triage", "write", "maintain", "admin"], ...] = Field(
        default=("write", "maintain", "admin"), description="Roles that may use every command."
    )
    readers: tuple[PlugInName, ...] = Field(
        default=("explain", "matrix", "help"),
        description="Commands that everyone who can read the repository may use; they change nothing.",
    )


class Checks(Strict):
    """Check runs."""

    nightly: bool = Field(default=True, description="A check run on each nightly's head.")
    registrations: bool = Field(default=True, description="A check run on pull requests that touch registrations.")
    fail_on: Literal["never", "timeout"] = Field(
        default="never",
        description="`timeout`: fail for a test that timed out, and for a written limit that kills a known pass.",
    )
