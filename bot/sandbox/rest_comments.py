"""REST: comments of issues, and reactions to either. A pull request's reviews are `bot.sandbox.rest_reviews`' part."""

from __future__ import annotations

from bot.sandbox import views_issues as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, invalid, listing, not_found
from bot.sandbox.issue_inputs import READ, WRITE, checked_body, issue_of
from bot.sandbox.state.issues import Comment, Reaction


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
    Route("GET", _COMMENT, get_comment, READ),
    Route("PATCH", _COMMENT, update_comment, WRITE),
    Route("DELETE", _COMMENT, delete_comment, WRITE),
    Route("GET", f"{_COMMENT}/reactions", list_reactions, READ),
    Route("POST", f"{_COMMENT}/reactions", create_reaction, WRITE),
    Route("DELETE", f"{_COMMENT}/reactions/{{reaction_id}}", delete_reaction, WRITE),
    Route("GET", f"{_ISSUE}/comments", list_comments, READ),
    Route("POST", f"{_ISSUE}/comments", create_comment, WRITE),
    Route("GET", f"{_ISSUE}/reactions", list_reactions, READ),
    Route("POST", f"{_ISSUE}/reactions", create_reaction, WRITE),
)
