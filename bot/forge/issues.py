"""Issues and comments of ours, found by their marker and their author: `Issues` and `Comments`.

A marker alone proves nothing, since anyone can paste it: only texts of our own login are found.
"""

from __future__ import annotations

from itertools import islice

from github.Issue import Issue
from github.IssueComment import IssueComment

from bot.forge.writes import WriteSession, github_errors, needed
from bot.publish.ports.comments import CommentState
from bot.publish.ports.issues import IssueState

_MOST_ISSUES = 300
_MOST_COMMENTS = 1000


class OwnIssues:
    """Issues that `login` opened in one repository."""

    def __init__(self, session: WriteSession, login: str) -> None:
        self._session = session
        self._login = login
        self._path = f"{session.name.path}/issues"

    def find(self, marker: str) -> IssueState | None:
        """The newest issue of ours whose body carries `marker`, an open one before a closed one."""
        with github_errors(f"GET {self._path}"):
            found = self._session.repo.get_issues(
                creator=self._login,  # type: ignore[arg-type]  # PyGithub takes a login, its annotation does not say so
                state="all",
                sort="created",
                direction="desc",
            )
            ours = [_issue(issue) for issue in islice(found, _MOST_ISSUES) if self._carries(issue, marker)]
        return next((issue for issue in ours if issue.state == "open"), ours[0] if ours else None)

    def open(self, title: str, body: str) -> IssueState:
        """Open an issue."""
        with github_errors(f"POST {self._path}"):
            return _issue(self._session.repo.create_issue(title=title, body=body))

    def update(self, number: int, body: str) -> None:
        """Set the body."""
        with github_errors(f"PATCH {self._path}/{number}"):
            self._session.repo.get_issue(number).edit(body=body)

    def close(self, number: int) -> None:
        """Close it as completed."""
        with github_errors(f"PATCH {self._path}/{number}"):
            self._session.repo.get_issue(number).edit(state="closed", state_reason="completed")

    def reopen(self, number: int) -> None:
        """Open it again."""
        with github_errors(f"PATCH {self._path}/{number}"):
            self._session.repo.get_issue(number).edit(state="open")

    def _carries(self, issue: Issue, marker: str) -> bool:
        """Pull requests are listed among issues; their address tells them apart without another request."""
        return marker in (issue.body or "") and _login(issue) == self._login and "/pull/" not in issue.html_url


class OwnComments:
    """Comments that `login` made on issues and pull requests of one repository."""

    def __init__(self, session: WriteSession, login: str) -> None:
        self._session = session
        self._login = login
        self._path = f"{session.name.path}/issues"

    def find(self, number: int, marker: str) -> CommentState | None:
        """The first comment of ours whose body carries `marker`."""
        found = self._find(number, marker)
        return None if found is None else _comment(found)

    def put(self, number: int, marker: str, body: str) -> CommentState:
        """Make the comment, or edit it in place where its text differs."""
        found = self._find(number, marker)
        if found is None:
            with github_errors(f"POST {self._path}/{number}/comments"):
                return _comment(self._session.repo.get_issue(number).create_comment(body))
        if found.body != body:
            with github_errors(f"PATCH {self._path}/comments/{found.id}"):
                found.edit(body)
        return _comment(found)

    def react(self, comment_id: int, content: str) -> None:
        """Add a reaction; GitHub answers a second one of the same kind with the first."""
        address = f"{self._path}/comments/{comment_id}"
        with github_errors(f"POST {address}/reactions"):
            IssueComment(self._session.repo.requester, url=address).create_reaction(content)

    def _find(self, number: int, marker: str) -> IssueComment | None:
        with github_errors(f"GET {self._path}/{number}/comments"):
            comments = islice(self._session.repo.get_issue(number).get_comments(), _MOST_COMMENTS)
            ours = (item for item in comments if _login(item) == self._login and marker in (item.body or ""))
            return next(ours, None)


def _login(item: Issue | IssueComment) -> str:
    """The author's login, "" for an account that was deleted."""
    return item.user.login if item.user else ""


def _issue(issue: Issue) -> IssueState:
    return IssueState(needed(issue.number), issue.state, issue.title, issue.body or "", issue.html_url)


def _comment(comment: IssueComment) -> CommentState:
    return CommentState(needed(comment.id), _login(comment), comment.body or "", comment.html_url)
