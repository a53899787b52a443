"""How many requests without a valid signature a remote address may send. What is signed is never held up.

A body that is too large or too slow to be read has none.

One bucket an address, refilled with time; the addresses that are remembered are bounded, the one seen
longest ago goes first. Judges no request.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

MOST_REMOTES = 4096
AT_ONCE = 20  # failures that are answered one by one before the limit holds
EVERY_S = 3.0  # seconds that give one of them back


@dataclass(frozen=True, slots=True)
class Failures:
    """Counts failed signatures by remote address. `clock` gives rising seconds."""

    clock: Callable[[], float] = time.monotonic
    _full_at: OrderedDict[str, float] = field(default_factory=OrderedDict)  # when its bucket is full again

    def wait_s(self, remote: str) -> int:
        """Count one failure; 0 where it is within the limit, else whole seconds until the next may be."""
        now = self.clock()
        full_at = max(self._full_at.pop(remote, now), now)
        over = full_at + EVERY_S - now - AT_ONCE * EVERY_S
        self._full_at[remote] = full_at if over > 0 else full_at + EVERY_S
        while len(self._full_at) > MOST_REMOTES:
            self._full_at.popitem(last=False)
        return ceil(over) if over > 0 else 0
