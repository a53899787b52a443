r"""Makes characters visible that a reader cannot see or that would reorder what they see.

Text from logs, files, names and configuration may hold terminal escapes, bidirectional overrides
(CVE-2021-42574), zero-width characters and line separators. They are written as `\x1b`, `\u202e`,
`\U000e0001`. The set is spelled out rather than taken from the interpreter's Unicode tables, so
that the same text gives the same bytes on every Python. Markdown and CSV are not this module's part.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, marks and fillers without width
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidirectional controls
    "\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff"  # lone surrogates cannot be encoded
    "\U000e0000-\U000e0fff"  # tags and variation selectors
    "]"
)


def escape(char: str) -> str:
    r"""One character in the notation of a Python string: `\x09`, `\u202e`, `\U000e0001`."""
    point = ord(char)
    if point <= 0xFF:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def visible(text: str) -> str:
    """The text with every invisible or reordering character spelled out."""
    return _INVISIBLE.sub(lambda found: escape(found.group()), text)


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters, the last of them `…` where something was left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
