"""Pull requests of one repository: found before they are made, and changed only by number.

Whether one may be touched (whose marker it carries, who closed it) is the publisher's decision.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from github.PullRequest import PullRequest

from bot.domain import CommitSha
from bot.forge.answers import BusyError, RefusedError
from bot.forge.git_objects import checked_sha
from bot.forge.writes import WriteSession, github_errors, needed
from bot.publish.ports.pulls import NewPullRequest, PullRequestState

_MOST = 100  # pull requests of one branch that are looked at


class Pulls:
    """`PullRequests` on GitHub."""

    def __init__(self, session: WriteSession) -> None:
        self._session = session
        self._path = f"{session.name.path}/pulls"

    def of_branch(self, head: str, base: str) -> tuple[PullRequestState, ...]:
        """All pull requests from `head` to `base` of this repository, newest first; forks left out."""
        ours = str(self._session.name).lower()
        with github_errors(f"GET {self._path}"):
            found = self._session.repo.get_pulls(
                state="all", base=base, head=f"{self._session.name.owner}:{head}", sort="created", direction="desc"
            )
            return tuple(
                _state(pull, str(self._session.name))
                for pull in islice(found, _MOST)
                if pull.head.ref == head and pull.head.repo is not None and pull.head.repo.full_name.lower() == ours
            )

    def get(self, number: int) -> PullRequestState:
        """One pull request, of a fork perhaps."""
        with github_errors(f"GET {self._path}/{number}"):
            return _state(self._session.repo.get_pull(number).complete(), str(self._session.name))

    def open(self, new: NewPullRequest) -> PullRequestState:
        """Open it. GitHub's 422 for one that exists gives that one; a plan without drafts gives it undrafted."""
        try:
            return self._create(new, draft=new.draft)
        except RefusedError as error:
            if error.status != 422:
                raise
            existing = next((pull for pull in self.of_branch(new.head, new.base) if pull.state == "open"), None)
            if existing is not None:
                return existing
            if "already exists" in error.detail.lower():
                raise BusyError("a pull request exists that GitHub does not list yet") from error
            if new.draft and "draft" in error.detail.lower():
                return self._create(new, draft=False)
            raise

    def update(self, number: int, title: str, body: str) -> None:
        """Set title and body."""
        with github_errors(f"PATCH {self._path}/{number}"):
            self._session.repo.get_pull(number).edit(title=title, body=body)

    def close(self, number: int) -> None:
        """Close it without merging."""
        with github_errors(f"PATCH {self._path}/{number}"):
            self._session.repo.get_pull(number).edit(state="closed")

    def request_reviewers(self, number: int, logins: Sequence[str]) -> tuple[str, ...]:
        """Ask for reviews; one account that cannot review makes GitHub refuse all, so then one by one."""
        if not logins or self._ask(number, logins):
            return ()
        if len(logins) == 1:
            return tuple(logins)
        return tuple(login for login in logins if not self._ask(number, [login]))

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Add labels to a pull request or an issue."""
        if labels:
            with github_errors(f"POST {self._session.name.path}/issues/{number}/labels"):
                self._session.repo.get_issue(number).add_to_labels(*labels)

    def _create(self, new: NewPullRequest, *, draft: bool) -> PullRequestState:
        with github_errors(f"POST {self._path}"):
            made = self._session.repo.create_pull(
                base=new.base, head=new.head, title=new.title, body=new.body, draft=draft
            )
            return _state(made, str(self._session.name))

    def _ask(self, number: int, logins: Sequence[str]) -> bool:
        try:
            with github_errors(f"POST {self._path}/{number}/requested_reviewers"):
                self._session.repo.get_pull(number).create_review_request(reviewers=list(logins))
        except RefusedError as error:
            if error.status != 422:
                raise
            return False
        return True


def _state(pull: PullRequest, repository: str) -> PullRequestState:
    head = pull.head.repo  # None: the fork was deleted
    return PullRequestState(
        number=needed(pull.number),
        state=pull.state,
        merged=pull.merged_at is not None,
        draft=bool(pull.draft),
        head=pull.head.ref,
        head_sha=CommitSha(checked_sha(pull.head.sha)),
        base=pull.base.ref,
        title=pull.title,
        body=pull.body or "",
        author=pull.user.login if pull.user else "",
        url=pull.html_url,
        merge_commit=_merge_commit(pull),
        fork=head is None or head.full_name.lower() != repository.lower(),
    )


def _merge_commit(pull: PullRequest) -> CommitSha | None:
    """The commit on the base. For an unmerged pull request the field holds a test merge, which is nobody's."""
    sha = pull.merge_commit_sha if pull.merged_at is not None else None
    return CommitSha(checked_sha(sha)) if sha else None
