"""REST: issues and their comments, labels and reactions. A pull request is an issue, too."""

from __future__ import annotations

from bot.sandbox import views_issues as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, custom, invalid, listing, not_found, wrong_type
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.issues import Comment, Issue, Label, Reaction

READ = (("issues", "read"), ("pull_requests", "read"))
WRITE = (("issues", "write"), ("pull_requests", "write"))
ISSUES_WRITE = (("issues", "write"),)
MAX_BODY = 65_536  # characters; "body is too long (maximum is 65536 characters)"
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


def issue_of(call: Call) -> Issue:
    """The issue that the path's number names."""
    found = call.repo.issues.get(call.number("issue_number"))
    if found is None:
        raise not_found()
    return found


def checked_body(body: object, resource: str) -> str | None:
    """A body within GitHub's limit."""
    if body is not None and not isinstance(body, str):
        raise wrong_type("body", "is not a string")
    if body is not None and len(body) > MAX_BODY:
        raise custom(resource, f"body is too long (maximum is {MAX_BODY} characters)")
    return body


def people(call: Call, name: str) -> list[Account]:
    """The accounts of a list of logins; those GitHub does not know are left out in silence."""
    found = (call.world.accounts.get(login.lower()) for login in call.texts(name))
    return [who for who in found if who is not None]


def ensure_label(call: Call, name: str) -> Label:
    """The label of that name, whatever the case, made where there is none."""
    for label in call.repo.labels:
        if label.name.lower() == name.lower():
            return label
    if not name or len(name) > 50:
        raise invalid("Label", "name")
    label = Label(call.world.next_id(), name)
    call.repo.labels.append(label)
    return label


# --------------------------------------------------------------------------- comments


def list_comments(call: Call) -> Answer:
    """The comments of one issue, oldest first."""
    number = issue_of(call).number
    found = [it for it in call.repo.comments.values() if it.number == number]
    return listing(call, found, lambda it: view.comment(call.world, call.repo, it))


def create_comment(call: Call) -> Answer:
    """Comment on an issue."""
    issue, body = issue_of(call), checked_body(call.text("body"), "IssueComment")
    if not body:
        raise invalid("IssueComment", "body", "body can't be blank", "missing_field")
    if issue.locked:
        raise ApiError(403, "Unable to create comment because issue is locked.")
    now = call.world.clock()
    it = Comment(call.world.next_id(), issue.number, call.caller.actor, body, now, now, call.caller.via_app)
    call.repo.comments[it.id] = it
    issue.updated_at = now
    return Answer(view.comment(call.world, call.repo, it), 201)


def get_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(view.comment(call.world, call.repo, _comment(call)))


def update_comment(call: Call) -> Answer:
    """Edit a comment in place."""
    it = _comment(call)
    it.body = checked_body(call.text("body"), "IssueComment") or ""
    it.updated_at = call.world.clock()
    return Answer(view.comment(call.world, call.repo, it))


def delete_comment(call: Call) -> Answer:
    """Remove a comment."""
    del call.repo.comments[_comment(call).id]
    return Answer(status=204)


def _comment(call: Call) -> Comment:
    found = call.repo.comments.get(call.number("comment_id"))
    if found is None:
        raise not_found()
    return found


# ------------------------------------------------------------------ labels, reactions


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


def list_reactions(call: Call) -> Answer:
    """The reactions to a comment or an issue."""
    found = call.repo.reactions.get(_subject(call), [])
    return listing(call, found, lambda it: view.reaction(call.world, it))


def create_reaction(call: Call) -> Answer:
    """React; the same reaction of the same account again is 200 and stays one."""
    subject, content = _subject(call), call.text("content")
    if content not in view.REACTIONS:
        raise invalid("Reaction", "content")
    given = call.repo.reactions.setdefault(subject, [])
    for it in given:
        if it.author == call.caller.actor and it.content == content:
            return Answer(view.reaction(call.world, it))
    given.append(Reaction(call.world.next_id(), call.caller.actor, content, call.world.clock()))
    return Answer(view.reaction(call.world, given[-1]), 201)


def delete_reaction(call: Call) -> Answer:
    """Take a reaction back."""
    number, given = call.number("reaction_id"), call.repo.reactions.get(_subject(call), [])
    left = [it for it in given if it.id != number]
    if len(left) == len(given):
        raise not_found()
    call.repo.reactions[_subject(call)] = left
    return Answer(status=204)


def _subject(call: Call) -> tuple[str, int]:
    if "comment_id" in call.path:
        return ("comment", _comment(call).id)
    return ("issue", issue_of(call).number)


_ISSUES = "/repos/{owner}/{repo}/issues"
_COMMENT, _ISSUE = f"{_ISSUES}/comments/{{comment_id}}", f"{_ISSUES}/{{issue_number:[0-9]+}}"
ROUTES = (
    Route("GET", _ISSUES, list_issues, READ),
    Route("POST", _ISSUES, create_issue, ISSUES_WRITE),
    Route("GET", _COMMENT, get_comment, READ),
    Route("PATCH", _COMMENT, update_comment, WRITE),
    Route("DELETE", _COMMENT, delete_comment, WRITE),
    Route("GET", f"{_COMMENT}/reactions", list_reactions, READ),
    Route("POST", f"{_COMMENT}/reactions", create_reaction, WRITE),
    Route("DELETE", f"{_COMMENT}/reactions/{{reaction_id}}", delete_reaction, WRITE),
    Route("GET", _ISSUE, get_issue, READ),
    Route("PATCH", _ISSUE, update_issue, WRITE),
    Route("GET", f"{_ISSUE}/comments", list_comments, READ),
    Route("POST", f"{_ISSUE}/comments", create_comment, WRITE),
    Route("GET", f"{_ISSUE}/labels", list_labels, READ),
    Route("POST", f"{_ISSUE}/labels", add_labels, WRITE, bare_array="labels"),
    Route("DELETE", f"{_ISSUE}/labels/{{name}}", remove_label, WRITE),
    Route("GET", f"{_ISSUE}/reactions", list_reactions, READ),
    Route("POST", f"{_ISSUE}/reactions", create_reaction, WRITE),
)


def _title(title: str) -> str:
    if not title.strip():
        raise invalid("Issue", "title", code="missing_field")
    if len(title) > MAX_TITLE:
        raise custom("Issue", f"title is too long (maximum is {MAX_TITLE} characters)")
    return title
