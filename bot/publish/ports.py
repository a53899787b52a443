"""What this stage needs from the outside: commits, refs, pull requests, issues, comments, check runs.

Fulfilled by `bot.forge` (GitHub). All methods are synchronous and may be called twice: a write is
either found before it is made, or carries the value it expects to replace. Unless a method says
otherwise, all of them raise `UserError` for what a person must change (a missing permission, a
name that is not there) and `RetryableError` for what may work later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from bot.domain import CommitSha

# ---------------------------------------------------------------------------- commits


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file of a commit: its whole new content. `mode` is git's, "100644" or "100755"."""

    path: str
    content: bytes
    mode: str = "100644"


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to make. `parent` None makes an orphan whose tree holds `files` only."""

    message: str
    files: tuple[FileWrite, ...]
    parent: CommitSha | None


class CommitWriter(Protocol):
    """Makes commits that no ref points to yet."""

    def commit(self, new: NewCommit) -> CommitSha:
        """The SHA of a commit whose every file has the very bytes of `new`.

        The parent's other files stay as they are; a parent that has those bytes already is the
        answer itself. Author and committer are left to GitHub, which signs the commits of an App
        only then.
        """
        ...

    def commit_all(self, news: Sequence[NewCommit]) -> tuple[CommitSha, ...]:
        """The same for several, none of which stands on another."""
        ...


# ------------------------------------------------------------------------------- refs


class RefMove(StrEnum):
    """How a branch may move."""

    FAST_FORWARD = "fast_forward"  # only to a descendant
    REPLACE = "replace"  # to any commit: the rolling branch alone


@dataclass(frozen=True, slots=True)
class RefChange:
    """One branch's move. `before` None: it must not exist. `after` None: it is deleted."""

    branch: str  # without refs/heads/
    before: CommitSha | None
    after: CommitSha | None
    move: RefMove = RefMove.FAST_FORWARD


class RefVerdict(StrEnum):
    """What became of a set of moves."""

    OURS = "ours"  # every branch is where it should be, moved now or by an earlier try
    THEIRS = "theirs"  # a branch is somewhere else: another writer was there
    REFUSED = "refused"  # the repository's rules forbid the move


@dataclass(frozen=True, slots=True)
class RefOutcome:
    """The verdict, the tips read after it (None: no such branch), and GitHub's words for a refusal."""

    verdict: RefVerdict
    tips: Mapping[str, CommitSha | None]
    detail: str = ""


class RefStore(Protocol):
    """Branches, read and moved by compare-and-swap."""

    def tips(self, branches: Sequence[str]) -> Mapping[str, CommitSha | None]:
        """Where each branch is now; None where there is no such branch."""
        ...

    def move(self, changes: Sequence[RefChange]) -> RefOutcome:
        """Move all branches or none.

        Raises:
            RetryableError: nothing moved and nobody else was there.
        """
        ...


# ---------------------------------------------------------------------- pull requests


@dataclass(frozen=True, slots=True)
class PullRequestState:
    """A pull request as it is now. `state` is `open` or `closed`."""

    number: int
    state: str
    merged: bool
    draft: bool
    head: str
    head_sha: CommitSha
    base: str
    title: str
    body: str
    author: str
    url: str
    merge_commit: CommitSha | None = None  # the commit on the base, where it was merged
    fork: bool = False  # its head is in another repository, or in one that is gone


@dataclass(frozen=True, slots=True)
class NewPullRequest:
    """A pull request to open between two branches of one repository."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


class PullRequests(Protocol):
    """Pull requests of one repository."""

    def of_branch(self, head: str, base: str) -> tuple[PullRequestState, ...]:
        """All pull requests from `head` to `base`, open and closed, newest first."""
        ...

    def get(self, number: int) -> PullRequestState:
        """One pull request as it is now."""
        ...

    def open(self, new: NewPullRequest) -> PullRequestState:
        """Open it; where an open one exists already, that one as it is."""
        ...

    def update(self, number: int, title: str, body: str) -> None:
        """Set title and body."""
        ...

    def close(self, number: int) -> None:
        """Close it without merging."""
        ...

    def request_reviewers(self, number: int, logins: Sequence[str]) -> tuple[str, ...]:
        """Ask for reviews; the logins that cannot be asked are left out and returned."""
        ...

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Add labels to a pull request or an issue; GitHub makes those it does not know."""
        ...


