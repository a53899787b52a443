"""REST: pull requests, their files and reviewers."""

from __future__ import annotations

from bot.sandbox import views_pulls as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, custom, invalid, listing, not_found
from bot.sandbox.issue_inputs import checked_body, people
from bot.sandbox.refs import BRANCHES
from bot.sandbox.rest_issues import new_issue, set_state
from bot.sandbox.state.issues import Issue, Pull
from bot.sandbox.state.repo import Repo
from bot.sandbox.views_git import diff_entry

READ, WRITE = (("pull_requests", "read"),), (("pull_requests", "write"),)


def list_pulls(call: Call) -> Answer:
    """Pull requests, newest first, narrowed by state, head (`owner:branch`) and base."""
    state, base = call.query.get("state", "open"), call.query.get("base")
    head = call.query.get("head")
    found = [it for it in call.repo.pulls() if state in ("all", it.state) and _matches(call.repo, it, head, base)]
    if call.query.get("direction", "desc") == "desc":
        found.reverse()
    return listing(call, found, lambda it: view.pull(call.world, call.repo, it))


def get_pull(call: Call) -> Answer:
    """One pull request."""
    return Answer(view.full_pull(call.world, call.repo, pull_of(call)[0]))


def create_pull(call: Call) -> Answer:
    """Open a pull request; 422 in GitHub's words where one exists or nothing differs."""
    head_ref, base_ref = call.text("head").removeprefix(f"{call.repo.owner.login}:"), call.text("base")
    head, base = call.repo.git.ref(BRANCHES + head_ref), call.repo.git.ref(BRANCHES + base_ref)
    if head is None:
        raise invalid("PullRequest", "head")
    if base is None:
        raise invalid("PullRequest", "base")
    for other in call.repo.pulls():
        pull = other.pull
        if pull and other.closed_at is None and (pull.head_ref, pull.base_ref) == (head_ref, base_ref):
            raise custom("PullRequest", f"A pull request already exists for {call.repo.owner.login}:{head_ref}.")
    if call.repo.git.is_ancestor(head, base):
        raise custom("PullRequest", f"No commits between {base_ref} and {head_ref}")
    it = new_issue(call, call.text("title"), call.body.get("body"))
    it.pull = Pull(call.world.next_id(), head_ref, base_ref, call.flag("draft"), head, base)
    return Answer(view.full_pull(call.world, call.repo, it), 201)


def update_pull(call: Call) -> Answer:
    """Change title, body, state or base."""
    it, pull = pull_of(call)
    if "title" in call.body:
        it.title = call.text("title")
    if "body" in call.body:
        it.body = checked_body(call.body["body"], "PullRequest")
    if "base" in call.body:
        base = call.repo.git.ref(BRANCHES + call.text("base"))
        if base is None:
            raise invalid("PullRequest", "base")
        pull.base_ref, pull.base_sha = call.text("base"), base
    if "state" in call.body:
        _set_state(call, it, pull)
    it.updated_at = call.world.clock()
    return Answer(view.full_pull(call.world, call.repo, it))


def list_files(call: Call) -> Answer:
    """The files a pull request changes since the merge base."""
    pull = pull_of(call)[1]
    start = call.repo.git.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    found = call.repo.git.diff(start, pull.head_sha)
    return listing(call, found, lambda file: diff_entry(call.world, call.repo, pull.head_sha, file))


def request_reviewers(call: Call) -> Answer:
    """Ask collaborators for a review; 422 for anybody else."""
    it, pull = pull_of(call)
    wanted = people(call, "reviewers")
    if len(wanted) < len(call.texts("reviewers")) or any(
        who.login not in call.repo.roles and who != call.repo.owner for who in wanted
    ):
        raise ApiError(
            422,
            "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not "
            f"a collaborator of the {call.repo.full_name} repository.",
        )
    if it.author in wanted:
        raise ApiError(422, "Review cannot be requested from pull request author.")
    pull.reviewers += [who for who in wanted if who not in pull.reviewers]
    return Answer(view.pull(call.world, call.repo, it), 201)


def pull_of(call: Call) -> tuple[Issue, Pull]:
    """The pull request that the path's number names."""
    found = call.repo.issues.get(call.number("pull_number"))
    if found is None or found.pull is None:
        raise not_found()
    return found, found.pull


def _set_state(call: Call, it: Issue, pull: Pull) -> None:
    """A merged pull request, or one whose branch is gone, cannot be reopened."""
    reopens = call.text("state") == "open" and it.closed_at is not None
    head, base = call.repo.git.ref(BRANCHES + pull.head_ref), call.repo.git.ref(BRANCHES + pull.base_ref)
    if reopens and (pull.merged_at is not None or head is None or base is None):
        raise custom("PullRequest", "state cannot be changed.")
    if reopens and head is not None and base is not None:
        pull.head_sha, pull.base_sha = head, base
    set_state(call, it, call.text("state"))


def _matches(repo: Repo, it: Issue, head: str | None, base: str | None) -> bool:
    """GitHub ignores a `head` without the owner's part."""
    if it.pull is None or (base and it.pull.base_ref != base):
        return False
    return not head or ":" not in head or head.lower() == f"{repo.owner.login}:{it.pull.head_ref}".lower()


_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = f"{_PULLS}/{{pull_number:[0-9]+}}"
ROUTES = (
    Route("GET", _PULLS, list_pulls, READ),
    Route("POST", _PULLS, create_pull, WRITE),
    Route("GET", _PULL, get_pull, READ),
    Route("PATCH", _PULL, update_pull, WRITE),
    Route("GET", f"{_PULL}/files", list_files, READ),
    Route("POST", f"{_PULL}/requested_reviewers", request_reviewers, WRITE),
)
