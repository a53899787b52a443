"""What every model of an answer is built from; no answer is described here."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class Payload(BaseModel):
    """Frozen; unknown keys are dropped, so that a newer GitHub does not break an older App."""

    model_config = ConfigDict(extra="ignore", frozen=True)
