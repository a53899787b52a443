"""Promises of `recalibrate doctor`: a well service is all `ok`; what is wrong fails alone, with its remedy."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli.doctor import doctor
from bot.records.work import ProcessRole
from bot.sandbox.auth import generate_key
from bot.sandbox.generator import Generated
from bot.store.migrate import VERSION_TABLE
from bot.store.open import Store
from tests.sandbox.service import Case, Rig, rig
from tests.sandbox.test_command_lines import command

BARE = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, generated: Generated) -> Iterator[Case]:
    """One repository whose newest night was published by a running service."""
    with rig(tmp_path_factory.mktemp("doctor")) as made:
        case, runs = made.started(generated, "well")
        yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        case.repo.runs[runs[-1]][1].run["created_at"] = yesterday
        assert case.nightly(runs[-1]).outcome == "published"
        yield case


def environment(at: Rig) -> dict[str, str]:
    settings = at.settings
    return {
        **BARE,
        "NO_PROXY": "127.0.0.1",
        "RECALIBRATE_GITHUB_URL": settings.github_url,
        "RECALIBRATE_APP_ID": str(settings.app_id),
        "RECALIBRATE_PRIVATE_KEY": settings.private_key,
        "RECALIBRATE_WEBHOOK_SECRET": settings.webhook_secret,
        "RECALIBRATE_DATABASE_URL": settings.database_url,
        "RECALIBRATE_QUEUE_URL": settings.queue_url,
        "RECALIBRATE_WORK_DIR": str(settings.work_dir),
    }


def examined(case: Case, changed: Mapping[str, str] | None = None) -> tuple[list[str], list[str]]:
    """The lines that are well and those that fail."""
    lines: list[str] = []
    well = asyncio.run(doctor({**environment(case.rig), **(changed or {})}, ProcessRole.ALL, lines.append))
    bad = [line for line in lines if line.startswith("FAIL ")]
    assert all(line.startswith(("ok   ", "FAIL ")) for line in lines)
    assert well is (not bad)
    return [line for line in lines if line not in bad], bad


def test_a_well_service_is_ok_in_every_line_with_status_zero(seen: Case) -> None:
    status, out, err = asyncio.run(command(environment(seen.rig), "doctor"))
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert all(line.startswith("ok   ") for line in lines), out
    name = seen.repo.full_name
    for what in (
        "settings: readable",
        "network: GitHub is reached directly",
        "store: reachable and migrated",
        "queue: its database is reachable",
        "clock: within",
        f"app: {seen.rig.app.slug}, id",
        "app permissions: as needed",
        "app events: as needed",
        f"webhook: leads to {seen.rig.app.webhook_url}",
        "deliveries: all",
        f"installation {seen.installation.id} (well-lab): grants",
        f"{name} configuration: valid at ",
        f"{name} nightly: newest is run",
        f"{name} registrations: ",
        f"{name} last outcome: nightly of",
    ):
        assert sum(line.startswith(f"ok   {what}") for line in lines) >= 1, what
    assert f"ok   {name} registrations: 0" not in out


def test_something_that_is_wrong_gives_status_two(seen: Case) -> None:
    wrong = {**environment(seen.rig), "RECALIBRATE_PRIVATE_KEY": generate_key()[0].decode()}
    status, out, err = asyncio.run(command(wrong, "doctor"))
    assert (status, err) == (2, "")
    bad = [line for line in out.splitlines() if line.startswith("FAIL ")]
    assert [line.split(":")[0] for line in bad] == ["FAIL app", "FAIL webhook", "FAIL deliveries", "FAIL installations"]
    assert f"ok   {seen.repo.full_name} last outcome" in out  # what the store knows is told all the same
    assert all("not asked: GitHub did not say who the App is" in line for line in bad[1:])
    assert "BEGIN" not in out


def test_settings_that_cannot_be_read_are_the_only_line(seen: Case) -> None:
    _, bad = examined(seen, {"RECALIBRATE_APP_ID": "x"})
    assert len(bad) == 1
    assert "RECALIBRATE_APP_ID" in bad[0]


def test_a_key_that_is_no_key_is_told_and_not_shown(seen: Case) -> None:
    _, bad = examined(seen, {"RECALIBRATE_PRIVATE_KEY": "planted-no-key"})
    assert "private key cannot be read" in bad[0]
    assert "planted-no-key" not in "".join(bad)


def test_databases_that_are_not_there_fail_and_are_not_made(seen: Case, tmp_path: Path) -> None:
    store, queue = tmp_path / "store.sqlite", tmp_path / "queue.sqlite"
    names = ("RECALIBRATE_DATABASE_URL", "RECALIBRATE_QUEUE_URL")
    _, bad = examined(seen, {names[0]: f"sqlite:///{store}", names[1]: f"sqlite:///{queue}"})
    assert [line.split(":")[0] for line in bad] == ["FAIL store", "FAIL queue"]
    assert all("recalibrate serve" in line for line in bad)
    assert list(tmp_path.iterdir()) == []


def test_a_store_without_its_schema_fails_and_is_not_migrated(seen: Case, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    store.touch()
    for _ in range(2):
        _, bad = examined(seen, {"RECALIBRATE_DATABASE_URL": f"sqlite:///{store}"})
        assert [line.partition(";")[0] for line in bad] == ["FAIL store: its schema is not migrated"]


def test_files_that_are_no_databases_fail_alone(seen: Case, tmp_path: Path) -> None:
    junk = tmp_path / "junk.sqlite"
    junk.write_bytes(b"no database, whatever its name says" * 100)
    names = ("RECALIBRATE_DATABASE_URL", "RECALIBRATE_QUEUE_URL")
    _, bad = examined(seen, dict.fromkeys(names, f"sqlite:///{junk}"))
    assert [line.split(":")[0] for line in bad] == ["FAIL store", "FAIL queue"]
    assert all("not a database" in line for line in bad)


def test_a_github_that_does_not_answer_fails_and_the_store_is_told_all_the_same(seen: Case) -> None:
    well, bad = examined(seen, {"RECALIBRATE_GITHUB_URL": "http://127.0.0.1:9"})
    whats = ["FAIL clock", "FAIL app", "FAIL webhook", "FAIL deliveries", "FAIL installations"]
    assert [line.split(":")[0] for line in bad] == whats
    assert ["host_away" in line for line in bad] == [True, False, False, False, False]  # said once
    assert all("not asked: GitHub cannot be reached" in line for line in bad[1:])
    assert any("last outcome" in line for line in well)


def test_what_the_app_and_an_installation_lack_is_named(seen: Case) -> None:
    app, installation = seen.rig.app, seen.installation
    before = dict(app.permissions), app.events, dict(installation.permissions)
    try:
        app.events = tuple(name for name in app.events if name != "workflow_run")
        del app.permissions["checks"]
        installation.permissions["contents"] = "read"
        _, bad = examined(seen)
    finally:
        app.permissions, app.events, installation.permissions = before
    assert [line.partition(";")[0] for line in bad] == [
        "FAIL app permissions: lacks checks: write",
        "FAIL app events: not subscribed to workflow_run",
        f"FAIL installation {installation.id} (well-lab): lacks contents: write",
    ]


def test_a_suspended_installation_fails_and_its_repository_is_still_told(seen: Case) -> None:
    try:
        seen.installation.suspended_at = datetime.now(UTC)
        well, bad = examined(seen)
    finally:
        seen.installation.suspended_at = None
    assert [line.partition(";")[0] for line in bad] == [
        f"FAIL installation {seen.installation.id} (well-lab): suspended"
    ]
    assert any(line.startswith(f"ok   {seen.repo.full_name} last outcome") for line in well)


def test_a_repository_that_is_taken_away_is_told_once(seen: Case) -> None:
    try:
        seen.installation.repositories = set()
        _, bad = examined(seen)
    finally:
        seen.installation.repositories = None
    assert [line.split(":")[0] for line in bad] == [f"FAIL {seen.repo.full_name}"]


def test_a_repository_that_was_never_seen_says_so_in_each_line(seen: Case, generated: Generated) -> None:
    other = seen.rig.case(generated.repository, "unseen")
    try:
        _, bad = examined(seen)
    finally:
        del seen.rig.world.repos[other.repo.full_name.lower()]
        del seen.rig.world.installations[other.installation.id]
    kinds = ("configuration", "nightly", "registrations", "last outcome")
    assert [line.split(":")[0] for line in bad] == [f"FAIL {other.repo.full_name} {kind}" for kind in kinds]


def test_deliveries_that_are_refused_are_told_with_the_remedy(seen: Case) -> None:
    secret = seen.rig.app.webhook_secret
    seen.rig.app.webhook_secret = "another"
    refused = seen.deliver(next(iter(seen.repo.runs)))
    try:
        assert refused.status_code == 401
        _, bad = examined(seen)
    finally:
        seen.rig.app.webhook_secret = secret
        seen.rig.world.deliveries.remove(refused)
    (line,) = bad
    assert "1 never arrived" in line
    assert "answered with 401" in line
    assert "RECALIBRATE_WEBHOOK_SECRET" in line


def test_a_clock_that_is_off_fails_alone(seen: Case) -> None:
    lines: list[str] = []
    ahead = datetime.now(UTC) + timedelta(minutes=5)
    assert asyncio.run(doctor(environment(seen.rig), ProcessRole.ALL, lines.append, lambda: ahead)) is False
    bad = [line for line in lines if line.startswith("FAIL ")]
    assert [line.split(":")[0] for line in bad] == ["FAIL clock"]
    assert "ahead of GitHub's; synchronise it (NTP)" in bad[0]


@pytest.mark.parametrize(
    ("url", "remedy"),
    [("http://127.0.0.1:9/", "end the App's webhook URL in /webhook"), ("", "set the App's webhook active")],
    ids=["elsewhere", "none"],
)
def test_a_webhook_that_leads_elsewhere_fails_alone(seen: Case, url: str, remedy: str) -> None:
    before = seen.rig.app.webhook_url
    try:
        seen.rig.app.webhook_url = url
        _, bad = examined(seen)
    finally:
        seen.rig.app.webhook_url = before
    (line,) = bad
    assert line.startswith("FAIL webhook: ")
    assert remedy in line


def test_no_deliveries_at_all_fail_with_where_to_look(seen: Case) -> None:
    before = list(seen.rig.world.deliveries)
    try:
        seen.rig.world.deliveries.clear()
        _, bad = examined(seen)
    finally:
        seen.rig.world.deliveries.extend(before)
    (line,) = bad
    assert line.startswith("FAIL deliveries: none in the last 3 days; ")


def test_pages_of_another_app_fail_alone(seen: Case) -> None:
    names = ("CLIENT_ID", "CLIENT_SECRET", "URL", "KEY")
    values = (seen.rig.app.client_id, "s", "https://r.zoo", "A" * 43 + "=")
    pages = {f"RECALIBRATE_PAGES_{name}": value for name, value in zip(names, values, strict=True)}
    well, bad = examined(seen, pages)
    assert bad == []
    assert f"ok   pages: sign in through {seen.rig.app.client_id}" in well
    _, bad = examined(seen, {**pages, "RECALIBRATE_PAGES_CLIENT_ID": "Iv1.another"})
    (line,) = bad
    assert f"set RECALIBRATE_PAGES_CLIENT_ID to {seen.rig.app.client_id}" in line


def test_a_way_out_that_leads_nowhere_is_told_once_and_nothing_is_asked_by_it(seen: Case) -> None:
    out = {
        "RECALIBRATE_GITHUB_URL": "https://github.corp.example",
        "RECALIBRATE_PROXY": "http://robot:planted@127.0.0.1:9",
    }
    well, bad = examined(seen, out)
    assert "ok   network: GitHub is reached through http://127.0.0.1:9" in well
    assert len(bad) == 5
    assert ["proxy_away" in line for line in bad] == [True, False, False, False, False]
    assert all("not asked: GitHub cannot be reached" in line for line in bad[1:])
    assert not any("planted" in line for line in bad)


def test_a_store_of_a_newer_program_fails_and_is_left_as_it_is(seen: Case, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    Store.open(f"sqlite:///{store}").close()
    with closing(sqlite3.connect(store)) as database, database:
        database.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")  # noqa: S608 - our own name
    _, bad = examined(seen, {"RECALIBRATE_DATABASE_URL": f"sqlite:///{store}"})
    assert [line.partition(";")[0] for line in bad] == ["FAIL store: its schema is newer than this program"]


def test_a_database_that_nobody_serves_fails_alone(seen: Case) -> None:
    away = "postgresql://recalibrate:planted@127.0.0.1:9/recalibrate"
    _, bad = examined(seen, {"RECALIBRATE_QUEUE_URL": away})
    (line,) = bad
    assert line.startswith("FAIL queue: ")
    assert "planted" not in line


def test_a_configuration_that_is_wrong_is_told_with_its_line_and_how_its_nightly_ended(
    seen: Case, generated: Generated
) -> None:
    case, runs = seen.rig.started(generated, "wrong")
    try:
        case.configure("version: 1\nnightly:\n  workflow: [x]\n")
        assert case.nightly(runs[-1]).outcome == "config_invalid"
        _, bad = examined(seen)
    finally:
        del seen.rig.world.repos[case.repo.full_name.lower()]
        del seen.rig.world.installations[case.installation.id]
    told = {line.split(":")[0].removeprefix(f"FAIL {case.repo.full_name} "): line for line in bad}
    assert "line 3" in told["configuration"]
    assert "recalibrate check-config" in told["configuration"]
    assert "config_invalid" in told["last outcome"]
    assert "How a task ends" in told["last outcome"]
