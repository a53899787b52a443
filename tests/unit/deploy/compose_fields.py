"""The part of the Compose Specification that our files use, closed: a key that is misspelt or at a wrong place is
refused, as `docker compose config` does.

Names and types: github.com/compose-spec/compose-spec, `schema/compose-spec.json`. A key that a file needs and that is
not here is added from there.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Time = Annotated[str, Field(pattern=r"^\d+(?:ms|s|m|h)$")]


class Part(BaseModel):
    """One object of the specification: nothing that it does not know, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Build(Part):
    context: str = "."
    secrets: list[str] = []


class Needed(Part):
    condition: Literal["service_started", "service_healthy", "service_completed_successfully"]


class Check(Part):
    test: list[str]
    interval: Time
    timeout: Time
    retries: int


class Container(Part):
    image: str = ""
    build: Build | None = None
    user: str = ""
    init: bool = False
    read_only: bool = False
    tmpfs: list[str] = []
    cap_drop: list[str] = []
    security_opt: list[str] = []
    restart: Literal["no", "always", "on-failure", "unless-stopped"] = "no"
    stop_grace_period: Time = "10s"
    env_file: str = ""
    depends_on: dict[str, Needed] = {}
    command: list[str] = []
    environment: dict[str, str] = {}
    secrets: list[str] = []
    volumes: list[str] = []
    ports: list[str] = []
    networks: list[str] = []
    healthcheck: Check | None = None


class Network(Part):
    internal: bool = False


class Secret(Part):
    file: str


class File(Part):
    name: str = ""
    x_service: Container | None = Field(default=None, alias="x-service")
    services: dict[str, Container]
    networks: dict[str, Network | None] = {}
    volumes: dict[str, None] = {}
    secrets: dict[str, Secret] = {}
