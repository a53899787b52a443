"""Branches read and moved by compare-and-swap, several at once or none: `RefStore`.

GitHub's REST update of a ref has no compare-and-swap; GraphQL's `updateRefs` has, and is
all-or-nothing. Its errors are vague (a lost race may be HTTP 200 with a sentence), so after any
error the branches themselves are read again and say what happened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.domain import CommitSha
from bot.errors import RetryableError
from bot.forge.answers import BusyError, RefusedError
from bot.forge.git_objects import checked_sha
from bot.forge.writes import WriteSession
from bot.publish.ports.refs import RefChange, RefMove, RefOutcome, RefVerdict

ZEROS = "0" * 40  # before: must not exist; after: delete
_TRIES = 2
_MUTATION = "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }"
_RULES = re.compile(r"rule violation|protected|pull request|refusing to allow|not authorized|declined", re.IGNORECASE)


@dataclass(slots=True)
class RepositoryNode:
    """What GraphQL calls a repository, "" until it has said so: a step that moves branches need not ask again."""

    id: str = ""


class Refs:
    """The branches of one repository."""

    def __init__(self, session: WriteSession, node: RepositoryNode | None = None) -> None:
        self._session = session
        self._node = node or RepositoryNode()

    def tips(self, branches: Sequence[str]) -> Mapping[str, CommitSha | None]:
        """Where each branch is now; None where there is no such branch.

        Raises:
            RefusedError: the repository may not be read.
            BusyError: GitHub did not answer.
        """
        names = {f"r{n}": branch for n, branch in enumerate(branches)}
        fields = " ".join(f"{name}: ref(qualifiedName: ${name}) {{ target {{ oid }} }}" for name in names)
        repository = self._session.repository_fields(
            f"id {fields}", {name: f"refs/heads/{branch}" for name, branch in names.items()}
        )
        self._node.id = str(repository.get("id") or "")
        return {branch: _tip(repository.get(name)) for name, branch in names.items()}

    def move(self, changes: Sequence[RefChange]) -> RefOutcome:
        """Move all branches or none, and say whose the result is.

        Raises:
            RefusedError: the branches may not even be read.
            BusyError: nothing moved, and nobody else was there.
        """
        branches = [change.branch for change in changes]
        if not self._node.id:
            self.tips(branches)
        pending, failure = list(changes), BusyError("updateRefs was not tried")
        for _ in range(_TRIES):
            error = self._send(pending)
            if error is None:
                return RefOutcome(RefVerdict.OURS, {change.branch: change.after for change in changes})
            tips = self.tips(branches)
            outcome = _judge(changes, tips, error)
            if outcome is not None:
                return outcome
            pending = [change for change in changes if tips[change.branch] != change.after]
            failure = BusyError(f"branches did not move: {error}", getattr(error, "after_s", None))
        raise failure

    def _send(self, changes: Sequence[RefChange]) -> RefusedError | RetryableError | None:
        updates = [_update(change) for change in changes]
        try:
            self._session.graphql(_MUTATION, {"input": {"repositoryId": self._node.id, "refUpdates": updates}})
        except (RefusedError, RetryableError) as error:
            return error
        return None


def _judge(
    changes: Sequence[RefChange], tips: Mapping[str, CommitSha | None], error: RefusedError | RetryableError
) -> RefOutcome | None:
    """What the branches say after an error; None where it is worth another try."""
    if all(tips[change.branch] == change.after for change in changes):
        return RefOutcome(RefVerdict.OURS, tips)
    if any(tips[change.branch] not in (change.before, change.after) for change in changes):
        return RefOutcome(RefVerdict.THEIRS, tips)
    if isinstance(error, RefusedError) or _RULES.search(str(error)):
        return RefOutcome(RefVerdict.REFUSED, tips, str(error))
    return None


def _update(change: RefChange) -> dict[str, object]:
    return {
        "name": f"refs/heads/{change.branch}",
        "beforeOid": ZEROS if change.before is None else checked_sha(change.before),
        "afterOid": ZEROS if change.after is None else checked_sha(change.after),
        "force": change.move is RefMove.REPLACE,
    }


def _tip(ref: object) -> CommitSha | None:
    if not isinstance(ref, dict):
        return None
    target = ref.get("target")
    return CommitSha(checked_sha(str(target.get("oid")))) if isinstance(target, dict) else None
