"""Promises of the store about runs of another repository: whose they are and whom they measure is kept."""

from __future__ import annotations

from bot.domain import RepositoryId, RunEvidence
from bot.records.repositories import Repository
from bot.store.open import Store
from tests.contract.evidence_values import run

GUEST = RepositoryId(7)


def test_a_hosts_run_keeps_its_name_and_follows_the_guests(store: Store) -> None:
    one = RunEvidence(run(1, repository="zoo/ci", measures="zoo/park"), ())
    store.runs.record(GUEST, one)
    store.repositories.save(Repository(GUEST, "zoo/park"))
    (found,) = store.runs.find(GUEST, one.run.run_id)
    assert (found.run.repository, found.run.measures) == ("zoo/ci", "zoo/park")
    store.repositories.save(Repository(GUEST, "zoo/garden"))
    (found,) = store.runs.find(GUEST, one.run.run_id)
    assert (found.run.repository, found.run.measures) == ("zoo/ci", "zoo/garden")
