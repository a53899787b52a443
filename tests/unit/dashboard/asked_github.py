"""A GitHub that answers for visitors: who may read what, and what was asked of it. A token is its own login."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.dashboard.ports import Errand, Person
from bot.errors import RetryableError
from bot.records.repositories import Repository


@dataclass
class GitHub:
    """Who may read what, and what was asked."""

    readers: dict[str, set[int]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    away: bool = False

    def sign_in_address(self, errand: Errand) -> str:
        return f"https://github.invalid/?state={errand.state}"

    async def token(self, code: str, errand: Errand) -> str:
        return code

    async def person(self, token: str) -> Person:
        self.asked.append("person")
        return Person(1, token)

    async def may_read(self, token: str, repository: Repository) -> bool:
        if self.away:
            raise RetryableError("away")
        self.asked.append(f"{token}:{repository.repository_id}")
        return repository.repository_id in self.readers.get(token, set())

    async def take_back(self, token: str) -> None:
        self.readers.pop(token, None)
