"""What every section of a watched repository's file is built from: the strict model, and kinds of values.

No setting is defined here.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"  # owner/name, GitHub's own limits

PlugInName = Annotated[str, Field(max_length=40)]  # which there are, `bot.config_names` knows


class Strict(BaseModel):
    """Unknown keys are refused; values are not coerced from other types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
