"""How far one set-up has come: the one-time code, the state, and every reason for going no further.

Pure: what came from a browser in, a refusal or None out. No HTTP, no GitHub.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from enum import StrEnum

from bot.forge.manifests import CODE

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that reads like something else
MOST_TRIES = 5


class Refusal(StrEnum):
    """Why a request does nothing."""

    WRONG_HOST = "wrong_host"
    FOREIGN_ORIGIN = "foreign_origin"
    WRONG_CODE = "wrong_code"
    CODE_USED = "code_used"
    TOO_MANY_TRIES = "too_many_tries"
    NOT_BEGUN = "not_begun"
    WRONG_STATE = "wrong_state"
    NO_ANSWER_CODE = "no_answer_code"
    REPLAYED = "replayed"
    CONVERSION_REFUSED = "conversion_refused"
    GITHUB_AWAY = "github_away"
    NOT_KEPT = "not_kept"
    NOT_HERE = "not_here"


def new_code() -> str:
    """A code of 58 bits that a person can read off and type."""
    letters = "".join(secrets.choice(ALPHABET) for _ in range(12))
    return "-".join((letters[:4], letters[4:8], letters[8:]))


def _plain(code: str) -> str:
    return "".join(code.upper().split()).replace("-", "")


def _same(given: str, ours: str) -> bool:
    """Compared in constant time; what cannot be encoded is not what we made."""
    return hmac.compare_digest(given.encode(errors="replace"), ours.encode())


@dataclass(slots=True)
class Dialogue:
    """One set-up. `state` is what GitHub must send back; it leaves this process only once the code was right."""

    code: str = field(default_factory=new_code, repr=False)
    state: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    tries_left: int = MOST_TRIES
    begun: bool = False
    answered: bool = False

    def begin(self, given: str) -> Refusal | None:
        """Take the one-time code; it serves once, and `MOST_TRIES` wrong ones are the end."""
        if self.begun:
            return Refusal.CODE_USED
        if self.tries_left == 0:
            return Refusal.TOO_MANY_TRIES
        if not _same(_plain(given), _plain(self.code)):
            self.tries_left -= 1
            return Refusal.WRONG_CODE if self.tries_left else Refusal.TOO_MANY_TRIES
        self.begun = True
        return None

    def returned(self, state: str, code: str) -> Refusal | None:
        """Check what GitHub sent the browser back with, before anything is done with it."""
        if not self.begun:
            return Refusal.NOT_BEGUN
        if not _same(state, self.state):
            return Refusal.WRONG_STATE
        if self.answered:
            return Refusal.REPLAYED
        if not CODE.match(code):
            return Refusal.NO_ANSWER_CODE
        return None
