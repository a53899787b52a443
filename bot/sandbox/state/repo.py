"""A repository and everything GitHub keeps beside its git data; who may see it is decided elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.globs import matches_any
from bot.sandbox.git_store import GitStore
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.actions import JobLogFile, RunAttempt, Workflow
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.issues import Comment, Issue, Label, Reaction, Review


@dataclass(slots=True)
class Repo:
    """One repository and everything GitHub keeps beside its git data."""

    id: int
    owner: Account
    name: str
    git: GitStore
    created_at: datetime
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    roles: dict[str, str] = field(default_factory=dict)  # login -> read, triage, write, maintain, admin
    associations: dict[str, str] = field(default_factory=dict)  # login -> author_association; not a permission
    protected: tuple[str, ...] = ()  # globs of full reference names that nobody may write
    tree_limit: int | None = None  # entries after which a recursive listing says `truncated`
    workflows: list[Workflow] = field(default_factory=list)
    runs: dict[int, dict[int, RunAttempt]] = field(default_factory=dict)
    logs: dict[int, JobLogFile] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    comments: dict[int, Comment] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    reactions: dict[tuple[str, int], list[Reaction]] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)  # commits that GitHub signed
    commit_authors: dict[str, Account] = field(default_factory=dict)  # e-mail address -> account

    @property
    def full_name(self) -> str:
        """owner/name."""
        return f"{self.owner.login}/{self.name}"

    def is_protected(self, ref: str) -> bool:
        """True where a rule forbids any write of the full reference name."""
        return matches_any(self.protected, ref)

    def pulls(self) -> list[Issue]:
        """Its pull requests, oldest first."""
        return [issue for issue in self.issues.values() if issue.pull is not None]
