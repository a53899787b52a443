"""The name of a registering function, `register_<backend>_ci`, as text and as bytes.

Where such names stand in a program is `call_sites`' business.
"""

from __future__ import annotations

import re

from bot.domain import Backend

# the repeat is bounded, so that a hostile run of word characters costs at most 64 steps a start
NAME = re.compile(r"\bregister_[a-z0-9_]{1,64}_ci\b")
_IN_BYTES = re.compile(rb"register_[a-z0-9_]{1,64}_ci")


def mentions(raw: bytes) -> bool:
    """True where the bytes hold such a name anywhere."""
    return b"register_" in raw and _IN_BYTES.search(raw) is not None


def is_name(identifier: str) -> bool:
    """True for `register_cuda_ci` and its kind."""
    return NAME.fullmatch(identifier) is not None


def backend_of(identifier: str) -> Backend:
    """`cuda` for `register_cuda_ci`."""
    return Backend(identifier.removeprefix("register_").removesuffix("_ci"))
