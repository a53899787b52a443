"""What a step may do, as GitHub's permissions; nobody gets a wider token because another step needs one.

Taking the token of a grant is `bot.forge.tokens`'s part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.domain import RepositoryId
from bot.forge.endpoint import RepositoryName


@dataclass(frozen=True, slots=True)
class Grant:
    """What one step may do: GitHub's permission names with `read` or `write`, and where.

    Without repositories the token covers the installation's.
    """

    permissions: tuple[tuple[str, str], ...]
    repository_ids: tuple[RepositoryId, ...] = ()
    repositories: tuple[str, ...] = ()  # names without their owner, for a caller that has no id

    def on(self, *repository_ids: RepositoryId) -> Grant:
        """The same permissions on these repositories only."""
        return replace(self, repository_ids=repository_ids, repositories=())

    def named(self, repository: str) -> Grant:
        """The same permissions on this `owner/name` only."""
        return replace(self, repository_ids=(), repositories=(RepositoryName.of(repository).name,))

    def __str__(self) -> str:
        return ", ".join(f"{name}: {level}" for name, level in self.permissions)


READ = Grant((("actions", "read"), ("contents", "read"), ("metadata", "read")))


PUBLISH = Grant((("contents", "write"), ("issues", "write"), ("pull_requests", "write")))


CHECKS = Grant((("checks", "write"), ("metadata", "read")))


TALK = Grant((("issues", "write"), ("metadata", "read"), ("pull_requests", "write")))
