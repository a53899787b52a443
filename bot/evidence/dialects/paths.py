"""Absolute paths of a log as paths of the repository: by directories the log shows, never by guessing.

actions/checkout says where it puts a repository. A path below the tested repository's directory
is one of its files; one below another checkout's is not; any other stays as it is, and whoever
pairs it with a registration says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.domain import Checkout
from bot.evidence.dialects.port import Told


@dataclass(frozen=True, slots=True)
class Roots:
    """Absolute directories: of the tested repository, and of others."""

    own: frozenset[str]
    foreign: frozenset[str]

    def relative(self, path: str) -> str:
        """The path from the innermost known directory, where that is the tested repository's own."""
        if not path.startswith("/") or ".." in path.split("/"):
            return path
        holding = [root for root in self.own | self.foreign if path.startswith(f"{root}/")]
        innermost = max(holding, key=len, default="")
        return path[len(innermost) + 1 :] if innermost in self.own else path


def roots_of(checkouts: Iterable[Checkout], told: Told) -> Roots:
    """What a log and its reader know; a checkout that names no repository counts as the tested one."""
    own, foreign = set(told.roots), set[str]()
    for checkout in checkouts:
        mine = not told.repository or checkout.repository.lower() in ("", told.repository.lower())
        if checkout.directory:
            (own if mine else foreign).add(checkout.directory)
    return Roots(frozenset(own), frozenset(foreign - own))
