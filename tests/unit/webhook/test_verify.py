"""Promises of signature and shape checks: only GitHub's own bytes pass, and nothing raises."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.webhook.verify import MAX_DEPTH, Delivery, DeliveryRefusal, verify

SECRET = "a planted secret"


def headers(body: bytes, **changed: str) -> dict[str, str]:
    signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    base = {
        "X-Hub-Signature-256": signature,
        "X-GitHub-Event": "workflow_run",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "Content-Type": "application/json; charset=utf-8",
    }
    return {name: value for name, value in (base | changed).items() if value}


def test_a_signed_json_object_is_a_delivery() -> None:
    body = json.dumps({"action": "completed"}).encode()
    assert verify(headers(body), body, SECRET) == Delivery(
        "72d3162e-cc78-11e3-81ab-4c9367dc0958", "workflow_run", {"action": "completed"}
    )


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"X-Hub-Signature-256": ""}, DeliveryRefusal.NO_SIGNATURE),
        ({"X-Hub-Signature-256": "", "X-Hub-Signature": "sha1=" + "0" * 40}, DeliveryRefusal.NO_SIGNATURE),
        ({"X-Hub-Signature-256": "sha1=" + "0" * 40}, DeliveryRefusal.BAD_SIGNATURE),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, DeliveryRefusal.BAD_SIGNATURE),
        ({"X-Hub-Signature-256": "sha256=é" + "0" * 63}, DeliveryRefusal.BAD_SIGNATURE),
        ({"X-GitHub-Event": ""}, DeliveryRefusal.BAD_HEADERS),
        ({"X-GitHub-Event": "Workflow Run"}, DeliveryRefusal.BAD_HEADERS),
        ({"X-GitHub-Delivery": ""}, DeliveryRefusal.BAD_HEADERS),
        ({"X-GitHub-Delivery": "a\nb"}, DeliveryRefusal.BAD_HEADERS),
        ({"Content-Type": "application/x-www-form-urlencoded"}, DeliveryRefusal.NOT_JSON),
        ({"Content-Type": ""}, DeliveryRefusal.NOT_JSON),
    ],
)
def test_each_wrong_header_has_its_refusal(changed: dict[str, str], refusal: DeliveryRefusal) -> None:
    body = b"{}"
    assert verify(headers(body, **changed), body, SECRET) is refusal


@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        (b"", DeliveryRefusal.NOT_JSON),
        (b"{", DeliveryRefusal.NOT_JSON),
        (b"\xff{}", DeliveryRefusal.NOT_JSON),
        (b"[]", DeliveryRefusal.BAD_PAYLOAD),
        (b'"{}"', DeliveryRefusal.BAD_PAYLOAD),
        (b"[" * (MAX_DEPTH + 1), DeliveryRefusal.TOO_DEEP),
        (b'{"a":' * 100_000, DeliveryRefusal.TOO_DEEP),
    ],
)
def test_each_wrong_body_has_its_refusal(body: bytes, refusal: DeliveryRefusal) -> None:
    assert verify(headers(body), body, SECRET) is refusal


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    body = json.dumps({"text": "[{" * 500 + '\\"' + "[" * 500}).encode()
    assert isinstance(verify(headers(body), body, SECRET), Delivery)


def test_a_changed_byte_breaks_the_signature() -> None:
    body = b'{"a": 1}'
    assert verify(headers(body), b'{"a": 2}', SECRET) is DeliveryRefusal.BAD_SIGNATURE


def test_without_a_secret_nothing_is_verified() -> None:
    with pytest.raises(ValueError, match="secret"):
        verify(headers(b"{}"), b"{}", "")


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.binary(max_size=200), st.dictionaries(st.text(max_size=30), st.text(max_size=80), max_size=6))
def test_no_bytes_and_no_headers_raise(body: bytes, extra: dict[str, str]) -> None:
    assert isinstance(verify(extra, body, SECRET), DeliveryRefusal)
    assert isinstance(verify({**extra, **headers(body)}, body, SECRET), Delivery | DeliveryRefusal)


def _nesting(body: str) -> int:
    """The deepest nesting, a character at a time."""
    depth = deepest = 0
    in_string = escaped = False
    for char in body:
        if escaped:
            escaped = False
        elif in_string and char == "\\":
            escaped = True
        elif char == '"':
            in_string = not in_string
        elif not in_string and char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif not in_string and char in "]}":
            depth -= 1
    return deepest


@settings(deadline=None, derandomize=True, max_examples=400)
@given(st.lists(st.sampled_from(["[" * 30, "{" * 20, "[", "]", "{", "}", '"', "\\", "a", "\n", "]" * 9]), max_size=40))
def test_depth_is_counted_outside_strings_alone(pieces: list[str]) -> None:
    body = "".join(pieces)
    refused = verify(headers(body.encode()), body.encode(), SECRET)
    assert (refused is DeliveryRefusal.TOO_DEEP) == (_nesting(body) > MAX_DEPTH)
