"""What the suite runner does with estimates: the limit of a file, the budget of a partition.

They are told to us, and not set in the runner.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from bot.domain import Suite, TimeoutRule
from bot.globs import matches
from bot.repo_config.strict import Strict


class SuiteTimeout(Strict):
    """A suite's own limit."""

    floor_s: Annotated[int, Field(ge=1, le=604_800)] = Field(description="Lowest limit of a file, in seconds.")


class Timeout(Strict):
    """The suite runner's limit for one file: `max(floor_s, int(est_time * factor))`."""

    floor_s: Annotated[int, Field(ge=1, le=604_800)] = Field(
        default=1800, description="Lowest limit of a file, in seconds."
    )
    factor: Annotated[float, Field(ge=1.0, le=100.0)] = Field(default=1.25, description="Limit over estimate.")
    suites: dict[str, SuiteTimeout] = Field(default={}, description="Floors by suite glob; the first match wins.")

    def rule(self, suite: Suite) -> TimeoutRule:
        """The limit of one suite."""
        for glob, own in self.suites.items():
            if matches(glob, suite):
                return TimeoutRule(own.floor_s, self.factor)
        return TimeoutRule(self.floor_s, self.factor)

    def stamped(self) -> dict[str, str | int | float]:
        """What a policy stamp says of the limits; `of_stamp` reads it again."""
        stamp: dict[str, str | int | float] = {"timeout_floor_s": self.floor_s, "timeout_factor": self.factor}
        if self.suites:
            stamp["timeout_floors"] = json.dumps({glob: own.floor_s for glob, own in self.suites.items()})
        return stamp

    @classmethod
    def of_stamp(cls, stamp: Mapping[str, str | int | float]) -> Timeout | None:
        """The limits that a policy stamp tells, None where it tells none."""
        try:
            floors = json.loads(str(stamp.get("timeout_floors", "{}")))
            suites = {glob: {"floor_s": floor} for glob, floor in floors.items()}
            given = {"floor_s": stamp["timeout_floor_s"], "factor": stamp["timeout_factor"], "suites": suites}
            return cls.model_validate(given)
        except (KeyError, ValueError, AttributeError, ValidationError):
            return None


class Partitions(Strict):
    """Partitions of suites."""

    budget_s: Annotated[int, Field(ge=0, le=604_800)] = Field(
        default=0, description="Seconds that one partition may take; a fuller one is named. 0: no budget."
    )
