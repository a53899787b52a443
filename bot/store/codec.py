"""Nested values as JSON text and back, exactly: tuples, enums, times, infinities, any string.

The text is pure ASCII, so NUL bytes and lone surrogates of hostile names travel as escapes that
every database takes. Nothing is ever pickled.
"""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.errors import InternalError

T = TypeVar("T")


def dumps(adapter: TypeAdapter[T], value: T) -> str:
    """The JSON text of a value."""
    plain = adapter.dump_python(value, mode="json", by_alias=True)
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"))


def loads(adapter: TypeAdapter[T], text: str) -> T:
    """The value of a text that `dumps` wrote, by this version of the program or an earlier one.

    Raises:
        InternalError: the text is not such a value: a field changed without a default or a migration.
    """
    try:
        # JSON knows no tuples and enums: the lax mode turns lists and strings back into them
        plain: Any = json.loads(text)
        return adapter.validate_python(plain, strict=False)
    except (ValueError, ValidationError, RecursionError) as error:
        raise InternalError(f"a stored value cannot be read back: {type(error).__name__}") from error
