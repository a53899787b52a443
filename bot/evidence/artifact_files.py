"""The two JSON files of a log artifact, read into strict models: `run.json` and `manifest.json`.

Only the fields that are used are read; others are ignored. `run.json` is what
`gh run view --json` writes, `manifest.json` what its fetcher does (schema 1). That the two agree
is `bot.evidence.artifacts`' part.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bot.errors import UserError

MAX_JSON_BYTES = 64 * 1024 * 1024

_URL = re.compile(r"https?://[^/\s]+/([^/\s]+/[^/\s]+)/actions/runs/(\d{1,19})(?:/attempts/\d{1,9})?/?$")

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RunJob(_Model):
    """One job of `run.json`."""

    databaseId: Annotated[int, Field(ge=1)]  # noqa: N815 - the file's own key
    name: str
    conclusion: str | None = ""
    startedAt: datetime | None = None  # noqa: N815 - the file's own key
    completedAt: datetime | None = None  # noqa: N815 - the file's own key
    steps: tuple[object, ...] | None = None


class RunFile(_Model):
    """`run.json`. The run's id and repository are those of its `url`."""

    attempt: Annotated[int, Field(ge=1)]
    headSha: Sha  # noqa: N815 - the file's own key
    url: str
    jobs: tuple[RunJob, ...]
    conclusion: str | None = ""
    workflowName: str = ""  # noqa: N815 - the file's own key
    event: str = ""
    headBranch: str = ""  # noqa: N815 - the file's own key
    createdAt: datetime | None = None  # noqa: N815 - the file's own key
    startedAt: datetime | None = None  # noqa: N815 - the file's own key

    @field_validator("url")
    @classmethod
    def _of_a_run(cls, value: str) -> str:
        if not _URL.match(value):
            raise ValueError("not the address of a workflow run")
        return value

    @property
    def run_id(self) -> int:
        """The run's id."""
        found = _URL.match(self.url)
        return int(found[2]) if found else 0

    @property
    def repository(self) -> str:
        """owner/name."""
        found = _URL.match(self.url)
        return found[1] if found else ""


class ManifestJob(_Model):
    """One job of `manifest.json`."""

    job_id: Annotated[int, Field(ge=1)]
    job_name: str
    log_complete: bool
    log_path: str | None = None
    line_count: Annotated[int, Field(ge=0)] = 0
    bytes: Annotated[int, Field(ge=0)] = 0
    incomplete_reason: str | None = None
    fetch_error: str | None = None


class Manifest(_Model):
    """`manifest.json`, schema 1."""

    producer: Annotated[str, Field(min_length=1)]
    schema_version: Literal[1]
    artifact_kind: Literal["complete-gha-job-logs"]
    artifact_dir: str
    repo: Annotated[str, Field(pattern=r"^[^/\s]+/[^/\s]+$")]
    run_id: Annotated[int, Field(ge=1)]
    run_attempt: Annotated[int, Field(ge=1)]
    head_sha: Sha
    jobs: tuple[ManifestJob, ...]

    @field_validator("jobs")
    @classmethod
    def _each_once(cls, value: tuple[ManifestJob, ...]) -> tuple[ManifestJob, ...]:
        if len({job.job_id for job in value}) != len(value):
            raise ValueError("a job is listed twice")
        return value


def load_run(path: Path) -> RunFile:
    """Read `run.json`.

    Raises:
        UserError: it is missing, no JSON, or not of that form.
    """
    return _load(path, RunFile)


def load_manifest(path: Path) -> Manifest:
    """Read `manifest.json`.

    Raises:
        UserError: it is missing, no JSON, or not of schema 1.
    """
    return _load(path, Manifest)


_File = TypeVar("_File", RunFile, Manifest)


def _load(path: Path, model: type[_File]) -> _File:
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise UserError(f"{path}: is larger than {MAX_JSON_BYTES} bytes; this is no log artifact")
        return model.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); give the directory of a log artifact") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UserError(f"{path}: {where}: {first['msg']}; fetch the artifact again, with schema 1") from error
