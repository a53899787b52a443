"""What the App needs of GitHub: its permissions and its events, once, for set-up and for the doctor.

Permissions are those of the grants that steps take (`bot.forge.grants`). Asks nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bot.forge.grants import CHECKS, PUBLISH, READ, TALK

EVENTS = ("check_run", "issue_comment", "pull_request", "workflow_run")  # installation events come by themselves
NEVER = ("administration", "workflows")


def _granted() -> Mapping[str, str]:
    wanted: dict[str, str] = {}
    for grant in (READ, PUBLISH, CHECKS, TALK):
        for name, level in grant.permissions:
            wanted[name] = "write" if "write" in (level, wanted.get(name)) else level
    return MappingProxyType(dict(sorted(wanted.items())))


PERMISSIONS = _granted()  # GitHub's name -> read or write


def lacking(granted: Mapping[str, str]) -> tuple[str, ...]:
    """Permissions that are needed and that these do not cover, as `name: level`, by name."""
    return tuple(f"{name}: {level}" for name, level in PERMISSIONS.items() if not _covers(granted, name, level))


def _covers(granted: Mapping[str, str], name: str, level: str) -> bool:
    return granted.get(name) in ("write", "admin", level)
