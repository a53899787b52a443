"""GitHub-flavoured Markdown built from foreign text that stays text.

GitHub acts on what it finds in text nodes: mentions notify people, `#1` and `fixes #1` link and
close, addresses become links, HTML is rendered. None of that happens inside a code span, so foreign
text is only ever shown in one (`code`), or word by word where a whole sentence must read well
(`prose`). Entities would not do: mentions and mail addresses are searched after they are decoded.
What a report says, and how long it may be, is not this module's part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.publish.visible import clipped, escape, visible

NAME_LIMIT = 200  # characters of one foreign name
PROSE_LIMIT = 600  # characters of one foreign sentence

_UNSAFE_IN_CODE = re.compile("[`|@<>]")
_PLAIN_WORD = re.compile(r"\(?(?:[A-Za-z]+(?:'[a-z]{1,2})?|[0-9]{1,9}(?:\.[0-9]{1,3})?)[.,;:)]{0,2}")
_SAFE_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~/%?=&-]*)?(?:#[A-Za-z0-9._-]*)?")


def code(text: str, limit: int = NAME_LIMIT) -> str:
    r"""Foreign text as a code span that is valid anywhere, in a table too.

    Invisible characters and `` `|@<> `` are spelled out (`\x60`), so that the span neither ends
    early nor means anything to another renderer. At most `limit` characters before that.
    """
    shown = _UNSAFE_IN_CODE.sub(lambda found: escape(found.group()), visible(clipped(text, limit)))
    return f"`{shown}`" if shown.strip() else "(empty)"


def prose(text: str, limit: int = PROSE_LIMIT) -> str:
    """A foreign sentence: plain words and numbers as they are, everything else as code spans."""
    words = clipped(text, limit).split()
    return " ".join(word if _PLAIN_WORD.fullmatch(word) else code(word) for word in words)


def link(shown: str, url: str) -> str:
    """`shown` (Markdown already) linked to `url`; without the link where the address is not plain http(s)."""
    return f"[{shown}]({url})" if _SAFE_URL.fullmatch(url) else shown


def row(cells: Iterable[str]) -> str:
    """One table row of cells that are Markdown already."""
    return "| " + " | ".join(cells) + " |\n"


def table_head(columns: Sequence[str]) -> str:
    """The two head lines of a table. A column whose title begins with `>` is aligned right."""
    titles = row(column.removeprefix(">") for column in columns)
    return titles + "|" + "|".join("---:" if column.startswith(">") else "---" for column in columns) + "|\n"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`; `many` where adding an s is wrong."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
