"""Path and name patterns of the configuration: `*` within a part, `**` across parts, `?` one character.

One meaning for every glob a person writes (files, suites, tests). Not `fnmatch`, whose `*`
crosses `/`; `pathlib.PurePath.full_match` does the same from Python 3.13 on.
"""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    out: list[str] = []
    i = 0
    while i < len(glob):
        if glob.startswith("**/", i):
            out.append("(?:[^/]+/)*")
            i += 3
        elif glob.startswith("**", i):
            out.append(".*")
            i += 2
        elif glob[i] == "*":
            while glob.startswith("*", i + 1):  # a run of stars means what one star means
                i += 1
            out.append("[^/]*")
            i += 1
        elif glob[i] == "?":
            out.append("[^/]")
            i += 1
        else:
            out.append(re.escape(glob[i]))
            i += 1
    return re.compile("".join(out) + r"\Z", re.DOTALL)


def matches(glob: str, name: str) -> bool:
    """True where the whole of `name` is of the form `glob`."""
    return _compiled(glob).match(name) is not None


def matches_any(globs: tuple[str, ...], name: str) -> bool:
    """True where one of `globs` matches."""
    return any(matches(glob, name) for glob in globs)
