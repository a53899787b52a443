"""The settings of calibration: estimator, window, nights needed and guard rails.

Deciding by them is `bot.calibration`'s part.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field, field_validator

from bot.repo_config.strict import PlugInName, Strict


class Estimator(Strict):
    """Which estimator turns samples into a value. What is not given is the estimator's own."""

    name: PlugInName = Field(default="max", description="How samples become a value.")
    headroom: Annotated[float, Field(ge=1.0, le=10.0)] = Field(
        default=1.25, description="Factor over the measurement; median and mean have their own where it is not given."
    )
    q: Annotated[float, Field(ge=0.5, le=1.0)] = Field(default=0.9, description="`quantile`: which one, inclusive.")
    min_samples: Annotated[int, Field(ge=1, le=100)] = Field(
        default=1, description="Fewest passes a value is computed from; at least 3 for `quantile`."
    )
    rounding: Literal["buckets", "nearest_10", "whole"] = Field(
        default="buckets",
        description="`buckets` (up to the next 10 s while at most 200 s, else to the next 100 s), `nearest_10` or "
        "`whole` seconds. `max` always rounds by buckets; `median` and `mean` round to the nearest 10 s by themselves.",
    )


class Window(Strict):
    """Which samples an estimator may use, counted back from the newest run's creation."""

    nights: Annotated[int, Field(ge=1, le=400)] = Field(default=14, description="At most so many nights.")
    days: Annotated[int, Field(ge=1, le=400)] = Field(
        default=21, description="At most so many days before the newest run."
    )


class NightsNeeded(Strict):
    """Nights with a pass that an edit needs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)
    raise_: Annotated[int, Field(ge=1, le=30)] = Field(default=1, alias="raise", description="Nights a raise needs.")
    lower: Annotated[int, Field(ge=1, le=30)] = Field(default=2, description="Complete nights a lower needs.")
    drop: Annotated[int, Field(ge=1, le=30)] = Field(
        default=3, description="Complete nights a lower of more than `max_drop` needs."
    )


class HostsNeeded(Strict):
    """Runners with a pass that an edit needs."""

    lower: Annotated[int, Field(ge=1, le=30)] = Field(default=1, description="Different runners a lower needs.")


class Band(Strict):
    """How far evidence must move to count as moved: the larger of the two."""

    seconds: Annotated[int, Field(ge=0, le=86_400)] = Field(default=30, description="Seconds.")
    share: Annotated[float, Field(ge=0.0, le=1.0)] = Field(default=0.1, description="Share of what it was.")


class MassChange(Strict):
    """When a suite's files have moved together, which is a question and no calibration."""

    share: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.5, description="More than this share of the measured files moved one way."
    )
    files: Annotated[int, Field(ge=2, le=10_000)] = Field(default=5, description="And at least so many.")
    factor: Annotated[float, Field(gt=1.0, le=100.0)] = Field(
        default=1.25, description="Moved: the newest night over the nights before it is beyond this factor."
    )


GuardName = Literal[
    "human_value", "declined", "nights", "partial", "collapse", "hosts", "drop", "timeout", "limit", "mass_change"
]


class Estimation(Strict):
    """How a measurement becomes a proposal."""

    policy: Literal["strict", "default"] = Field(default="default", description="`strict` or `default`.")
    estimator: Estimator = Field(default=Estimator(), description="The estimator and its parameters.")
    window: Window = Field(default=Window(), description="The samples it may use.")
    nights: NightsNeeded = Field(default=NightsNeeded(), description="Nights an edit needs.")
    hosts: HostsNeeded = Field(default=HostsNeeded(), description="Runners an edit needs.")
    max_drop: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.7, description="A lower by more than this share of the literal needs `nights.drop` nights."
    )
    collapse: Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        default=0.3, description="A pass below this share of the test's earlier nights waits for a second one."
    )
    band: Band = Field(default=Band(), description="A declined value stays declined until the evidence leaves it.")
    mass_change: MassChange = Field(default=MassChange(), description="When a suite's files have moved together.")
    guards: tuple[GuardName, ...] = Field(
        default=get_args(GuardName),
        description="The guard rails of the policy `default` that hold. Where none are named, `material: off` leaves "
        "`human_value`, `nights`, `timeout` and `limit`, and those whose own setting is written.",
    )
    material: Literal["on", "off"] = Field(
        default="on",
        description="Propose only what matters to the suite; `max` then looks for the slowest pass in the newest "
        "`nights.lower` nights with one (`min_samples`, if that is more). `off`: every literal that is off, from the "
        "whole window, with fewer `guards`.",
    )
    probe: Literal["off", "on"] = Field(
        default="off", description="Propose a raise for a test that is killed at its limit every night."
    )

    @field_validator("material", "probe", mode="before")
    @classmethod
    def _yaml_switch(cls, value: object) -> object:
        """YAML 1.1 reads a bare `on` or `off` as a boolean; the documented words are `on` and `off`."""
        return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
