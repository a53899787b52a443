"""All evidence by registration key, the newest night first. Pure.

Judges nothing; which nights count is the calibration stage's part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bot.domain import KeyHistory, RegistrationKey, Rejection, Sample


def histories(judged: Iterable[Sample | Rejection]) -> Mapping[RegistrationKey, KeyHistory]:
    """One history a key, in the order of keys; rows without a key are in none."""
    samples: dict[RegistrationKey, list[Sample]] = defaultdict(list)
    rejections: dict[RegistrationKey, list[Rejection]] = defaultdict(list)
    for one in judged:
        if isinstance(one, Sample):
            samples[one.key].append(one)
        elif one.key is not None:
            rejections[one.key].append(one)
    return {
        key: KeyHistory(
            key,
            tuple(sorted(samples.get(key, ()), key=_newest_first)),
            tuple(sorted(rejections.get(key, ()), key=_newest_first)),
        )
        for key in sorted(samples.keys() | rejections.keys())
    }


def _newest_first(one: Sample | Rejection) -> tuple[float, int, int, int, int]:
    """By night, then attempt, newest first; by job and plan order inside."""
    moment = one.night_at.timestamp() if one.night_at else 0.0
    return (-moment, -one.row.run_id, -one.row.attempt, one.row.job_id, one.row.plan_index)
