"""The suite runner's dialect by example: each is documentation, and a test of the whole stage."""

from __future__ import annotations

EXAMPLES: tuple[()] = ()
