"""The settings of registrations: where they are, how they are written, and which labels they carry.

Reading and editing them is `bot.edit`'s part.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from bot.repo_config.strict import PlugInName, Strict


class YamlRegistrations(Strict):
    """One file of estimates in YAML: a mapping under `key`, lists whose sections match `list`, or a form by name."""

    file: Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[^/].*$")] = Field(
        description="The file, from the repository's root."
    )
    key: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Top-level key of a mapping `path: seconds`."
    )
    list: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Glob of top-level keys holding lists of `{name: path, estimated_time: n}`; the key is the suite.",
    )
    suite: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Suite of a mapping's entries; empty: the one suite whose logs schedule the file."
    )
    backend: Annotated[str, Field(max_length=64)] = Field(
        default="", description="Backend of the entries; empty: the one whose logs schedule the file."
    )
    form: PlugInName = Field(default="", description="How the file is written; empty: told from `key` or `list`.")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if not self.form and bool(self.key) == bool(self.list):
            raise ValueError("give exactly one of key (a mapping) and list (lists of entries)")
        if self.list and self.suite:
            raise ValueError("a list's sections are its suites; leave suite out")
        return self


class Registrations(Strict):
    """Where registrations are, how they are written, and the registry their labels come from."""

    paths: tuple[str, ...] = Field(
        default=("**/test_*.py",), description="Globs of the files that may be read and edited."
    )
    label_registry: str = Field(
        default="tests/ci/labels.py:KNOWN_LABELS",
        description="FILE:NAME of the label registry; used where the file exists.",
        pattern=r"^[^:]+:[A-Za-z_][A-Za-z0-9_]*$",
    )
    dialects: tuple[PlugInName, ...] = Field(
        default=(), description="How calls are written; empty: told from each file."
    )
    yaml: Annotated[tuple[YamlRegistrations, ...], Field(max_length=20)] = Field(
        default=(), description="Files of estimates in YAML."
    )


class LabelRule(Strict):
    """Labels that files must carry."""

    paths: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="Globs of test files.")
    require: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="Labels each of them must carry.")


class Labels(Strict):
    """Label lists."""

    rules: tuple[LabelRule, ...] = Field(default=(), description="Labels that are inserted where they are missing.")
    siblings: Literal["off", "suggest"] = Field(
        default="suggest", description="Name tests that lack what all siblings carry."
    )

    @field_validator("siblings", mode="before")
    @classmethod
    def _yaml_off(cls, value: object) -> object:
        """YAML 1.1 reads a bare `off` as false; the documented word is `off`."""
        return "off" if value is False else value
