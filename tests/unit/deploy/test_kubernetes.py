"""The Kubernetes files: what they name exists, pods are confined, probes ask what the service answers."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from pathlib import PurePosixPath
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from bot import __version__
from tests.unit.deploy.deployed import DEPLOY, IMAGE_USER, ROOT, accepted, documents, is_setting
from tests.unit.deploy.kubernetes_fields import KINDS

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


@pytest.mark.parametrize("one", OBJECTS.values(), ids=lambda it: f"{it['kind']}/{it['metadata']['name']}")
def test_every_field_is_one_of_the_api(one: dict[str, Any]) -> None:
    assert KINDS[one["kind"]].model_validate(one)


def test_the_kustomization_has_fields_that_kustomize_knows() -> None:
    assert KINDS["Kustomization"].model_validate(KUSTOMIZATION)


def _misspelt(spec: dict[str, Any]) -> None:
    spec["containers"][0]["volumeMounts"][0]["readonly"] = True


def _misplaced(spec: dict[str, Any]) -> None:
    spec["livenessProbe"] = spec["containers"][0].pop("livenessProbe")


def _of_another_type(spec: dict[str, Any]) -> None:
    spec["containers"][0]["env"][0] = {"name": "RECALIBRATE_PORT", "value": 8080}


@pytest.mark.parametrize("spoilt", [_misspelt, _misplaced, _of_another_type], ids=lambda it: it.__name__.strip("_"))
def test_a_field_that_the_api_server_would_refuse_is_refused(spoilt: Any) -> None:
    one = copy.deepcopy(OBJECTS["Deployment", "recalibrate-web"])
    spoilt(one["spec"]["template"]["spec"])
    with pytest.raises(ValidationError):
        KINDS["Deployment"].model_validate(one)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH: it would build the kustomization")
def test_kustomize_builds_what_the_files_hold_under_the_images_tag() -> None:
    built = subprocess.run(
        ["kubectl", "kustomize", str(FOLDER)],
        capture_output=True,
        check=True,
        timeout=60,
        encoding="utf-8",
    ).stdout
    objects = {(it["kind"], it["metadata"]["name"]): it for it in yaml.safe_load_all(built)}
    assert set(objects) == set(OBJECTS)
    assert all(it["metadata"]["labels"] == {"app.kubernetes.io/part-of": "recalibrate"} for it in objects.values())
    for role in ROLES:
        (only,) = objects["Deployment", f"recalibrate-{role}"]["spec"]["template"]["spec"]["containers"]
        assert only["image"] == f"recalibrate:{__version__}"


@pytest.mark.parametrize("role", ROLES)
def test_other_settings_a_ca_and_the_pages_secrets_may_be_given_and_need_not_be(role: str) -> None:
    assert container(role)["envFrom"] == [{"configMapRef": {"name": "recalibrate", "optional": True}}]
    volumes = {it["name"]: it for it in pod(role)["spec"]["volumes"]}
    mounts = {it["name"]: it["mountPath"] for it in container(role)["volumeMounts"]}
    assert set(volumes) == set(mounts)
    assert volumes["ca"]["configMap"] == {"name": "recalibrate-ca", "optional": True}
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    assert f"RECALIBRATE_CA_FILE={mounts['ca']}/ca.pem" in manual
    assert ("pages" in volumes) == (role == "web")
    if role == "web":
        assert volumes["pages"]["secret"]["optional"] is True
        for name in ("client-secret", "key"):
            variable = f"RECALIBRATE_PAGES_{name.upper().replace('-', '_')}_FILE"
            assert f"{variable}={mounts['pages']}/pages-{name}" in manual


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
    (mounted,) = [it["secret"] for it in pod(role)["spec"]["volumes"] if it["name"] == "secrets"]
    (mount,) = [it["mountPath"] for it in container(role)["volumeMounts"] if it["name"] == "secrets"]
    assert {str(path.parent) for path in files} == {mount}
    assert {path.name for path in files} == {it["path"] for it in mounted["items"]} == {"database-url", needs}
    assert mounted["defaultMode"] & 0o007 == 0


def test_the_manual_makes_every_key_of_the_secret_and_no_file_holds_one() -> None:
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    (command,) = re.findall(
        r"^kubectl create secret generic recalibrate (.*)$", manual.replace("\\\n", ""), re.MULTILINE
    )
    made = set(re.findall(r"--from-(?:literal|file)=([a-z-]+)", command))
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
