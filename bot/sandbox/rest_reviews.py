"""REST: reviews of pull requests with comments on lines of their diff, as far as a review that only comments goes."""

from __future__ import annotations

import re

from bot.sandbox.answers import Answer, ApiError, Call, Route, listing
from bot.sandbox.issue_inputs import MAX_BODY, checked_body
from bot.sandbox.rest_pulls import pull_of
from bot.sandbox.state import Json
from bot.sandbox.state.issues import Issue, Pull, Review
from bot.sandbox.views_reviews import review

READ, WRITE = (("pull_requests", "read"),), (("pull_requests", "write"),)
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def list_reviews(call: Call) -> Answer:
    """The reviews of a pull request, oldest first."""
    issue, _ = pull_of(call)
    found = [it for it in call.repo.reviews.values() if it.number == issue.number]
    return listing(call, found, lambda it: review(call.world, call.repo, it))


def create_review(call: Call) -> Answer:
    """Submit a review that comments. A comment on a line that the diff does not show fails the whole, as on GitHub."""
    issue, pull = pull_of(call)
    if call.body.get("event") != "COMMENT":
        raise ApiError(422, "the sandbox takes reviews with event COMMENT only")
    body = checked_body(call.body.get("body"), "PullRequestReview") or ""
    comments = list(call.body.get("comments") or [])
    if not body and not comments:
        raise ApiError(422, "Unprocessable Entity: body or comments are needed")
    commit = str(call.body.get("commit_id") or pull.head_sha)
    if not call.repo.git.is_ancestor(commit, pull.head_sha):
        raise ApiError(422, "Unprocessable Entity: commit_id is not part of the pull request")
    for comment in comments:
        _check(call, pull, comment)
    it = _made(call, issue, commit, body, comments)
    call.repo.reviews[it.id] = it
    return Answer(review(call.world, call.repo, it))


def _made(call: Call, issue: Issue, commit: str, body: str, comments: list[Json]) -> Review:
    return Review(
        id=call.world.next_id(),
        number=issue.number,
        author=call.caller.actor,
        body=body,
        commit=commit,
        submitted_at=call.world.clock(),
        comments=comments,
    )


def _check(call: Call, pull: Pull, comment: Json) -> None:
    start = call.repo.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    patches = {file.path: file.patch or "" for file in call.repo.git.diff(start, pull.head_sha)}
    if comment.get("path") not in patches:
        raise ApiError(422, "Unprocessable Entity: Path could not be resolved")
    if comment.get("side") != "RIGHT" or not _shows(patches[comment["path"]], comment.get("line")):
        raise ApiError(422, "Unprocessable Entity: Line could not be resolved")
    if not comment.get("body") or len(comment["body"]) > MAX_BODY:
        raise ApiError(422, "Unprocessable Entity: body can't be blank or too long")


def _shows(patch: str, line: object) -> bool:
    """True where a hunk covers the line of the new file."""
    spans = [(int(found[1]), int(found[2] or 1)) for found in map(_HUNK.match, patch.split("\n")) if found]
    return isinstance(line, int) and any(start <= line < start + count for start, count in spans)


_REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number:[0-9]+}/reviews"
ROUTES = (
    Route("GET", _REVIEWS, list_reviews, READ),
    Route("POST", _REVIEWS, create_review, WRITE),
)
