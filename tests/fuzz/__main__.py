"""Generated input for each reader of foreign text: `python -m tests.fuzz SECONDS`, all readers at once.

The last lines say how many inputs were tried and what went wrong. Exit 1 where anything did.
"""

from __future__ import annotations

import sys
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.fuzz.readers import READERS

ROUND = 500  # inputs between two looks at the clock
MOST_FAULTS = 20


def fuzz(name: str, seconds: float) -> tuple[int, list[str]]:
    """How many inputs one reader was given, and each different fault."""
    warnings.simplefilter("error")
    inputs, check = READERS[name]
    tried = 0
    faults: dict[str, str] = {}

    def once(value: Any) -> None:
        nonlocal tried
        tried += 1
        check(value)

    run = _round(once, inputs)
    end = time.monotonic() + seconds
    while time.monotonic() < end and len(faults) < MOST_FAULTS:
        try:
            run()
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            notes = " ".join(getattr(error, "__notes__", []))
            faults.setdefault(f"{type(error).__name__} at {last.name}:{last.lineno}", f"{error} {notes}"[:2000])
    return tried, [f"{place}: {text}" for place, text in faults.items()]


def _round(once: Callable[[Any], None], inputs: Any) -> Callable[[], None]:
    chosen = settings(
        max_examples=ROUND,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    return chosen(given(inputs)(once))


def main(seconds: float) -> int:
    """Run all readers side by side."""
    with ProcessPoolExecutor(len(READERS)) as pool:
        running = {name: pool.submit(fuzz, name, seconds) for name in READERS}
        results = {name: one.result() for name, one in running.items()}
    for name, (_, faults) in results.items():
        for fault in faults:
            print(f"{name}: {fault}")
    for name, (tried, faults) in results.items():
        print(f"fuzz: {name}: {seconds:.0f} s, {tried} inputs, {len(faults)} faults")
    return 1 if any(faults for _, faults in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
