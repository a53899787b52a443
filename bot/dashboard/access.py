"""Who may see which repository: GitHub's answer to the visitor's own token, kept for minutes.

A repository that is unknown here costs the same question, so that neither the page nor the time it takes
tells it from one that is hidden. Nothing is decided from what is stored, such as `private`.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.dashboard.ports import Visitors
from bot.dashboard.session import Session
from bot.domain import RepositoryId
from bot.records.repositories import Repository

YES_S = 300.0
NO_S = 60.0  # somebody who was just let in waits no longer
MOST_KEPT = 20_000
AT_ONCE = 8  # questions to GitHub in one visitor's name
MOST_ASKED = 400  # for one page of the list
_NOBODYS = RepositoryId(0)  # GitHub counts from 1
LIST_S = 15.0  # no further question begins for it then


@dataclass(frozen=True, slots=True)
class Readable:
    """Some of the repositories that a visitor may see, by name; `after` goes on behind them, 0 at the end."""

    repositories: tuple[Repository, ...]
    after: int = 0


class Access:
    """Asks GitHub, and remembers its answers for a while. `clock` is seconds that only grow."""

    def __init__(self, visitors: Visitors, clock: Callable[[], float] = time.monotonic) -> None:
        self._visitors = visitors
        self._clock = clock
        self._kept: OrderedDict[tuple[bytes, int], tuple[float, bool]] = OrderedDict()

    async def may_read(self, session: Session, repository_id: RepositoryId, found: Repository | None) -> bool:
        """True where GitHub shows the repository to this visitor. `found` is None for an unknown id.

        Raises:
            TokenEndedError: the visitor's token is not valid any more.
            RetryableError: GitHub did not answer.
        """
        key = (hashlib.sha256(session.token.encode()).digest(), repository_id)
        until, answer = self._kept.get(key, (0.0, False))
        if until > self._clock():
            return answer
        answer = await self._ask(session, found)
        self._kept[key] = (self._clock() + (YES_S if answer else NO_S), answer)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return answer

    async def _ask(self, session: Session, found: Repository | None) -> bool:
        """A repository that is unknown here is asked for like any other, under a name that nobody has."""
        if found is None:
            name = f"{session.login}/{secrets.token_hex(16)}"
            await self._visitors.may_read(session.token, Repository(_NOBODYS, name))
            return False
        return await self._visitors.may_read(session.token, found)

    async def readable(self, session: Session, candidates: Sequence[Repository], most: int) -> Readable:
        """The first `most` of the candidates, in ascending order of ids, that the visitor may see; errors as above.

        Questions and time are bounded: then it is fewer, and `after` goes on.
        """
        shown: list[Repository] = []
        asked, until = 0, self._clock() + LIST_S
        while len(shown) <= most and asked < min(len(candidates), MOST_ASKED) and self._clock() < until:
            some = candidates[asked : asked + AT_ONCE]
            answers = await asyncio.gather(*(self.may_read(session, one.repository_id, one) for one in some))
            shown += [one for one, answer in zip(some, answers, strict=True) if answer]
            asked += len(some)
        after = 0
        if len(shown) > most:
            after = shown[most - 1].repository_id
        elif asked < len(candidates):
            after = candidates[asked - 1].repository_id
        return Readable(tuple(sorted(shown[:most], key=lambda one: one.full_name.lower())), after)

    async def number(self, session: Session) -> int:
        """The number of the account whose token it is, by GitHub and now; errors as above."""
        return (await self._visitors.person(session.token)).number

    def forget(self, session: Session) -> None:
        """Drop what was answered to a token that is given back."""
        digest = hashlib.sha256(session.token.encode()).digest()
        for key in [key for key in self._kept if key[0] == digest]:
            del self._kept[key]
