"""The settings of nights: which runs are some, how long they are kept, and what crosses repositories.

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
