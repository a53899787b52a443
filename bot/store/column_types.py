"""Column types that hold the same values on SQLite and Postgres.

What a column cannot hold is an `UnstorableError`, never a silently different value.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import BigInteger, DateTime, Dialect, Double, Text
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator

from bot.errors import InternalError
from bot.store import codec

SHORT_TEXT_LIMIT = 255  # characters; a Postgres index row ends near 2,700 bytes
_SIGNED_64 = 2**63

# Postgres refuses U+0000 in text, and UTF-8 has no lone surrogates. Both occur in hostile names
# (git allows any byte but NUL and "/" in them, and undecodable bytes become surrogates). They are
# written as U+001A and four hex digits, and so is U+001A itself.
_ESCAPE = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


class UnstorableError(InternalError, DontWrapMixin):
    """A value that a column cannot hold; the parser or the edge should have bounded it."""


def escape(text: str) -> str:
    """`text` with the characters no database takes written as escapes; most text is returned as it is."""
    return _UNSTORABLE.sub(lambda m: f"{_ESCAPE}{ord(m.group()):04x}", text)


def unescape(text: str) -> str:
    """What `escape` was given."""
    return _ESCAPED.sub(lambda m: chr(int(m.group(1), 16)), text)


class AnyText(TypeDecorator[str]):
    """Text of any length and any characters, NUL and lone surrogates included."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """To the database."""
        return None if value is None else escape(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """From the database."""
        return None if value is None else unescape(value)


class ShortText(AnyText):
    """Text that is indexed: at most `SHORT_TEXT_LIMIT` characters."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """To the database."""
        if value is not None and len(value) > SHORT_TEXT_LIMIT:
            raise UnstorableError(f"an identifier of {len(value)} characters; at most {SHORT_TEXT_LIMIT} are stored")
        return super().process_bind_param(value, dialect)


class Whole(TypeDecorator[int]):
    """A signed 64-bit integer."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: int | None, dialect: Dialect) -> int | None:  # noqa: ARG002 - likewise
        """To the database."""
        if value is not None and not -_SIGNED_64 <= value < _SIGNED_64:
            raise UnstorableError("an integer beyond 64 bits")
        return value


class Number(TypeDecorator[float]):
    """A 64-bit float, infinities included. NaN is refused: SQLite would keep it as NULL."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:  # noqa: ARG002 - likewise
        """To the database."""
        if value is None:
            return None
        try:
            number = float(value)
        except OverflowError as error:
            raise UnstorableError("a number beyond the range of a float") from error
        if number != number:  # noqa: PLR0124 - the definition of NaN
            raise UnstorableError("not a number")
        return number


class Moment(TypeDecorator[datetime]):
    """A point in time, kept in UTC to the microsecond. SQLite has no zones: there it is kept without."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To the database."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise UnstorableError("a time without a zone")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


class Json(TypeDecorator[Any]):
    """A nested value of one type as JSON text (`bot.store.codec`)."""

    impl = Text
    cache_ok = True  # adapters are made once, beside the tables, and compare by identity

    def __init__(self, adapter: TypeAdapter[Any]) -> None:
        super().__init__()
        self.adapter = adapter

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 - likewise
        """To the database."""
        return None if value is None else codec.dumps(self.adapter, value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002 - likewise
        """From the database."""
        return None if value is None else codec.loads(self.adapter, value)
