"""The bench of a large repository runs at any size: its service stops, is given a history, and works the next night."""

from __future__ import annotations

from tests.bench import scale


def test_a_repository_with_a_history_is_measured() -> None:
    found = scale.large(files=100, nights=4)
    assert (found.registrations >= 100, found.nights) == (True, 4)
    assert min(found.first_s, found.nightly_s, found.service_mb, found.worker_mb, found.store_mb) > 0
