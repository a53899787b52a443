"""What requests about issues and pull requests name: an issue, people, labels, a body within GitHub's limit.

What is done with them is decided by the `rest_*` modules.
"""

from __future__ import annotations

from bot.sandbox.answers import Call, custom, invalid, not_found, wrong_type
from bot.sandbox.state.accounts import Account
from bot.sandbox.state.issues import Issue, Label

READ = (("issues", "read"), ("pull_requests", "read"))
WRITE = (("issues", "write"), ("pull_requests", "write"))
MAX_BODY = 65_536  # characters; "body is too long (maximum is 65536 characters)"


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
