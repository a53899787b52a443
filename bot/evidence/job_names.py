"""Job names as reusable workflows build them: `suite (i) / run`, `suite / run`, `caller / suite (i) / run`.

A name is a hint, never proof: used only where a job has no log that tells its suite.
"""

from __future__ import annotations

import re

from bot.domain import Suite

_SHARD = re.compile(r" \(\d{1,6}\)$")


def stem_of_name(name: str) -> str:
    """The name without its partition's number: equal for all partitions of one suite."""
    return " / ".join(_SHARD.sub("", part) for part in name.split(" / "))


def suite_of_name(name: str) -> Suite | None:
    """The suite that a name of the known forms carries, None for any other name."""
    parts = name.split(" / ")
    return Suite(_SHARD.sub("", parts[-2])) if len(parts) >= 2 and parts[-2] else None
