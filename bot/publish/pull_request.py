"""Carries a publication out, in three moves that may each be repeated: commits, refs, pull request.

The order keeps the world whole at any crash: commits that no ref names are invisible; the refs of
the rolling branch and of the evidence move together by compare-and-swap; the pull request is found
before it is made. What to do is decided by `bot.publish.plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain import CommitSha, FileEdit
from bot.publish.digests import edits_content_digest
from bot.publish.names import CONTENT_TRAILER, EVIDENCE_BRANCH, PROPOSALS_TRAILER
from bot.publish.plan import PublishPlan
from bot.publish.ports.commits import FileWrite, NewCommit
from bot.publish.ports.pulls import NewPullRequest, PullRequests, PullRequestState
from bot.publish.ports.refs import RefChange, RefMove, RefOutcome, RefStore

INTRO = (
    "**This is Recalibrate's first pull request here, so it is a draft.** It changes `est_time` literals and label "
    "lists of registrations, nothing else; what it rests on is below. Mark it ready when you are satisfied. "
    "Close it, and these values are not proposed again."
)


@dataclass(frozen=True, slots=True)
class Target:
    """The rolling branch and what it stands on."""

    branch: str
    base: str
    base_sha: CommitSha


@dataclass(frozen=True, slots=True)
class Prepared:
    """Commits that exist and where refs stood before. `commit` None: the rolling branch stays as it is.

    `first` says that this is an installation's first pull request, which is a draft and says so. `saved`
    is the branch that keeps what stood before, "" where nothing has to be saved. `open_pull` is the pull
    request that was open then, None where there was none.
    """

    plan: PublishPlan
    digest: str
    base_sha: CommitSha
    branch: str
    branch_before: CommitSha | None
    commit: CommitSha | None
    evidence_before: CommitSha | None
    evidence_commit: CommitSha
    first: bool = False
    saved: str = ""
    open_pull: int | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """What the commit and the pull request say and how the pull request is set up when it is opened."""

    title: str
    body: str
    draft: bool = False
    labels: tuple[str, ...] = ()
    reviewers: tuple[str, ...] = ()


def rolling_commit(title: str, digest: str, edits: Sequence[FileEdit], target: Target) -> NewCommit:
    """The one commit on the base's tip. Its trailers let anyone prove that its content is ours."""
    files = tuple(FileWrite(edit.path, edit.after, edit.mode) for edit in edits)
    message = (
        f"{title}\n\nOnly est_time literals and label lists of register_*_ci calls change.\n\n"
        f"{PROPOSALS_TRAILER}: {digest}\n{CONTENT_TRAILER}: {edits_content_digest(edits)}\n"
    )
    return NewCommit(message, files, target.base_sha)


def move_refs(prepared: Prepared, refs: RefStore) -> RefOutcome:
    """Move the rolling branch and the evidence branch together, or neither; with them what has to be saved first.

    Raises:
        RetryableError: nothing moved and nobody else was there.
    """
    return refs.move(ref_changes(prepared))


def ref_changes(prepared: Prepared) -> tuple[RefChange, ...]:
    """The moves of a publication: evidence forward, the rolling branch anyhow, and what has to be saved first."""
    changes = [RefChange(EVIDENCE_BRANCH, prepared.evidence_before, prepared.evidence_commit)]
    if prepared.commit is not None:
        changes.append(RefChange(prepared.branch, prepared.branch_before, prepared.commit, RefMove.REPLACE))
    if prepared.saved:
        changes.append(RefChange(prepared.saved, None, prepared.branch_before))
    return tuple(changes)


def settle_pull_request(target: Target, wording: Wording, pulls: PullRequests) -> PullRequestState:
    """The open pull request of the branch with this title and body: found and updated, or opened.

    Labels and reviewers are asked for when it is opened, and again only where it still has the
    very body it was opened with (a repeated step); what a person takes away later stays away.
    """
    found = next((pull for pull in pulls.of_branch(target.branch, target.base) if pull.state == "open"), None)
    return open_pull_request(target, wording, pulls) if found is None else _with_wording(found, wording, pulls)


def open_pull_request(target: Target, wording: Wording, pulls: PullRequests) -> PullRequestState:
    """The same where none was open a moment ago: opened, or the one that GitHub says is there already."""
    new = NewPullRequest(target.branch, target.base, wording.title, wording.body, wording.draft)
    return _with_wording(pulls.open(new), wording, pulls)


def _with_wording(found: PullRequestState, wording: Wording, pulls: PullRequests) -> PullRequestState:
    body = spliced(found.body, wording.body)
    if (found.title, found.body) != (wording.title, body):
        pulls.update(found.number, wording.title, body)
        return found
    if wording.labels:
        pulls.add_labels(found.number, wording.labels)
    if wording.reviewers:
        pulls.request_reviewers(found.number, wording.reviewers)
    return found


def introduced(pull: PullRequestState | None) -> bool:
    """True for a draft that says it is the first: it goes on saying so until a person marks it ready."""
    return pull is not None and pull.draft and INTRO in pull.body


def spliced(present: str, ours: str) -> str:
    """The present body with our part replaced: what a person wrote before or after it stays.

    Our part stands between its first and its last line, which are invisible comments. A body in
    which they are not found is replaced as a whole.
    """
    first, last = ours.split("\n", 1)[0], ours.rstrip("\n").rsplit("\n", 1)[-1]
    text = present.replace("\r\n", "\n")  # GitHub's editor sends CRLF
    start = text.find(first)
    end = text.find(last, start)
    if start < 0 or end < 0:
        return ours
    after = text[end + len(last) :]
    return text[:start] + ours.rstrip("\n") + (after or "\n")
