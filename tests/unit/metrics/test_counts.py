"""Promises of what is counted: bounded label values, and nothing shared between registries."""

from __future__ import annotations

from prometheus_client import REGISTRY

from bot.domain import TaskKind
from bot.forge.calls import Budget, Half, Heard
from bot.metrics.counts import Counts
from bot.tasks.outcomes import OutcomeName
from bot.tasks.stepping import StepEnd
from tests.unit.metrics.scraped import samples


def test_each_event_is_counted_under_its_labels() -> None:
    counts = Counts()
    counts.built("1.2.3", "1", "all")
    counts.delivery("workflow_run", "task")
    counts.page("test", 404)
    counts.task(TaskKind.NIGHTLY, OutcomeName.PUBLISHED)
    counts.task(TaskKind.NIGHTLY, OutcomeName.PUBLISHED)
    counts.step(StepEnd.LATER)
    counts.call(Heard(Half.WRITES, 201))
    counts.call(Heard(Half.READS, 0))
    counts.wait(1.5)
    counts.wait(2.0)
    assert samples(counts.registry) == {
        'recalibrate_build_info{version="1.2.3",pipeline="1",role="all"}': 1.0,
        'recalibrate_deliveries_total{event="workflow_run",answer="task"}': 1.0,
        'recalibrate_pages_total{page="test",status="404"}': 1.0,
        'recalibrate_tasks_total{kind="nightly",outcome="published"}': 2.0,
        'recalibrate_steps_total{result="later"}': 1.0,
        'recalibrate_github_calls_total{half="writes",status="201"}': 1.0,
        'recalibrate_github_calls_total{half="reads",status="none"}': 1.0,
        "recalibrate_github_waits_total": 2.0,
        "recalibrate_github_wait_seconds_total": 3.5,
    }


def test_an_event_that_a_sender_made_up_is_no_label() -> None:
    counts = Counts()
    for event in ("made_up", "made_up_too", ""):
        counts.delivery(event, "unknown_event")
    assert {name: value for name, value in samples(counts.registry).items() if "deliveries" in name} == {
        'recalibrate_deliveries_total{event="other",answer="unknown_event"}': 2.0,
        'recalibrate_deliveries_total{event="unknown",answer="unknown_event"}': 1.0,
    }


def test_a_call_that_names_its_budget_shows_what_is_left() -> None:
    counts = Counts()
    counts.call(Heard(Half.READS, 200, Budget("core", 5000, 4321, 1 << 33)))
    found = samples(counts.registry)
    assert found['recalibrate_github_budget_remaining{resource="core"}'] == 4321
    assert found['recalibrate_github_budget_limit{resource="core"}'] == 5000


def test_two_services_of_one_process_share_nothing_and_leave_the_library_s_own_registry_alone() -> None:
    one, other = Counts(), Counts()
    before = {family.name for family in REGISTRY.collect()}
    one.step(StepEnd.DONE)
    assert 'recalibrate_steps_total{result="done"}' not in samples(other.registry)
    assert {name for name in before if name.startswith("recalibrate")} == set()
