"""How long a delivery waits for its answer, over real HTTP, with `recalibrate serve` in a process of its own.

GitHub gives an answer ten seconds. The burst is that of `tests.soak`: signed deliveries, some repeated, some
malformed, eight at a time from a third process, on SQLite. Every tenth becomes a task, which the workers
take up meanwhile.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from bot.sandbox.generator import generate
from tests.chaos.process import killed_rig
from tests.soak.deliveries import Writer
from tests.soak.sending import Reply, send

MANY = 400
SERVE = ("-m", "bot", "serve")


def measure(many: int = MANY) -> dict[str, float]:
    """`ack_p50_ms` and `ack_p99_ms` of one burst."""
    with tempfile.TemporaryDirectory(prefix="recalibrate-ack-") as name:
        folder = Path(name)
        made = generate(folder / "made")
        urls = (f"sqlite:///{folder / 'store.sqlite'}", f"sqlite:///{folder / 'queue.sqlite'}")
        with killed_rig(folder, *urls, SERVE) as rig:
            case, runs = rig.started(made, "ack")
            burst = Writer(rig.world, rig.app, [case.repo], runs[0]).burst(many)
            replies = send(rig.app.webhook_url, burst)
    wrong = [one.guid for one, (status, _) in zip(burst, replies, strict=True) if status not in (one.status, 429)]
    assert wrong == [], wrong
    return {"ack_p50_ms": _percentile(replies, 50), "ack_p99_ms": _percentile(replies, 99)}


def _percentile(replies: list[Reply], which: int) -> float:
    """In milliseconds; the smallest reply that so many of a hundred do not exceed."""
    ordered = sorted(seconds for _, seconds in replies)
    return round(ordered[min(len(ordered) - 1, len(ordered) * which // 100)] * 1000, 1)
