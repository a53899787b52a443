"""The tables of the ways registrations are written, and which of them wrote a given file.

To add one: a module here, and its line below. `REGISTRATIONS` holds what stands in the test files
themselves, told from the bytes; `YAML_FORMS` what stands in files of estimates that the
configuration names.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import TestPath
from bot.edit.registrations import register_call, staged_call, yaml_list, yaml_mapping
from bot.edit.registrations.contract import RegistrationDialect
from bot.edit.registrations.yaml_file import YamlDialect, YamlForm
from bot.repo_config import DEFAULT
from bot.repo_config.registrations import Registrations

REGISTRATIONS: dict[str, RegistrationDialect] = {
    "staged_call": staged_call,
    "register_call": register_call,
}
YAML_FORMS: dict[str, YamlForm] = {
    "yaml_mapping": yaml_mapping,
    "yaml_list": yaml_list,
}


def dialect_of(raw: bytes) -> RegistrationDialect | None:
    """The first dialect whose registrations the bytes of a test file may hold."""
    return AUTOMATIC.of(TestPath(""), raw)


@dataclass(frozen=True, slots=True)
class Dialects:
    """Which dialects read a repository: those configured, else whatever a file's bytes show."""

    settings: Registrations = DEFAULT.registrations

    def of(self, path: TestPath, raw: bytes) -> RegistrationDialect | None:
        """The dialect of one file; None where none may read it or it holds no registration."""
        yaml = self.yaml(path)
        if yaml is not None:
            return yaml
        if not any(dialect.mentions(raw) for dialect in REGISTRATIONS.values()):
            return None
        chosen = [REGISTRATIONS[name] for name in self.settings.dialects or REGISTRATIONS]
        return next((dialect for dialect in chosen if dialect.mentions(raw)), chosen[0])

    def yaml(self, path: TestPath) -> YamlDialect | None:
        """The dialect of a configured file of estimates; its first entry in the configuration wins."""
        for section in self.settings.yaml:
            if section.file == path:
                told = "yaml_mapping" if section.key else "yaml_list"
                return YamlDialect(YAML_FORMS[section.form or told], section)
        return None

    @property
    def yaml_files(self) -> frozenset[TestPath]:
        """The configured files of estimates."""
        return frozenset(TestPath(section.file) for section in self.settings.yaml)


AUTOMATIC = Dialects()
