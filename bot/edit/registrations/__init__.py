"""The table of the ways registrations are written. To add one: a module here, and its line below."""

from __future__ import annotations

from bot.edit.registrations import register_call
from bot.edit.registrations.contract import RegistrationDialect

REGISTRATIONS: dict[str, RegistrationDialect] = {
    "register_call": register_call,
}


def dialect_of(raw: bytes) -> RegistrationDialect | None:
    """The first dialect whose registrations the bytes may hold."""
    return next((dialect for dialect in REGISTRATIONS.values() if dialect.mentions(raw)), None)
