"""Single settings of the environment, by name: read, held to their bounds, and named where they are wrong.

Which settings there are is `bot.settings`' part. A secret may be given by value or, with `_FILE` behind
its name, by the path of a file that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from bot.errors import UserError

PREFIX = "RECALIBRATE_"
_MADE = "; `recalibrate setup` makes the App and writes this down"
_MAKES = dict.fromkeys(("APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET"), _MADE)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What a person can fix in here is told with the variable's name, `RECALIBRATE_` left out here.

    Raises:
        UserError: as it was raised inside, the variable in front.
    """
    try:
        yield
    except UserError as error:
        raise UserError(f"{PREFIX}{name}: {error}") from error


class Environment:
    """Variables whose names begin with `RECALIBRATE_`, which is left out where one is named here.

    Every method raises `UserError` for a wrong one; the message names the variable and the remedy.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def text(self, name: str, default: str) -> str:
        """Its text without space around it; the default where it is empty or not set."""
        return self._variables.get(PREFIX + name, "").strip() or default

    def whole(self, name: str, *, low: int, high: int, default: int | None = None) -> int:
        """A whole number from `low` to `high`; without a default it must be set."""
        raw = self._variables.get(PREFIX + name, "").strip()
        if not raw and default is not None:
            return default
        if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
            given, makes = raw or "not set", "" if raw else _MAKES.get(name, "")
            raise UserError(f"{PREFIX}{name}: {given}; give a whole number from {low} to {high}{makes}")
        return int(raw)

    def one_of(self, name: str, given: str, names: type[StrEnum]) -> str:
        """`given`, which must be a value of `names`."""
        known = [one.value for one in names]
        if given not in known:
            raise UserError(f"{PREFIX}{name}: {given}; give one of {', '.join(known)}")
        return given

    def secret(self, name: str) -> str:
        """A secret that must be set, without space around it."""
        value = self.secret_if_set(name)
        if not value:
            either = f"give it, or {PREFIX}{name}_FILE with the path of a file"
            raise UserError(f"{PREFIX}{name}: not set; {either}{_MAKES.get(name, '')}")
        return value

    def secret_if_set(self, name: str) -> str:
        """A secret without space around it; empty where it is not set. Its file must be there where one is named."""
        value = self._variables.get(PREFIX + name, "")
        path = self._variables.get(f"{PREFIX}{name}_FILE", "")
        if value and path:
            raise UserError(f"{PREFIX}{name} and {PREFIX}{name}_FILE are both set; keep one")
        if path:
            try:
                value = Path(path).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                why = error.strerror if isinstance(error, OSError) else "not UTF-8"
                raise UserError(f"{PREFIX}{name}_FILE: {path}: cannot be read: {why}") from None
        return value.strip()
