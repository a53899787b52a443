"""The Kubernetes files: what they name exists, pods are confined, probes ask what the service answers."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

import pytest

from bot import __version__
from tests.unit.deploy.deployed import DEPLOY, IMAGE_USER, ROOT, accepted, documents, is_setting

FOLDER = DEPLOY / "kubernetes"
(KUSTOMIZATION,) = documents(FOLDER / "kustomization.yaml")
OBJECTS = {
    (it["kind"], it["metadata"]["name"]): it for name in KUSTOMIZATION["resources"] for it in documents(FOLDER / name)
}
ROLES = ("web", "worker")


def pod(role: str) -> dict[str, Any]:
    template: dict[str, Any] = OBJECTS["Deployment", f"recalibrate-{role}"]["spec"]["template"]
    return template


def container(role: str) -> dict[str, Any]:
    (only,) = pod(role)["spec"]["containers"]
    return dict(only)


def test_every_file_is_a_resource_and_every_object_is_expected() -> None:
    assert sorted(KUSTOMIZATION["resources"]) == sorted({it.name for it in FOLDER.iterdir()} - {"kustomization.yaml"})
    assert set(OBJECTS) == {
        *((kind, f"recalibrate-{role}") for kind in ("Deployment", "PodDisruptionBudget") for role in ROLES),
        ("Service", "recalibrate-web"),
    }
    assert KUSTOMIZATION["images"] == [{"name": "recalibrate", "newTag": __version__}]


@pytest.mark.parametrize("role", ROLES)
def test_a_pod_is_confined(role: str) -> None:
    spec, only = pod(role)["spec"], container(role)
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] == spec["securityContext"]["fsGroup"] == IMAGE_USER
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert only["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    writable = {it["mountPath"] for it in only["volumeMounts"] if not it.get("readOnly")}
    assert writable == {"/data", "/tmp"}  # noqa: S108 - a path in the container


@pytest.mark.parametrize("role", ROLES)
def test_no_service_can_set_our_settings_by_its_name(role: str) -> None:
    assert pod(role)["spec"]["enableServiceLinks"] is False


@pytest.mark.parametrize("role", ROLES)
def test_it_starts_a_real_command_and_is_asked_what_it_answers(role: str) -> None:
    only = container(role)
    assert only["args"] == ["serve", "--role", role]
    assert accepted(only["args"])
    assert only["image"] == KUSTOMIZATION["images"][0]["name"]
    assert only["ports"] == [{"name": "http", "containerPort": 8080}]
    asked = {"startupProbe": "/healthz", "readinessProbe": "/readyz", "livenessProbe": "/healthz"}
    for probe, path in asked.items():
        assert only[probe]["httpGet"] == {"path": path, "port": "http"}
    assert 'add_get("/healthz"' in (ROOT / "bot" / "app" / "routes.py").read_text(encoding="utf-8")
    assert "RECALIBRATE_PORT=8080" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.parametrize(("role", "needs"), [("web", "webhook-secret"), ("worker", "private-key")])
def test_variables_are_settings_and_a_role_has_its_own_secrets_only(role: str, needs: str) -> None:
    variables = container(role)["env"]
    assert [it["name"] for it in variables if not is_setting(it["name"])] == []
    files = [PurePosixPath(it["value"]) for it in variables if it["name"].endswith("_FILE")]
    (mounted,) = [it["secret"] for it in pod(role)["spec"]["volumes"] if "secret" in it]
    (mount,) = [it["mountPath"] for it in container(role)["volumeMounts"] if it["name"] == "secrets"]
    assert {str(path.parent) for path in files} == {mount}
    assert {path.name for path in files} == {it["path"] for it in mounted["items"]} == {"database-url", needs}
    assert mounted["defaultMode"] & 0o007 == 0


def test_the_manual_makes_every_key_of_the_secret_and_no_file_holds_one() -> None:
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    made = set(re.findall(r"--from-(?:literal|file)=([a-z-]+)", manual))
    asked = {
        it["key"]
        for role in ROLES
        for volume in pod(role)["spec"]["volumes"]
        for it in volume.get("secret", {}).get("items", [])
    }
    asked |= {
        it["valueFrom"]["secretKeyRef"]["key"] for role in ROLES for it in container(role)["env"] if "valueFrom" in it
    }
    assert made == asked


@pytest.mark.parametrize("role", ROLES)
def test_selectors_select_the_pods(role: str) -> None:
    labels = pod(role)["metadata"]["labels"]
    for kind in ("Deployment", "PodDisruptionBudget"):
        assert OBJECTS[kind, f"recalibrate-{role}"]["spec"]["selector"]["matchLabels"] == labels
    assert OBJECTS["PodDisruptionBudget", f"recalibrate-{role}"]["spec"]["maxUnavailable"] == 1
    assert OBJECTS["Deployment", f"recalibrate-{role}"]["spec"]["replicas"] > 1


def test_the_service_leads_to_web() -> None:
    spec = OBJECTS["Service", "recalibrate-web"]["spec"]
    assert spec["selector"] == pod("web")["metadata"]["labels"]
    assert spec["ports"] == [{"name": "http", "port": 80, "targetPort": "http"}]
