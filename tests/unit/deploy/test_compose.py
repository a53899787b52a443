"""The compose file: what it names exists, nothing is root or writable, and each role has its own secrets only."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from pydantic import ValidationError

from bot import __version__
from tests.unit.deploy.compose_fields import File
from tests.unit.deploy.deployed import DEPLOY, IMAGE_USER, ROOT, accepted, documents, is_setting

(COMPOSE,) = documents(DEPLOY / "compose.yaml")
SERVICES = COMPOSE["services"]
OURS = ("web", "worker")
ADDED = ("compose.ca.yaml", "compose.pages.yaml")
FILES = sorted(DEPLOY.glob("compose*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_key_is_one_of_the_specification(file: Path) -> None:
    (read,) = documents(file)
    assert File.model_validate(read).services


def _misspelt(read: dict[str, Any]) -> None:
    read["services"]["web"]["readonly"] = True


def _misplaced(read: dict[str, Any]) -> None:
    read["services"]["healthcheck"] = read["services"]["postgres"].pop("healthcheck")


def _of_another_type(read: dict[str, Any]) -> None:
    read["services"]["web"]["init"] = "yes"


@pytest.mark.parametrize("spoilt", [_misspelt, _misplaced, _of_another_type], ids=lambda it: it.__name__.strip("_"))
def test_a_key_that_compose_would_refuse_is_refused(spoilt: Any) -> None:
    (read,) = documents(DEPLOY / "compose.yaml")
    spoilt(read)
    with pytest.raises(ValidationError):
        File.model_validate(read)


@pytest.mark.parametrize("name", ADDED)
def test_what_a_file_adds_is_a_setting_by_a_secret_that_the_manual_makes(name: str) -> None:
    (read,) = documents(DEPLOY / name)
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    assert f"-f deploy/{name}" in manual
    used = set()
    for service, added in read["services"].items():
        assert service in OURS
        assert all(is_setting(variable) for variable in added["environment"])
        files = [PurePosixPath(value) for value in added["environment"].values()]
        assert {str(path.parent) for path in files} == {"/run/secrets"}
        assert {path.name for path in files} == set(added["secrets"])
        used |= set(added["secrets"])
    assert used == set(read["secrets"])
    assert not used & set(COMPOSE["secrets"])
    assert all(f"deploy/{secret['file']}\n" in manual for secret in read["secrets"].values())


def test_everything_else_comes_from_one_file_of_settings_beside_the_secrets() -> None:
    for name in OURS:
        assert SERVICES[name]["env_file"] == "secrets/recalibrate.env"
        assert all(variable.endswith("_FILE") for variable in SERVICES[name]["environment"])
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    assert "> deploy/secrets/recalibrate.env\n" in manual


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
