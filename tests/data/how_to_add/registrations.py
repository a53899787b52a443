"""Registrations written as a first line, `# tern: 30 s on stage-a`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from bot.domain import Backend, BlobSha, LiteralChange, Registration, RegistrationKey, SourceRegistrations, Suite
from bot.domain import TestPath as Path
from bot.edit.registrations.contract import CallLiterals, Example, Rewritten

_LINE = re.compile(rb"\A# tern: (\d{1,6}) s on (\S{1,80})\n")


def mentions(raw: bytes) -> bool:
    """True for a file with such a line."""
    return _LINE.match(raw) is not None


def read(path: Path, blob: BlobSha, raw: bytes) -> SourceRegistrations:
    """The one registration."""
    found = _LINE.match(raw)
    if not found:
        return SourceRegistrations(path, blob)
    key = RegistrationKey(path, Backend("cuda"), Suite(found[2].decode()))
    one = Registration(key, blob, 0, 1, 1, 1, float(found[1]), found[1].decode(), labels=None)
    return SourceRegistrations(path, blob, (one,))


def literals(raw: bytes) -> tuple[CallLiterals, ...]:
    """Where its number stands."""
    found = _LINE.match(raw)
    return (CallLiterals(0, found.span(1)),) if found else ()


def same_but_literals(before: bytes, after: bytes, indices: frozenset[int]) -> bool:
    """True where all but the number is the same."""
    sides = [_LINE.sub(rb"\2\n", raw) if 0 in indices else raw for raw in (before, after)]
    return sides[0] == sides[1]


def rewrite(raw: bytes, changes: Sequence[LiteralChange]) -> Rewritten:
    """Write the number."""
    done: list[LiteralChange] = []
    for change in changes:
        found = _LINE.match(raw)
        if found and change.est_time is not None:
            start, end = found.span(1)
            raw = raw[:start] + str(change.est_time).encode() + raw[end:]
            done.append(replace(change))
    return Rewritten(raw, tuple(done))


EXAMPLES: tuple[Example, ...] = (
    Example(
        "toy: the number of the first line",
        before=b"# tern: 30 s on stage-a\nimport nothing_at_all\n",
        after=b"# tern: 50 s on stage-a\nimport nothing_at_all\n",
        est_time=50,
    ),
)
