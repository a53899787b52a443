"""Which lines may carry a suggestion, and that applying one changes the literal and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import CommitSha, Proposal
from bot.publish.ports.reviews import ChangedFile
from bot.publish.suggestions import MOST_SUGGESTIONS, Replacement, line_text, review, shown_lines, suggestions
from tests.unit.publish.evaluations import small

HEAD = CommitSha("c" * 40)
PATCH = (
    "@@ -1,4 +1,5 @@ def x():\n one\n-two\n+zwei\n+drei\n four\n"
    "@@ -20 +21,2 @@\n twenty\n+more\n\\ No newline at end of file"
)


def proposal(line: int = 5) -> Proposal:
    (one,) = [one for one in small().decisions if isinstance(one, Proposal)]
    return replace(one, registration=replace(one.registration, est_line=line))


def file_of(one: Proposal, patch: str | None) -> ChangedFile:
    return ChangedFile(one.registration.key.path, "modified", patch)


def test_a_patch_shows_its_added_and_its_unchanged_lines() -> None:
    assert shown_lines(PATCH) == {1, 2, 3, 4, 21, 22}


@pytest.mark.parametrize("patch", [None, "", "garbage", "+++ b/x\n", "@@ broken @@\n+x"])
def test_a_patch_that_is_not_there_or_no_patch_shows_nothing(patch: str | None) -> None:
    assert shown_lines(patch) == frozenset()


@pytest.mark.parametrize(("line", "made"), [(2, 1), (4, 1), (5, 0), (20, 0), (22, 1)])
def test_a_value_is_suggested_where_the_diff_shows_its_line(line: int, made: int) -> None:
    one = proposal(line)
    assert len(suggestions([Replacement(one, "x")], [file_of(one, PATCH)])) == made


@pytest.mark.parametrize(("after_s", "said"), [(1800, "timeout limit 1800 s."), (3000, "timeout limit 1800 → 3000 s.")])
def test_a_limit_that_stays_is_said_once(after_s: int, said: str) -> None:
    one = replace(proposal(2), timeout_before_s=1800, timeout_after_s=after_s)
    (comment,) = suggestions([Replacement(one, "x")], [file_of(one, PATCH)])
    assert said in comment.body


def test_another_files_patch_does_not_count() -> None:
    one = proposal(2)
    assert suggestions([Replacement(one, "x")], [ChangedFile("tests/other.py", "modified", PATCH)]) == ()
    assert suggestions([Replacement(one, None)], [file_of(one, PATCH)]) == ()


def test_the_number_of_suggestions_is_bounded() -> None:
    patch = "@@ -0,0 +1,999 @@\n" + "\n".join(["+x"] * 999)
    one = proposal()
    many = [Replacement(proposal(line), "x") for line in range(1, 900)]
    assert len(suggestions(many, [file_of(one, patch)])) == MOST_SUGGESTIONS


@pytest.mark.parametrize(
    ("raw", "line", "text"),
    [
        (b"one\ntwo\n", 2, "two"),
        (b"\xef\xbb\xbfone\n", 1, "one"),
        (b"one\r\ntwo\r\n", 1, None),
        (b"caf\xe9\n", 1, None),
        ("a\u202eb\n".encode(), 1, None),
        (b"x" * 2000, 1, None),
        (b"one", 2, None),
        (b"one", 0, None),
    ],
)
def test_a_line_is_given_only_where_a_suggestion_can_hold_it_exactly(raw: bytes, line: int, text: str | None) -> None:
    assert line_text(raw, line) == text


def test_the_same_suggestions_on_the_same_head_are_the_same_review() -> None:
    one = proposal(2)
    comments = suggestions([Replacement(one, "x")], [file_of(one, PATCH)])
    assert review(comments, HEAD, 7) == review(comments, HEAD, 7)
    assert review(comments, CommitSha("d" * 40), 7).marker != review(comments, HEAD, 7).marker
    assert review((), HEAD, 7).marker != review(comments, HEAD, 7).marker


@given(st.text("`a ~\\é", max_size=30))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_no_line_closes_the_fence_around_it(line: str) -> None:
    one = proposal(2)
    (comment,) = suggestions([Replacement(one, line)], [file_of(one, PATCH)])
    fence = re.search(r"^(`{3,})suggestion\n", comment.body, re.MULTILINE)
    assert fence
    inner, end, rest = comment.body[fence.end() :].partition(f"\n{fence[1]}\n")
    assert (inner, rest) == (line, "")
    assert end
    assert fence[1] not in line
