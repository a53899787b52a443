"""The shared fakes: small, honest stand-ins for the ports, holding state and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.domain import CommitSha
from bot.publish.ports.commits import NewCommit
from bot.publish.ports.pulls import NewPullRequest, PullRequestState
from bot.publish.ports.refs import RefChange, RefOutcome, RefVerdict


class FakeGit:
    """Commits and branches: fulfils `CommitWriter` and `RefStore` with a real compare-and-swap."""

    def __init__(self, branches: Mapping[str, CommitSha] | None = None) -> None:
        self.branches: dict[str, CommitSha] = dict(branches or {})
        self.commits: dict[CommitSha, NewCommit] = {}
        self.moves = 0
        self.refuse: frozenset[str] = frozenset()

    def commit(self, new: NewCommit) -> CommitSha:
        held = self._held(new.parent)
        if new.parent is not None and all(held.get(file.path) == file.content for file in new.files):
            return new.parent
        sha = CommitSha(hashlib.sha1(repr((new, len(self.commits))).encode(), usedforsecurity=False).hexdigest())
        self.commits[sha] = new
        return sha

    def commit_all(self, news: Sequence[NewCommit]) -> tuple[CommitSha, ...]:
        return tuple(map(self.commit, news))

    def files(self, branch: str) -> dict[str, bytes]:
        return self._held(self.branches.get(branch))

    def _held(self, commit: CommitSha | None) -> dict[str, bytes]:
        if commit is None or commit not in self.commits:
            return {}
        new = self.commits[commit]
        return {**self._held(new.parent), **{file.path: file.content for file in new.files}}

    def tips(self, branches: Sequence[str]) -> dict[str, CommitSha | None]:
        return {name: self.branches.get(name) for name in branches}

    def move(self, changes: Sequence[RefChange]) -> RefOutcome:
        names = [change.branch for change in changes]
        if self.refuse & set(names):
            return RefOutcome(RefVerdict.REFUSED, self.tips(names), "protected")
        if all(self.branches.get(change.branch) == change.after for change in changes):
            return RefOutcome(RefVerdict.OURS, self.tips(names))
        if any(self.branches.get(change.branch) != change.before for change in changes):
            return RefOutcome(RefVerdict.THEIRS, self.tips(names))
        for change in changes:
            if change.after is None:
                self.branches.pop(change.branch, None)
            else:
                self.branches[change.branch] = change.after
        self.moves += 1
        return RefOutcome(RefVerdict.OURS, self.tips(names))


class FakePullRequests:
    """Pull requests of one repository, with the order of what was done to them."""

    def __init__(self, pulls: Sequence[PullRequestState] = ()) -> None:
        self.pulls = {pull.number: pull for pull in pulls}
        self.done: list[tuple[str, object]] = []

    def of_branch(self, head: str, base: str) -> tuple[PullRequestState, ...]:
        found = [pull for pull in self.pulls.values() if (pull.head, pull.base) == (head, base)]
        return tuple(sorted(found, key=lambda pull: -pull.number))

    def open(self, new: NewPullRequest) -> PullRequestState:
        number = max(self.pulls, default=0) + 1
        self.pulls[number] = PullRequestState(
            number=number,
            state="open",
            merged=False,
            draft=new.draft,
            head=new.head,
            head_sha=CommitSha("0" * 40),
            base=new.base,
            title=new.title,
            body=new.body,
            author="recalibrate[bot]",
            url=f"https://github.invalid/zoo/otter/pull/{number}",
        )
        self.done.append(("open", number))
        return self.pulls[number]

    def update(self, number: int, title: str, body: str) -> None:
        self.pulls[number] = replace(self.pulls[number], title=title, body=body)
        self.done.append(("update", number))

    def close(self, number: int) -> None:
        self.pulls[number] = replace(self.pulls[number], state="closed")
        self.done.append(("close", number))

    def request_reviewers(self, number: int, logins: Sequence[str]) -> tuple[str, ...]:
        self.done.append(("reviewers", tuple(logins)))
        return ()

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        self.done.append(("labels", tuple(labels)))
