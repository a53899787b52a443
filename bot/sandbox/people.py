"""What a person does in a sandbox repository: commit, push, propose, comment, close, merge.

For tests and scenarios. Each method changes the world as github.com would and hands back what was
made; webhooks about it are the caller's to deliver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.sandbox.git_values import Entry, RefChange
from bot.sandbox.refs import BRANCHES, follow
from bot.sandbox.rest_git import own_person, remember_author
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.issues import Comment, Issue, Pull
from bot.sandbox.state.repo import Repo
from bot.sandbox.state.world import World


@dataclass(frozen=True, slots=True)
class Contributor:
    """Somebody at work in one repository."""

    world: World
    repo: Repo
    account: Account

    def commit(self, branch: str, files: Mapping[str, bytes | None], message: str = "Change") -> str:
        """Commit `files` (None removes) on the tip of `branch`, made from the default branch where it is new."""
        git = self.repo.git
        tip = git.ref(BRANCHES + branch) or git.ref(BRANCHES + self.repo.default_branch)
        entries = [
            Entry(path, "100644", "blob", None if data is None else git.write_blob(data))
            for path, data in files.items()
        ]
        tree = git.write_tree(None if tip is None else git.commit(tip).tree, entries)
        person = own_person(self.account, self.world.clock())
        remember_author(self.repo, self.account)
        sha = git.write_commit(tree, [tip] if tip else [], message, (person, person))
        self.push(branch, sha)
        return sha

    def push(self, branch: str, sha: str) -> None:
        """Put a branch on a commit, whatever was there; open pull requests follow."""
        self.repo.git.update_refs([RefChange(BRANCHES + branch, sha)])
        follow(self.world, self.repo)

    def comment(self, number: int, body: str) -> Comment:
        """Comment on an issue or a pull request."""
        now = self.world.clock()
        it = Comment(self.world.next_id(), number, self.account, body, now, now)
        self.repo.comments[it.id] = it
        return it

    def propose(self, branch: str, title: str = "Change", fork: Repo | None = None) -> Issue:
        """Open a pull request from a branch, of this repository or of a fork, to the default branch."""
        git, now, base = self.repo.git, self.world.clock(), self.repo.default_branch
        number = max(self.repo.issues, default=0) + 1
        issue = Issue(self.world.next_id(), number, self.account, title, None, now, now)
        issue.pull = Pull(self.world.next_id(), branch, base, base_sha=git.ref(BRANCHES + base) or "", fork=fork)
        self.repo.issues[number] = issue
        self.bring(number)
        return issue

    def bring(self, number: int) -> str:
        """Have a pull request follow its head branch; a fork's commits come with it. The head's SHA."""
        issue = self.repo.issues[number]
        pull = issue.pull
        if pull is None:
            raise ValueError(f"#{number} is not a pull request")
        where = pull.fork or self.repo
        head = where.git.ref(BRANCHES + pull.head_ref)
        if head is None:
            raise ValueError(f"#{number}: there is no branch {pull.head_ref}")
        if pull.fork is not None:
            self.repo.git.run(
                "fetch", "--quiet", str(where.git.path), f"+{BRANCHES}{pull.head_ref}:refs/pull/{number}/head"
            )
        if head != pull.head_sha:
            pull.previous_sha, pull.head_sha = pull.head_sha, head
        return head

    def close(self, number: int) -> Issue:
        """Close an issue, or a pull request without merging it."""
        issue = self.repo.issues[number]
        issue.closed_at = issue.updated_at = self.world.clock()
        issue.closed_by = self.account
        return issue

    def update_branch(self, number: int) -> str:
        """The "Update branch" button: merge the base into a pull request's head; the merge's SHA.

        Raises:
            ValueError: it is not a pull request, or there is a conflict.
        """
        git, pull = self.repo.git, self.repo.issues[number].pull
        base = git.ref(BRANCHES + pull.base_ref) if pull else None
        tree = git.merges_cleanly(pull.head_sha, base) if pull and base else None
        if pull is None or base is None or tree is None:
            raise ValueError(f"#{number} cannot be brought up to date")
        person = own_person(self.account, self.world.clock())
        message = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
        sha = git.write_commit(tree, [pull.head_sha, base], message, (person, person))
        self.push(pull.head_ref, sha)
        return sha

    def merge(self, number: int) -> str:
        """Merge a pull request with a merge commit; its SHA.

        Raises:
            ValueError: it is not an open pull request, or there is a conflict.
        """
        issue, git = self.repo.issues[number], self.repo.git
        pull = issue.pull
        tree = git.merges_cleanly(pull.base_sha, pull.head_sha) if pull and issue.closed_at is None else None
        if pull is None or tree is None:
            raise ValueError(f"#{number} cannot be merged")
        person = own_person(self.account, self.world.clock())
        message = f"Merge pull request #{number} from {self.repo.owner.login}/{pull.head_ref}\n\n{issue.title}"
        sha = git.write_commit(tree, [pull.base_sha, pull.head_sha], message, (person, person))
        self.close(number)
        pull.merged_at, pull.merge_sha, pull.merged_by = issue.closed_at, sha, self.account
        self.push(pull.base_ref, sha)
        return sha
