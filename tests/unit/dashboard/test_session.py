"""Promises of the cookies: only ours open, only for their purpose, only for their time; secrets do not show."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bot.dashboard.session import ERRAND_S, SESSION_S, Further, Seal, Session, SigningIn

KEY, OTHER = bytes(range(32)), bytes(32)


@dataclass
class Clock:
    at: float = 1_000_000.0

    def __call__(self) -> float:
        return self.at


def test_what_is_sealed_opens_again_and_says_nothing_in_between() -> None:
    seal = Seal(KEY)
    session = Session(number=1, login="mona", token="planted")
    text = seal.close(session)
    assert seal.open(Session, text, SESSION_S) == session
    assert "mona" not in text
    assert "planted" not in repr(session)
    assert session.sign_out_token not in repr(session)


@pytest.mark.parametrize(
    "text", [None, "", "nonsense", "é" * 10, "A" * 5000], ids=["none", "empty", "text", "é", "long"]
)
def test_anything_else_opens_nothing(text: str | None) -> None:
    assert Seal(KEY).open(Session, text, SESSION_S) is None


def test_a_changed_byte_or_another_key_opens_nothing() -> None:
    text = Seal(KEY).close(Session(number=1, login="mona", token="t"))
    changed = text[:40] + ("A" if text[40] != "A" else "B") + text[41:]
    assert Seal(KEY).open(Session, changed, SESSION_S) is None
    assert Seal(OTHER).open(Session, text, SESSION_S) is None


def test_a_cookie_for_signing_in_is_no_session() -> None:
    seal = Seal(KEY)
    assert seal.open(Session, seal.close(SigningIn(to="/pages")), SESSION_S) is None
    assert seal.open(SigningIn, seal.close(Session(number=1, login="mona", token="t")), ERRAND_S) is None


def test_a_cookie_ends_with_its_time() -> None:
    clock = Clock()
    seal = Seal(KEY, clock)
    text = seal.close(Session(number=1, login="mona", token="t"))
    clock.at += SESSION_S
    assert seal.open(Session, text, SESSION_S)
    clock.at += 1
    assert seal.open(Session, text, SESSION_S) is None


def test_no_two_sign_ins_share_a_state_or_a_verifier() -> None:
    made = [SigningIn(to="/pages") for _ in range(50)]
    assert len({one.state for one in made} | {one.verifier for one in made}) == 100
    assert all(43 <= len(one.verifier) <= 128 for one in made)  # RFC 7636, 4.1


def test_where_a_list_goes_on_is_no_number_that_can_be_read_and_no_session() -> None:
    seal = Seal(KEY)
    text = seal.close(Further(after=123_456_789))
    assert "123456789" not in text
    assert seal.open(Further, text, SESSION_S) == Further(after=123_456_789)
    assert seal.open(Session, text, SESSION_S) is None
    assert seal.open(Further, "123456789", SESSION_S) is None
