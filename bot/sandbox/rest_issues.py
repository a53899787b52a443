"""REST: issues and their labels. A pull request is an issue, too; comments are `bot.sandbox.rest_comments`' part."""

from __future__ import annotations

from bot.sandbox import views_issues as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, custom, invalid, listing
from bot.sandbox.issue_inputs import READ, WRITE, checked_body, ensure_label, issue_of, people
from bot.sandbox.state.issues import Issue

ISSUES_WRITE = (("issues", "write"),)
MAX_TITLE = 256


def list_issues(call: Call) -> Answer:
    """Issues and pull requests, newest first, narrowed by state, creator and labels."""
    state, creator = call.query.get("state", "open"), call.query.get("creator")
    labels = {name.lower() for name in call.query.get("labels", "").split(",") if name}
    found = [
        it
        for it in reversed(call.repo.issues.values())
        if state in ("all", it.state)
        and (creator is None or it.author.login.lower() == creator.lower())
        and labels <= {label.name.lower() for label in it.labels}
    ]
    return listing(call, found, lambda it: view.issue(call.world, call.repo, it))


def get_issue(call: Call) -> Answer:
    """One issue."""
    return Answer(view.issue_with_closer(call.world, call.repo, issue_of(call)))


def create_issue(call: Call) -> Answer:
    """Open an issue."""
    it = new_issue(call, call.text("title"), call.body.get("body"))
    it.labels = [ensure_label(call, name) for name in call.texts("labels")]
    it.assignees = people(call, "assignees")
    return Answer(view.issue_with_closer(call.world, call.repo, it), 201)


def update_issue(call: Call) -> Answer:
    """Change title, body, state or labels."""
    it = issue_of(call)
    if "title" in call.body:
        it.title = _title(call.text("title"))
    if "body" in call.body:
        it.body = checked_body(call.body["body"], "Issue")
    if "labels" in call.body:
        it.labels = [ensure_label(call, name) for name in call.texts("labels")]
    if "state" in call.body:
        set_state(call, it, call.text("state"))
    it.updated_at = call.world.clock()
    return Answer(view.issue_with_closer(call.world, call.repo, it))


def set_state(call: Call, it: Issue, state: str) -> None:
    """Open or close an issue or pull request."""
    if state not in ("open", "closed"):
        raise invalid("Issue", "state")
    if state == "closed" and it.closed_at is None:
        it.closed_at, it.closed_by = call.world.clock(), call.caller.actor
        it.state_reason = str(call.body.get("state_reason") or "completed") if it.pull is None else None
    if state == "open" and it.closed_at is not None:
        it.closed_at = it.closed_by = None
        it.state_reason = "reopened" if it.pull is None else None


def new_issue(call: Call, title: str, body: object) -> Issue:
    """An issue with the next number, in the repository."""
    now = call.world.clock()
    it = Issue(
        id=call.world.next_id(),
        number=max(call.repo.issues, default=0) + 1,
        author=call.caller.actor,
        title=_title(title),
        body=checked_body(body, "Issue"),
        created_at=now,
        updated_at=now,
        app=call.caller.via_app,
    )
    call.repo.issues[it.number] = it
    return it


def list_labels(call: Call) -> Answer:
    """The labels of one issue."""
    return listing(call, issue_of(call).labels, lambda it: view.label(call.world, call.repo, it))


def add_labels(call: Call) -> Answer:
    """Add labels to an issue; unknown ones are made."""
    issue = issue_of(call)
    for name in call.texts("labels"):
        label = ensure_label(call, name)
        if label not in issue.labels:
            issue.labels.append(label)
    return Answer([view.label(call.world, call.repo, it) for it in issue.labels])


def remove_label(call: Call) -> Answer:
    """Take one label off an issue."""
    issue, name = issue_of(call), call.path["name"]
    left = [it for it in issue.labels if it.name.lower() != name.lower()]
    if len(left) == len(issue.labels):
        raise ApiError(404, "Label does not exist")
    issue.labels = left
    return Answer([view.label(call.world, call.repo, it) for it in left])


_ISSUES = "/repos/{owner}/{repo}/issues"
_ISSUE = f"{_ISSUES}/{{issue_number:[0-9]+}}"
ROUTES = (
    Route("GET", _ISSUES, list_issues, READ),
    Route("POST", _ISSUES, create_issue, ISSUES_WRITE),
    Route("GET", _ISSUE, get_issue, READ),
    Route("PATCH", _ISSUE, update_issue, WRITE),
    Route("GET", f"{_ISSUE}/labels", list_labels, READ),
    Route("POST", f"{_ISSUE}/labels", add_labels, WRITE, bare_array="labels"),
    Route("DELETE", f"{_ISSUE}/labels/{{name}}", remove_label, WRITE),
)


def _title(title: str) -> str:
    if not title.strip():
        raise invalid("Issue", "title", code="missing_field")
    if len(title) > MAX_TITLE:
        raise custom("Issue", f"title is too long (maximum is {MAX_TITLE} characters)")
    return title
