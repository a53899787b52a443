"""The part of Kubernetes' API that our files use, closed: a field that is misspelt, at a wrong place or of a wrong type
is refused, as an API server does under strict validation.

Names, types and what is required: kubernetes.io/docs/reference/kubernetes-api, v1.32. A field that a file needs and
that is not here is added from there.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Labels = dict[str, str]
Port = int | str  # a number, or the name of a container's port
Quantity = Annotated[str, Field(pattern=r"^\d+(?:m|Mi|Gi)?$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$")]
Path = Annotated[str, Field(pattern=r"^/")]


class Part(BaseModel):
    """One object of the API: nothing that it does not know, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, alias_generator=to_camel)


class Meta(Part):
    name: Name
    labels: Labels = {}


class PodMeta(Part):
    labels: Labels


class Selector(Part):
    match_labels: Labels


class KeyRef(Part):
    name: Name
    key: str


class Source(Part):
    secret_key_ref: KeyRef


class Variable(Part):
    name: str
    value: str | None = None
    value_from: Source | None = None


class MapRef(Part):
    name: Name
    optional: bool = False


class EnvFrom(Part):
    config_map_ref: MapRef


class Exec(Part):
    command: list[str]


class Handler(Part):
    exec: Exec


class Lifecycle(Part):
    pre_stop: Handler


class HttpGet(Part):
    path: Path
    port: Port


class Probe(Part):
    http_get: HttpGet
    period_seconds: int = 10
    timeout_seconds: int = 1
    failure_threshold: int = 3


class Requests(Part):
    cpu: Quantity
    memory: Quantity


class Resources(Part):
    requests: Requests


class Capabilities(Part):
    drop: list[str]


class Confinement(Part):
    allow_privilege_escalation: bool
    read_only_root_filesystem: bool
    capabilities: Capabilities


class Mount(Part):
    name: Name
    mount_path: Path
    read_only: bool = False


class ContainerPort(Part):
    name: Annotated[str, Field(max_length=15)]
    container_port: int


class Container(Part):
    name: Name
    image: str
    args: list[str]
    ports: list[ContainerPort]
    env_from: list[EnvFrom]
    env: list[Variable]
    lifecycle: Lifecycle | None = None
    startup_probe: Probe
    readiness_probe: Probe
    liveness_probe: Probe
    resources: Resources
    security_context: Confinement
    volume_mounts: list[Mount]


class KeyToPath(Part):
    key: str
    path: str


class SecretVolume(Part):
    secret_name: Name
    default_mode: int
    optional: bool = False
    items: list[KeyToPath] = []


class EmptyDir(Part):
    pass


class Volume(Part):
    name: Name
    secret: SecretVolume | None = None
    config_map: MapRef | None = None
    empty_dir: EmptyDir | None = None


class Seccomp(Part):
    type: Literal["RuntimeDefault", "Localhost", "Unconfined"]


class PodConfinement(Part):
    run_as_non_root: bool
    run_as_user: int
    run_as_group: int
    fs_group: int
    seccomp_profile: Seccomp


class PodSpec(Part):
    automount_service_account_token: bool
    enable_service_links: bool
    termination_grace_period_seconds: int
    security_context: PodConfinement
    containers: list[Container]
    volumes: list[Volume]


class Template(Part):
    metadata: PodMeta
    spec: PodSpec


class DeploymentSpec(Part):
    replicas: int
    selector: Selector
    template: Template


class Deployment(Part):
    api_version: Literal["apps/v1"]
    kind: Literal["Deployment"]
    metadata: Meta
    spec: DeploymentSpec


class BudgetSpec(Part):
    max_unavailable: int
    selector: Selector


class PodDisruptionBudget(Part):
    api_version: Literal["policy/v1"]
    kind: Literal["PodDisruptionBudget"]
    metadata: Meta
    spec: BudgetSpec


class ServicePort(Part):
    name: Name
    port: int
    target_port: Port


class ServiceSpec(Part):
    selector: Labels
    ports: list[ServicePort]


class Service(Part):
    api_version: Literal["v1"]
    kind: Literal["Service"]
    metadata: Meta
    spec: ServiceSpec


class Pairs(Part):
    pairs: Labels
    include_selectors: bool = False


class Image(Part):
    name: str
    new_name: str = ""
    new_tag: str = ""


class Kustomization(Part):
    api_version: Literal["kustomize.config.k8s.io/v1beta1"]
    kind: Literal["Kustomization"]
    resources: list[str]
    labels: list[Pairs]
    images: list[Image]


KINDS: dict[str, type[Part]] = {it.__name__: it for it in (Deployment, PodDisruptionBudget, Service, Kustomization)}
