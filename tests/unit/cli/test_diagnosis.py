"""Promises of what the doctor concludes: what is well has no remedy, what is not has one."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.cli import diagnosis
from bot.cli.diagnosis import Finding, Known, Night
from bot.domain import CommitSha, RepositoryId, RunId, TaskKind
from bot.forge.needs import EVENTS, NEVER
from bot.forge.payloads.apps import AppPayload, HookConfigPayload
from bot.forge.webhook_api import RecentDeliveries
from bot.records.deliveries import FailedDelivery
from bot.records.repositories import ConfigSnapshot, ConfigStatus
from bot.records.work import TaskOutcome
from bot.tasks.outcomes import OutcomeName

NOW = datetime(2026, 8, 3, 12, 0, tzinfo=UTC)
NEEDED = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
LOST = FailedDelivery(1, "guid", "workflow_run", NOW)


@pytest.mark.parametrize(("seconds", "well"), [(0, True), (30, True), (-30, True), (31, False), (-31, False)])
def test_a_clock_may_differ_by_half_a_minute(seconds: int, well: bool) -> None:
    assert diagnosis.clock(NOW + timedelta(seconds=seconds), NOW).well is well


def test_a_clock_that_is_wrong_is_told_with_its_side() -> None:
    assert "90 s ahead of" in str(diagnosis.clock(NOW + timedelta(seconds=90), NOW))
    assert "90 s behind" in str(diagnosis.clock(NOW - timedelta(seconds=90), NOW))


@pytest.mark.parametrize("name", sorted(NEEDED))
def test_each_permission_is_missed(name: str) -> None:
    held = {key: level for key, level in NEEDED.items() if key != name}
    found = list(diagnosis.of_app(AppPayload(id=1, slug="r", permissions=held, events=EVENTS)))
    (bad,) = [one for one in found if not one.well]
    assert name in bad.told


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_is_missed(name: str) -> None:
    events = tuple(one for one in EVENTS if one != name)
    found = list(diagnosis.of_app(AppPayload(id=1, slug="r", permissions=NEEDED, events=events)))
    (bad,) = [one for one in found if not one.well]
    assert bad.told.endswith(name)


@pytest.mark.parametrize("name", NEVER)
def test_a_permission_that_is_never_needed_is_too_much(name: str) -> None:
    held = {**NEEDED, name: "write"}
    found = list(diagnosis.of_app(AppPayload(id=1, slug="r", permissions=held, events=EVENTS)))
    assert [one.told for one in found if not one.well] == [f"has {name}"]


@pytest.mark.parametrize(
    ("recent", "says"),
    [
        (RecentDeliveries(5, ()), "ok   deliveries: all 5 arrived"),
        (RecentDeliveries(0, ()), "webhook active"),
        (RecentDeliveries(2, (LOST,), 401), "same secret"),
        (RecentDeliveries(2, (LOST,), 404), "/webhook"),
        (RecentDeliveries(2, (LOST,), 0), "nobody answered"),
    ],
)
def test_deliveries_are_told_with_what_would_mend_them(recent: RecentDeliveries, says: str) -> None:
    assert says in str(diagnosis.deliveries(recent))


@pytest.mark.parametrize(
    ("hook", "says"),
    [
        (
            HookConfigPayload(url="https://r.zoo/webhook", content_type="json"),
            "ok   webhook: leads to https://r.zoo/webhook",
        ),
        (HookConfigPayload(), "FAIL webhook: none"),
        (HookConfigPayload(url="https://r.zoo/"), "in /webhook"),
        (HookConfigPayload(url="https://r.zoo/webhook", content_type="form"), "application/json"),
        (HookConfigPayload(url="https://r.zoo/webhook", insecure_ssl="1"), "verify the certificate"),
        (HookConfigPayload(url="https://r.zoo/webhook", insecure_ssl=1.0), "verify the certificate"),
    ],
    ids=["well", "none", "elsewhere", "form", "unverified", "unverified number"],
)
def test_a_webhook_is_told_with_what_would_mend_it(hook: HookConfigPayload, says: str) -> None:
    assert says in str(diagnosis.webhook(hook))


def known(status: ConfigStatus, night: Night | None, outcome: str) -> Known:
    config = ConfigSnapshot(status, CommitSha("a" * 40), problems=("line 3: nightly.workflow: unknown key",))
    last = TaskOutcome("t", RepositoryId(1), TaskKind.NIGHTLY, outcome, NOW)
    return Known("a/b", config, night, 7, last)


def failing(one: Known) -> list[str]:
    return [it.what.removeprefix("a/b ") for it in diagnosis.of_repository(one, NOW) if not it.well]


def test_a_repository_fails_in_what_is_wrong_and_in_nothing_else() -> None:
    recent = Night(RunId(1), NOW - timedelta(hours=10))
    assert failing(known(ConfigStatus.VALID, recent, OutcomeName.PUBLISHED)) == []
    assert failing(known(ConfigStatus.ABSENT, recent, OutcomeName.DECLINED)) == []
    assert failing(known(ConfigStatus.INVALID, recent, OutcomeName.PUBLISHED)) == ["configuration"]
    assert failing(known(ConfigStatus.VALID, None, OutcomeName.PUBLISHED)) == ["nightly"]
    old = Night(RunId(1), NOW - timedelta(days=40))
    assert failing(known(ConfigStatus.VALID, old, OutcomeName.PUBLISHED)) == ["nightly"]
    assert failing(known(ConfigStatus.VALID, recent, OutcomeName.LOGS_FORBIDDEN)) == ["last outcome"]
    unseen = Known("a/b", ConfigSnapshot(), None, 0, None)
    assert failing(unseen) == ["configuration", "nightly", "registrations", "last outcome"]


def test_a_foreign_text_stays_on_its_line() -> None:
    line = str(Finding("a/b last outcome", "x\nok   all\x1b[2J" + "y" * 5000, "mend it"))
    assert line.isprintable()
    assert len(line) < 500
    assert line.startswith("FAIL ")
    assert line.endswith("; mend it")