# ------------------------------------------------------------------ issues and comments


@dataclass(frozen=True, slots=True)
class IssueState:
    """An issue of ours as it is now."""

    number: int
    state: str  # open, closed
    title: str
    body: str
    url: str


class Issues(Protocol):
    """Issues that carry a marker of ours in their body."""

    def find(self, marker: str) -> IssueState | None:
        """The newest issue, open before closed, whose body carries `marker`."""
        ...

    def open(self, title: str, body: str) -> IssueState:
        """Open an issue. The body must carry its marker."""
        ...

    def update(self, number: int, body: str) -> None:
        """Set the body."""
        ...

    def close(self, number: int) -> None:
        """Close it as completed."""
        ...

    def reopen(self, number: int) -> None:
        """Open it again."""
        ...


@dataclass(frozen=True, slots=True)
class CommentState:
    """A comment of an issue or a pull request."""

    comment_id: int
    author: str
    body: str
    url: str


class Comments(Protocol):
    """Comments of issues and pull requests."""

    def find(self, number: int, marker: str) -> CommentState | None:
        """The first comment whose body carries `marker`."""
        ...

    def put(self, number: int, marker: str, body: str) -> CommentState:
        """Make the comment that carries `marker`, or edit it in place; equal text is left alone."""
        ...

    def react(self, comment_id: int, content: str) -> None:
        """Add a reaction (`eyes`, `+1`, `rocket`, …); a second one of the same kind changes nothing."""
        ...


# ---------------------------------------------------------------------------- reviews


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a pull request changes. `patch` None: too large to be shown, binary, or only renamed."""

    path: str
    status: str  # added, modified, renamed, removed, …
    patch: str | None


@dataclass(frozen=True, slots=True)
class LineComment:
    """A comment on one line (1-based) of a file at a pull request's head. The line must be in its diff."""

    path: str
    line: int
    body: str


@dataclass(frozen=True, slots=True)
class NewReview:
    """A review that only comments. `body` carries `marker`; equal markers are the same review."""

    marker: str
    head_sha: CommitSha
    body: str
    comments: tuple[LineComment, ...]


class Reviews(Protocol):
    """What a pull request changes, and our reviews of it."""

    def files(self, number: int) -> tuple[ChangedFile, ...]:
        """The files it changes since its merge base; GitHub lists at most 3,000."""
        ...

    def put(self, number: int, review: NewReview) -> str:
        """Make the review, or find the one with its marker; its address."""
        ...


# ------------------------------------------------------------------------- check runs


class AnnotationLevel(StrEnum):
    """GitHub's three levels."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A message on a line of a file at the check run's commit."""

    path: str
    line: int
    level: AnnotationLevel
    title: str
    message: str


class CheckConclusion(StrEnum):
    """How a check run ends."""

    SUCCESS = "success"
    NEUTRAL = "neutral"
    FAILURE = "failure"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckButton:
    """A button of a check run: at most 20, 40 and 20 characters. A press comes back with the identifier."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A whole check run. `identity` names this very content: equal identity, equal check run."""

    name: str
    head_sha: CommitSha
    identity: str
    conclusion: CheckConclusion
    title: str
    summary: str  # Markdown, at most 65,535 bytes
    text: str = ""  # Markdown, at most 65,535 bytes
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""
    buttons: tuple[CheckButton, ...] = ()  # at most three


@dataclass(frozen=True, slots=True)
class CheckState:
    """A check run as it is now. `annotations` counts those GitHub has."""

    check_id: int
    identity: str
    completed: bool
    annotations: int
    url: str


class CheckRuns(Protocol):
    """Check runs of our App."""

    def put(self, report: CheckReport) -> CheckState:
        """Make the check run, or finish one of the same identity; a finished one is left alone.

        Annotations go in batches of at most 50; the conclusion goes with the last one.
        """
        ...
