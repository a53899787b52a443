"""Moving references the way GitHub does: rules first, then all or nothing, then open pull requests follow.

REST and GraphQL both come through here and word a refusal each in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.sandbox.git_reader import GitError
from bot.sandbox.git_values import ZERO, RefChange
from bot.sandbox.state.issues import Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World

BRANCHES = "refs/heads/"


class RefRefusal(StrEnum):
    """Why a reference does not move; the value is what GitHub's REST API says."""

    NAME = "Reference name is not valid"
    OBJECT = "Object does not exist"
    EXISTS = "Reference already exists"
    MISSING = "Reference does not exist"
    FAST_FORWARD = "Update is not a fast forward"
    PROTECTED = "Repository rule violations found\n\nCannot update this protected ref.\n\n"
    WORKFLOWS = "Resource not accessible by integration"
    STALE = "Reference is not where it was said to be"


class RefusedMoveError(Exception):
    """One of the references may not move; none did."""

    def __init__(self, reason: RefRefusal, ref: str) -> None:
        super().__init__(f"{ref}: {reason}")
        self.reason = reason
        self.ref = ref


@dataclass(frozen=True, slots=True)
class Move:
    """One reference to move; `force` allows what is not a fast forward."""

    change: RefChange
    force: bool = False


def move_refs(world: World, repo: Repo, moves: Sequence[Move], *, workflows: bool) -> None:
    """Move all or none. `workflows` says that the caller may write workflow files.

    Raises:
        RefusedMoveError: with the first reason found.
    """
    for move in moves:
        _check(repo, move, workflows=workflows)
    try:
        repo.git.update_refs([move.change for move in moves])
    except GitError as error:
        raise RefusedMoveError(RefRefusal.STALE, moves[0].change.ref if moves else "") from error
    follow(world, repo)


def follow(world: World, repo: Repo) -> None:
    """Open pull requests see the new tips; one whose head branch is gone is closed."""
    tips = dict(repo.git.refs(BRANCHES))
    for issue in repo.pulls():
        if issue.closed_at is None:
            _follow_one(world, issue, tips)


def _follow_one(world: World, issue: Issue, tips: dict[str, str]) -> None:
    pull = issue.pull
    if pull is None:
        return
    head, base = tips.get(BRANCHES + pull.head_ref), tips.get(BRANCHES + pull.base_ref)
    if pull.fork is not None:
        head = pull.head_sha  # what a fork pushes comes with `people.Contributor.bring`
    if head is None or base is None:
        issue.closed_at = issue.updated_at = world.clock()
        return
    if head != pull.head_sha:
        pull.previous_sha = pull.head_sha
    if (head, base) != (pull.head_sha, pull.base_sha):
        pull.head_sha, pull.base_sha = head, base
        issue.updated_at = world.clock()


def _check(repo: Repo, move: Move, *, workflows: bool) -> None:
    ref, after, before = move.change.ref, move.change.after, repo.git.ref(move.change.ref)
    if not repo.git.valid_ref(ref):
        raise RefusedMoveError(RefRefusal.NAME, ref)
    if repo.is_protected(ref):
        raise RefusedMoveError(RefRefusal.PROTECTED, ref)
    if move.change.before is not None and move.change.before != (before or ZERO):
        raise RefusedMoveError(RefRefusal.STALE, ref)
    if after == ZERO:
        if before is None:
            raise RefusedMoveError(RefRefusal.MISSING, ref)
        return
    kind = repo.git.kind(after)
    if kind is None or (ref.startswith(BRANCHES) and kind != "commit"):
        raise RefusedMoveError(RefRefusal.OBJECT, ref)
    if before is not None and not move.force and not repo.git.is_ancestor(before, after):
        raise RefusedMoveError(RefRefusal.FAST_FORWARD, ref)
    if not workflows and _writes_workflows(repo, after):
        raise RefusedMoveError(RefRefusal.WORKFLOWS, ref)


def _writes_workflows(repo: Repo, after: str) -> bool:
    """True where a commit that no reference holds yet changes a workflow file."""
    found = repo.git.run("log", "--format=", "--name-only", after, "--not", "--all", "--", ".github/workflows")
    return bool(found.strip())
