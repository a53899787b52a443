"""The suite names its own tests alike whenever and wherever it is read: workers that share it must agree.

A parameter made from the clock, from a set's order or from a temporary name gives a test another id in each process,
and a run that is split over processes then refuses to start.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COLLECT_S = 240


def test_another_process_with_another_hash_seed_at_another_time_collects_the_same_ids(
    request: pytest.FixtureRequest,
) -> None:
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    again = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:xdist", *request.config.args],
        cwd=request.config.rootpath,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=COLLECT_S,
        check=False,
    )
    assert again.returncode == 0, again.stdout[-2000:] + again.stderr[-2000:]
    there = set(again.stdout.splitlines())
    assert [item.nodeid for item in request.session.items if item.nodeid not in there] == []


def test_no_test_draws_examples_while_a_service_runs_in_its_process(request: pytest.FixtureRequest) -> None:
    """The durable engine's threads take random numbers; Hypothesis fails a test in whose drawing one of them does."""
    drawing = [
        item.nodeid
        for item in request.session.items
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        and "service_rig" in getattr(item, "fixturenames", ())
    ]
    assert drawing == []
