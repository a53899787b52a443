"""What a pull request changes, and reviews of ours on it: found by marker and author before they are made.

Whether a line may be commented on is decided by the caller from the patches given here.
"""

from __future__ import annotations

from itertools import islice

from github.PullRequestReview import PullRequestReview

from bot.forge.git_objects import checked_sha
from bot.forge.writes import WriteSession, github_errors
from bot.publish.ports.reviews import ChangedFile, NewReview

_MOST_FILES = 3000  # docs.github.com/rest/pulls/pulls, "List pull requests files"
_MOST_REVIEWS = 1000


class OwnReviews:
    """Reviews that `login` made in one repository."""

    def __init__(self, session: WriteSession, login: str) -> None:
        self._session = session
        self._login = login
        self._path = f"{session.name.path}/pulls"

    def files(self, number: int) -> tuple[ChangedFile, ...]:
        """The files a pull request changes since its merge base."""
        with github_errors(f"GET {self._path}/{number}/files"):
            found = islice(self._session.repo.get_pull(number).get_files(), _MOST_FILES)
            return tuple(ChangedFile(file.filename, file.status, file.patch) for file in found)

    def put(self, number: int, review: NewReview) -> str:
        """Make the review, or find it; its address."""
        found = self._find(number, review.marker) or self._make(number, review)
        return found.html_url

    def _find(self, number: int, marker: str) -> PullRequestReview | None:
        with github_errors(f"GET {self._path}/{number}/reviews"):
            reviews = islice(self._session.repo.get_pull(number).get_reviews(), _MOST_REVIEWS)
            ours = (one for one in reviews if one.user and one.user.login == self._login and marker in (one.body or ""))
            return next(ours, None)

    def _make(self, number: int, review: NewReview) -> PullRequestReview:
        path = f"{self._path}/{number}/reviews"
        comments = [{"path": one.path, "line": one.line, "side": "RIGHT", "body": one.body} for one in review.comments]
        asked = {
            "commit_id": checked_sha(review.head_sha),
            "event": "COMMENT",
            "body": review.body,
            "comments": comments,
        }
        requester = self._session.repo.requester
        with github_errors(f"POST {path}"):
            headers, data = requester.requestJsonAndCheck("POST", path, input=asked)
            return PullRequestReview(requester, headers, data)
