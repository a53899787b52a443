"""Tells a placeholder: one value that somebody wrote on several files and that is right for none.

Says nothing about what becomes of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.domain import Backend, Decision, Proposal, Suite

Written = tuple[Suite, Backend, float]  # a literal where it stands

FEWEST = 3  # files that share the literal
FAR = 2  # a factor: what a literal is off for at least half of them, and what their right values are apart


def is_placeholder(literal: float, values: Sequence[float]) -> bool:
    """True for a literal of a suite's files whose right values, in seconds, are these.

    As in sgl-project/sglang pull 29726: five files, all 3600, that took 300 to 2100 s. Files that merely
    grew together share no placeholder: their right values are near one another.
    """
    if len(values) < FEWEST or literal in values:
        return False
    far = sum(literal >= FAR * value or value >= FAR * literal for value in values)
    return FAR * min(values) <= max(values) and 2 * far >= len(values)


def placeholders(decisions: Iterable[Decision]) -> frozenset[Written]:
    """The literals of each suite that are placeholders, by what the measurements of their files would write."""
    values: dict[Written, list[float]] = {}
    for decision in decisions:
        values.setdefault(written(decision), []).append(_value(decision))
    return frozenset(literal for literal, some in values.items() if is_placeholder(literal[2], some))


def written(decision: Decision) -> Written:
    """The decision's literal with its suite."""
    registration = decision.registration
    return registration.key.suite, registration.key.backend, registration.est_time


def _value(decision: Decision) -> float:
    """What the measurements alone would write; the literal where they say nothing else."""
    value = decision.after if isinstance(decision, Proposal) else decision.held
    return decision.registration.est_time if value is None else float(value)
