"""What git says about two trees, as values: one entry a file, with its patch and its counts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WORDS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_NONE = "0" * 40


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file of a comparison. `patch` is None for binary content; `status` is GitHub's word."""

    path: str
    previous: str | None
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


def parse_diff(raw: bytes, patches: bytes) -> list[FileDiff]:
    """Join the outputs of `git diff-tree --raw -z` and `git diff-tree -p` over the same two trees."""
    parts, texts = raw.split(b"\0")[:-1], _split(patches)
    out: list[FileDiff] = []
    at = 0
    while at < len(parts):
        head = parts[at].decode().split(" ")
        last = at + (3 if head[4][0] in "RC" else 2)
        names = [name.decode("utf-8", "replace") for name in parts[at + 1 : last]]
        out.append(_file_diff(head, names, texts[len(out)] if len(out) < len(texts) else ""))
        at = last
    return out


def _split(patches: bytes) -> list[str]:
    """Each file's patch, in the order of the raw output.

    No line of content starts with "diff --git": each begins with a blank, +, -, @ or backslash.
    """
    text = patches.decode("utf-8", "replace")
    return f"\n{text}".split("\ndiff --git ")[1:]


def _file_diff(head: Sequence[str], names: Sequence[str], text: str) -> FileDiff:
    """`head` is `:mode mode sha sha letter`; the hunks begin at the first line with `@@`."""
    start = text.find("\n@@ ")
    patch = text[start + 1 :].removesuffix("\n") if start >= 0 else None
    lines = patch.split("\n") if patch else []
    return FileDiff(
        path=names[-1],
        previous=names[0] if len(names) == 2 else None,
        status=_WORDS.get(head[4][0], "changed"),
        sha=head[2] if head[3] == _NONE else head[3],
        additions=sum(line.startswith("+") for line in lines),
        deletions=sum(line.startswith("-") for line in lines),
        patch=patch,
    )
