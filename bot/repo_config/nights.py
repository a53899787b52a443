"""The settings of nights: which runs are some, when a pass counts, how long they are kept, what crosses repositories.

How their logs are read is in `bot.repo_config.logs`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from bot.repo_config.strict import REPOSITORY, Strict


class Nightly(Strict):
    """Which workflow runs are nights."""

    workflows: tuple[str, ...] = Field(
        default=(), description="Workflow files; empty: any workflow whose logs carry timings."
    )
    events: tuple[str, ...] = Field(default=("schedule",), description="Events that start a nightly.")
    branches: tuple[str, ...] = Field(default=(), description="Branches whose runs count; empty: the default branch.")
    silent_days: Annotated[int, Field(ge=1, le=30)] = Field(
        default=3, description="Days without a completed nightly after which an issue says so."
    )


class IdentityScope(Strict):
    """What must be the same at a night's commit and at the base for a pass to count, beside the test file."""

    imports: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=512)], ...], Field(max_length=100)] = Field(
        default=(),
        description="Globs of the repository's files that count where a test imports or launches them, also by way of "
        "other files that count; empty: none, only the test file itself is compared. Leave out what changes often and "
        "takes no time, such as the module that defines `register_*_ci`.",
    )


class Evidence(Strict):
    """Evidence that crosses repositories; both sides must name the other."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)
    from_: tuple[Annotated[str, Field(pattern=REPOSITORY)], ...] = Field(
        default=(), alias="from", description="Repositories whose nightlies measure this one's tests."
    )
    for_: tuple[Annotated[str, Field(pattern=REPOSITORY)], ...] = Field(
        default=(), alias="for", description="Repositories whose tests this one's nightlies measure."
    )


class History(Strict):
    """What is kept of the nights, and what a first start looks back for."""

    keep_days: Annotated[int, Field(ge=30, le=10_000)] = Field(
        default=400, description="Runs older than this before the newest one are given up."
    )
    backfill_days: Annotated[int, Field(ge=0, le=90)] = Field(
        default=21,
        description="A nightly also reads runs of its workflow of so many days before it that are not known; 0: none.",
    )
    backfill_runs: Annotated[int, Field(ge=0, le=100)] = Field(
        default=13, description="At most so many of them, the newest first."
    )
