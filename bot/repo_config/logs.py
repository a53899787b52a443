"""The settings of job logs: their formats, and the lines that tell where a slow test's time went.

Reading them is `bot.evidence`'s part.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from bot.patterns import compiled
from bot.repo_config.strict import PlugInName, Strict


class TimingBlock(Strict):
    """The lines around a block of timings in JSON lines."""

    begin: Annotated[str, Field(min_length=4, max_length=200)] = Field(
        default="TIMINGS BEGIN", description="Text of the line before the block, without `=`, `-`, `#`, `*` around it."
    )
    end: Annotated[str, Field(min_length=4, max_length=200)] = Field(
        default="TIMINGS END", description="Text of the line after it."
    )


class Logs(Strict):
    """How job logs are read."""

    dialects: tuple[PlugInName, ...] = Field(
        default=(), description="Log formats that may be read; empty: told from each log."
    )
    block: TimingBlock = Field(default=TimingBlock(), description="The markers of a block of timings.")
    roots: tuple[Annotated[str, Field(pattern=r"^/.*[^/]$", max_length=512)], ...] = Field(
        default=(), description="Absolute directories that hold the checkout, where the log does not show it."
    )


class FactPattern(Strict):
    """Something a test's log says about how it was launched."""

    name: Annotated[str, Field(min_length=1, max_length=80)] = Field(description="What a report calls it.")
    text: Annotated[str, Field(max_length=200)] = Field(
        description="Text of the line; `{value}` stands for the word that is reported, without it the fact is `on`."
    )
    within: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Only lines that hold this text count."
    )
    absent: Annotated[str, Field(max_length=80)] = Field(
        default="", description="What is reported where lines hold `within` and none holds `text`; empty: nothing."
    )

    @field_validator("text")
    @classmethod
    def _one_value(cls, text: str) -> str:
        if not set(compiled(text).holes) <= {"value"}:
            raise ValueError("a fact's only placeholder is {value}")
        return text


_PROGRESS = ("rollout {done}/{total}", "epoch {done}/{total}", "iteration {done}/{total}", "step {done}/{total}")


_FACTS = (
    FactPattern(name="rollouts", text="--num-rollout {value}"),
    FactPattern(name="global batch", text="--global-batch-size {value}"),
    FactPattern(name="dynamic batching", text="--use-dynamic-batch-size", within="--global-batch-size", absent="off"),
    FactPattern(name="max tokens per GPU", text="--max-tokens-per-gpu {value}"),
    FactPattern(name="num_microbatches_per_rank", text="num_microbatches_per_rank={value}"),
)


class Timeouts(Strict):
    """What is read of a log to explain a test that hit its limit, or nearly did."""

    progress: Annotated[tuple[str, ...], Field(max_length=20)] = Field(
        default=_PROGRESS,
        description="Texts of progress lines with `{done}` and `{total}`; the first that occurs is used.",
    )
    facts: Annotated[tuple[FactPattern, ...], Field(max_length=20)] = Field(
        default=_FACTS, description="Facts of a launch that bear on how long it takes."
    )

    @field_validator("progress")
    @classmethod
    def _both_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            if set(compiled(text).holes) != {"done", "total"}:
                raise ValueError(f"progress pattern {text!r} needs {{done}} and {{total}}, and nothing else")
        return value
