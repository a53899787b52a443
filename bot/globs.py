"""Path and name patterns of the configuration: `*` within a part, `**` across parts, `?` one character.

One meaning for every glob a person writes (files, suites, tests). Not `fnmatch`, whose `*`
crosses `/`; `pathlib.PurePath.full_match` does the same from Python 3.13 on, through a regular
expression that backtracks without bound. This one takes time in proportion to pattern x name.
"""

from __future__ import annotations


def matches(glob: str, name: str) -> bool:
    """True where the whole of `name` is of the form `glob`. `**` counts where it is a whole part."""
    parts = name.split("/")
    reached = {0}  # how many parts of the name the pattern so far can have consumed
    globs = glob.split("/")
    for number, pattern in enumerate(globs):
        if pattern == "**":
            least = min(reached, default=len(parts)) + (number == len(globs) - 1)  # a last ** stands for something
            reached = set(range(least, len(parts) + 1)) if reached else set()
        else:
            reached = {i + 1 for i in reached if i < len(parts) and _part(pattern, parts[i])}
    return len(parts) in reached


def _part(pattern: str, text: str) -> bool:
    """Match within one part: on a mismatch the last star takes one character more."""
    p = t = 0
    star, resume = -1, 0
    while t < len(text):
        if p < len(pattern) and pattern[p] == "*":
            star, resume = p, t
            p += 1
        elif p < len(pattern) and pattern[p] in ("?", text[t]):
            p, t = p + 1, t + 1
        elif star >= 0:
            resume += 1
            p, t = star + 1, resume
        else:
            return False
    return pattern[p:].strip("*") == ""


def matches_any(globs: tuple[str, ...], name: str) -> bool:
    """True where one of `globs` matches."""
    return any(matches(glob, name) for glob in globs)


def never_written(path: str) -> bool:
    """True for what no configuration can make writable.

    That is everything below .github, in any case of its letters (file systems differ), git's own
    files, and paths with a part that leads elsewhere.
    """
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
    return odd or parts[0].lower() == ".github"
