"""The compose file: what it names exists, nothing is root or writable, and each role has its own secrets only."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from bot import __version__
from tests.unit.deploy.deployed import DEPLOY, IMAGE_USER, ROOT, accepted, documents, is_setting

(COMPOSE,) = documents(DEPLOY / "compose.yaml")
SERVICES = COMPOSE["services"]
OURS = ("web", "worker")


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_is_not_root_and_writes_only_what_it_is_given(name: str) -> None:
    service = SERVICES[name]
    assert service["user"].split(":")[0] not in ("", "0", "root")
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service


@pytest.mark.parametrize("name", OURS)
def test_a_role_starts_a_real_command_from_the_image(name: str) -> None:
    service = SERVICES[name]
    assert service["command"] == ["serve", "--role", name]
    assert accepted(service["command"])
    assert not accepted(["serve", "--role", f"{name}s"])
    assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "\nHEALTHCHECK " in image
    assert f"--uid {IMAGE_USER} " in image
    assert service["user"] == f"{IMAGE_USER}:{IMAGE_USER}"
    assert service["image"] == f"recalibrate:{__version__}"
    assert service["volumes"] == [f"{name}:/data"]
    assert "\nVOLUME /data\n" in image


@pytest.mark.parametrize("name", OURS)
def test_variables_are_settings_and_secrets_are_files_that_are_mounted(name: str) -> None:
    service = SERVICES[name]
    assert [it for it in service["environment"] if not is_setting(it)] == []
    files = {it: value for it, value in service["environment"].items() if it.endswith("_FILE")}
    assert sorted(PurePosixPath(value).name for value in files.values()) == sorted(service["secrets"])
    assert all(value.startswith("/run/secrets/") for value in files.values())
    assert not {"RECALIBRATE_DATABASE_URL", "RECALIBRATE_PRIVATE_KEY", "RECALIBRATE_WEBHOOK_SECRET"} & {
        *service["environment"]
    }


def test_only_the_role_that_needs_a_secret_has_it() -> None:
    assert "private-key" not in SERVICES["web"]["secrets"]
    assert "webhook-secret" not in SERVICES["worker"]["secrets"]
    assert [name for name, it in SERVICES.items() if "postgres-password" in it["secrets"]] == ["postgres"]
    used = {secret for it in SERVICES.values() for secret in it["secrets"]}
    assert used == set(COMPOSE["secrets"])


def test_secrets_are_never_committed_and_the_manual_makes_each() -> None:
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    assert "/deploy/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].startswith("secrets/")
        assert f"deploy/{secret['file']}\n" in manual


def test_postgres_is_pinned_checked_and_reached_by_nobody_else() -> None:
    postgres = SERVICES["postgres"]
    assert re.fullmatch(r"postgres:\d+\.\d+", postgres["image"])
    assert postgres["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert "ports" not in postgres
    assert postgres["networks"] == ["database"]
    assert COMPOSE["networks"]["database"]["internal"] is True
    assert all(SERVICES[it]["depends_on"]["postgres"]["condition"] == "service_healthy" for it in OURS)


def test_web_is_published_to_this_machine_alone_on_the_images_port() -> None:
    assert SERVICES["web"]["ports"] == ["127.0.0.1:8080:8080"]
    assert "RECALIBRATE_PORT=8080" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "ports" not in SERVICES["worker"]
