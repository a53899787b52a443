"""A small repository and nights of logs to try the program on, invented and repeatable.

`generate(dest, Generate(...))` writes them; `python -m bot.sandbox.generator DEST` does it by hand.
Written from the story (`story`) by `repository`, `night`, `logs`, `records`, `api`, `artifact`.
"""

from __future__ import annotations

from bot.sandbox.generator.generate import Generate, Generated, GeneratedRun, generate
from bot.sandbox.generator.night import PlannedRow

__all__ = ["Generate", "Generated", "GeneratedRun", "PlannedRow", "generate"]
