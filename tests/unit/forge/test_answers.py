"""Promises about unhappy answers: who can fix them, how long to wait, and that nothing hostile gets through."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.forge.answers import Answer, BusyError, RefusedError, graphql_problem, limited, problem, said, wait_s

NOW = 1_800_000_000.0


def answer(status: int, message: str = "", **headers: str) -> Answer:
    return Answer(
        status,
        {key.replace("_", "-"): value for key, value in headers.items()},
        json.dumps({"message": message}).encode(),
    )


@pytest.mark.parametrize(
    ("given", "wait"),
    [
        (answer(500), 0.0),
        (answer(503, retry_after="7"), 7.0),
        (answer(429), 60.0),
        (answer(429, retry_after="30"), 30.0),
        (answer(403, retry_after="30"), 30.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(int(NOW) + 120)), 121.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="12"), 1.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="9" * 14), 3700.0),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset="soon"), 60.0),
        (answer(403, "You have exceeded a secondary rate limit"), 60.0),
        (answer(403, "Resource not accessible by integration"), None),
        (answer(404), None),
        (answer(422), None),
        (answer(503, retry_after="-1"), 0.0),
        (answer(503, retry_after="1e9"), 0.0),
        (answer(503, retry_after="9" * 12), 3700.0),
    ],
)
def test_how_long_the_server_asks_to_wait(given: Answer, wait: float | None) -> None:
    assert wait_s(given, NOW) == wait


def test_a_secondary_limit_can_be_repeated_and_a_missing_permission_cannot() -> None:
    slow = problem("POST /repos/a/b/pulls", answer(403, "You have exceeded a secondary rate limit"), NOW)
    barred = problem("POST /repos/a/b/pulls", answer(403, "Resource not accessible by integration"), NOW)
    assert isinstance(slow, BusyError)
    assert slow.after_s == 60.0
    assert isinstance(barred, RefusedError)
    assert "pull requests: write" in str(barred)
    assert "Resource not accessible by integration" in str(barred)


def test_the_permission_github_names_wins_over_the_usual_one() -> None:
    given = answer(403, "no", x_accepted_github_permissions="checks=write")
    assert "(checks: write)" in str(problem("POST /repos/a/b/issues", given, NOW))


@pytest.mark.parametrize(
    ("status", "word"), [(401, "private key"), (404, "installation"), (301, "new name"), (422, "422"), (409, "409")]
)
def test_every_refusal_names_a_remedy_or_the_status(status: int, word: str) -> None:
    found = problem("GET /repos/a/b", answer(status), NOW)
    assert isinstance(found, RefusedError)
    assert found.status == status
    assert word in str(found)


@pytest.mark.parametrize("status", [401, 403, 404])
@pytest.mark.parametrize("what", ["GET /app", "GET /app/installations", "GET /app/hook/deliveries"])
def test_a_refusal_of_the_app_itself_names_its_settings_and_no_permission(what: str, status: int) -> None:
    said = str(problem(what, answer(status), NOW))
    assert "RECALIBRATE_APP_ID" in said
    assert "permission" not in said


@pytest.mark.parametrize("what", ["GET /repos/a/app", "GET /app/installations/7", "GET /apps/other"])
def test_what_is_not_the_app_itself_keeps_its_own_remedy(what: str) -> None:
    assert "RECALIBRATE_APP_ID" not in str(problem(what, answer(404), NOW))


def test_the_words_of_each_field_error_are_shown() -> None:
    body = {
        "message": "Validation Failed",
        "errors": [{"message": "A pull request already exists"}, {"code": "invalid"}, "x"],
    }
    assert (
        said(Answer(422, {}, json.dumps(body).encode()))
        == "Validation Failed; A pull request already exists; invalid; x"
    )


def test_control_and_bidi_characters_do_not_reach_a_terminal() -> None:
    assert said(answer(422, "a\x1b[31m\n\u202eb\u2066c")) == "a [31m b c"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("NOT_FOUND", RefusedError), ("FORBIDDEN", RefusedError), ("RATE_LIMITED", BusyError), (None, BusyError)],
)
def test_graphql_errors_are_final_only_where_github_says_so(kind: str | None, expected: type[Exception]) -> None:
    error = graphql_problem({"errors": [{"type": kind, "message": "words"}]})
    assert isinstance(error, expected)
    assert "words" in str(error)


@given(
    status=st.integers(300, 599),
    headers=st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-reset", "x-ratelimit-remaining", "x-accepted-github-permissions"]),
        st.text(max_size=20),
    ),
    body=st.binary(max_size=200)
    | st.text(max_size=50).map(lambda text: json.dumps({"message": text, "errors": [text]}).encode()),
)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_any_answer_becomes_one_of_two_errors_with_a_bounded_message(
    status: int, headers: dict[str, str], body: bytes
) -> None:
    given_answer = Answer(status, headers, body)
    error = problem("GET /x", given_answer, NOW)
    assert isinstance(error, BusyError) == (limited(given_answer) or status >= 500)
    assert len(said(given_answer)) <= 400
    if isinstance(error, BusyError):
        assert error.after_s is None or 0 < error.after_s <= 3700


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["errors", "type", "message"]), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_any_graphql_error_answer_becomes_an_error(response: object) -> None:
    assert isinstance(graphql_problem(response), RefusedError | BusyError)
