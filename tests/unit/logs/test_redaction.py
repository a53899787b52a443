"""Promises of the last thing done to a line: known secrets, and what looks like one, do not stand in it."""

from __future__ import annotations

import json

import pytest

from bot.logs.redaction import REPLACED, Redaction

JWT = "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlc2lnbmF0dXJl"
LOOKS = {
    "an installation's token": ("ghs_16C7e42F292c6912E7710c838347Ae178B4a", "token {}"),
    "a newer one with dots": (f"ghs_123456_{JWT}", "token {}"),
    "a person's token": ("github_pat_11AAAAAAA0aaaaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbbbbbb", "{}"),
    "a JSON web token": (JWT, "signed {} here"),
    "an authorization header": ("abcdefgh12345678", "Authorization: Bearer {}"),
    "a basic one": ("dXNlcjpwYXNzd29yZA==", "authorization: basic {}"),
    "the password of a database": ("heron-lab-77", "postgresql://bot:{}@db.example/recalibrate"),
    "a signed link": ("q1w2e3r4t5y6u7i8", "https://logs.example/a?se=1&sig={}&sp=r"),
    "a key on one line": ("MIIEowIBAAKCAQEA7", "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"),
}


@pytest.mark.parametrize(("secret", "around"), LOOKS.values(), ids=LOOKS)
def test_what_looks_like_a_secret_is_taken_out(secret: str, around: str) -> None:
    text = around.format(secret)
    for written in (text, json.dumps({"detail": text})):
        shown = Redaction().of(written)
        assert secret not in shown
        assert REPLACED in shown


def test_a_known_secret_is_taken_out_line_by_line_wherever_it_stands() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq8\nq9LmXw0Yv3Zk2Vh1Aa==\n-----END RSA PRIVATE KEY-----"
    redaction = Redaction(["plain-words-of-a-person", key])
    shown = redaction.of("it said plain-words-of-a-person, then q9LmXw0Yv3Zk2Vh1Aa== alone")
    assert shown == f"it said {REPLACED}, then {REPLACED} alone"


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Redaction(["password", "password-and-more"]).of("password-and-more") == REPLACED


def test_what_is_no_secret_stays() -> None:
    plain = "GET /repos/zoo/otter/jobs/12/logs: 404 at https://github.example/zoo/otter?page=2, high_water_mark_of_it"
    assert Redaction(["short", ""]).of(plain) == plain
