"""A raise for a test that is killed at its limit every night, so that it can show what it takes.

No measurement stands behind it; it is proposed only where the configuration asks (`estimate.probe`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from bot.calibration.rounding import bucket
from bot.domain import Estimate, Rejection, TimeoutRule

STEP = 1.5  # the new limit over the one that was too low


def probe(literal: float, rule: TimeoutRule, killed: Sequence[Rejection], nights: int) -> Estimate | None:
    """The value to try after timeouts on so many nights at the present limit; None where there is nothing to try.

    A limit that has been raised since is not raised again before a night has tried it.
    """
    limit = rule.effective(literal)
    seen = {x.row.run_id for x in killed}
    longest = max((x.row.elapsed_s or 0 for x in killed), default=0)
    if len(seen) < nights or longest < limit - 1:
        return None
    raw = limit * STEP / rule.factor
    return Estimate(
        value_s=bucket(ceil(raw)),
        raw_s=raw,
        method=f"probe: limit x {STEP:g}",
        n=0,
        nights=0,
        hosts=0,
        max_elapsed_s=longest,
        spread_s=0,
    )
