"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of measured nightlies and duration series; skips where it is not given."""
    where = os.environ.get("RECALIBRATE_DATA")
    if not where:
        pytest.skip("RECALIBRATE_DATA is not set: this test reads the shared nightlies")
    return Path(where)
