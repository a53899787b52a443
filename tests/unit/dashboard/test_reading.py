"""What a page is given of a store: bounded whatever the store holds, and nothing of what it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.dashboard.reading import key_asked, key_view, log_view, repository_asked, repository_view
from bot.dashboard.views import NIGHTS_PLOTTED, NIGHTS_SHOWN
from bot.overview import Span
from bot.store.open import Store
from tests.pages.made_store import REPOSITORY, SERVER, Size, fill, key

NIGHTS = NIGHTS_PLOTTED + 5
RANKS = 2


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    path: Path = tmp_path_factory.mktemp("reading")
    opened = Store.open(f"sqlite:///{path / 'store.db'}")
    fill(opened, Size(files=4, nights=NIGHTS, ranks=RANKS, evaluations=2))
    yield opened
    opened.close()


def test_a_repository_is_plotted_over_its_newest_nights_whichever_part_of_the_table_is_asked_for(store: Store) -> None:
    newest = repository_view(store, REPOSITORY, SERVER, repository_asked({}))
    older = repository_view(store, REPOSITORY, SERVER, repository_asked({"nights": str(NIGHTS_SHOWN)}))
    assert len(newest.plotted) == NIGHTS_PLOTTED
    assert older.plotted == newest.plotted
    assert newest.nights.items == newest.plotted[:NIGHTS_SHOWN]
    assert older.nights.items == newest.plotted[NIGHTS_SHOWN : 2 * NIGHTS_SHOWN]
    assert newest.nights.more
    assert older.nights.more


def test_a_repository_is_given_what_its_newest_evaluation_decided(store: Store) -> None:
    view = repository_view(store, REPOSITORY, SERVER, repository_asked({}))
    assert view.head is not None
    assert view.evaluation is not None
    assert view.head.evaluation_id == store.evaluations.newest(REPOSITORY.repository_id, 1)[0]
    decisions = store.evaluations.find(view.head.evaluation_id)
    assert decisions is not None
    assert sum(view.counts[name] for name in view.counts if name != "off") == len(decisions.decisions)
    assert view.evaluation.partitions == decisions.partitions


def test_a_test_has_the_nights_that_are_asked_for_and_no_more(store: Store) -> None:
    views = [
        key_view(store, REPOSITORY, SERVER, key(0), Span(NIGHTS_PLOTTED, offset)) for offset in (0, NIGHTS_PLOTTED)
    ]
    rows = [len(view.page.rows) for view in views if view]
    assert rows == [NIGHTS_PLOTTED, NIGHTS - NIGHTS_PLOTTED]
    assert [view.page.more for view in views if view] == [True, False]


@pytest.mark.parametrize(("asked", "limit"), [("", 60), ("400", 400), ("399", 60), ("9" * 30, 60), ("é", 60)])
def test_a_test_shows_as_many_nights_as_are_offered(asked: str, limit: int) -> None:
    assert key_asked({"show": asked})[1] == Span(limit)


def test_what_the_store_does_not_know_has_no_page(store: Store) -> None:
    unknown, nights = key_asked({"path": "tests/none.py", "backend": "cuda", "suite": "x"})
    assert key_view(store, REPOSITORY, SERVER, unknown, nights) is None
    assert log_view(store, REPOSITORY, SERVER, {}) is None
    assert log_view(store, REPOSITORY, SERVER, {"run": "1", "attempt": "1", "job": "9" * 30}) is None


def test_a_log_is_found_by_the_address_that_a_row_links_to(store: Store) -> None:
    view = key_view(store, REPOSITORY, SERVER, key(0), Span(1))
    assert view is not None
    row = view.page.rows[0].timing.row
    found = log_view(
        store, REPOSITORY, SERVER, {"run": str(row.run_id), "attempt": str(row.attempt), "job": str(row.job_id)}
    )
    assert found is not None
    assert row.plan_line in found.log.lines
