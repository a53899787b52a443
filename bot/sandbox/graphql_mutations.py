"""GraphQL's mutations: moves of references, and a pull request's draft state. What they answer is read elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox.answers import Call
from bot.sandbox.git_values import RefChange
from bot.sandbox.graphql_values import FieldError, PullValue, Resolver, need
from bot.sandbox.refs import Move, RefRefusal, RefusedMoveError, move_refs
from bot.sandbox.views_repo import node_id, stamp


def update_refs(call: Call, _: Any, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move references, all or none; `FieldError` in GitHub's words where they may not move."""
    given = args["input"]
    repo = next((it for it in call.world.repos.values() if node_id("R", it.id) == given["repositoryId"]), None)
    if repo is None or not call.caller.sees(repo):
        raise FieldError("NOT_FOUND", f"Could not resolve to a node with the global id of '{given['repositoryId']}'")
    need(call, "contents", "write")
    moves = [
        Move(RefChange(it["name"], it["afterOid"], it.get("beforeOid")), bool(it.get("force")))
        for it in given["refUpdates"]
    ]
    try:
        move_refs(call.world, repo, moves, workflows=call.caller.may("workflows", "write"))
    except RefusedMoveError as refused:
        raise _refused(call, refused) from refused
    return {"clientMutationId": given.get("clientMutationId")}


def _refused(call: Call, refused: RefusedMoveError) -> FieldError:
    """A stale `beforeOid` comes back as a generic error, so that clients read the references again."""
    if refused.reason is RefRefusal.STALE:
        at = stamp(call.world.clock())
        return FieldError(None, f"Something went wrong while executing your query on {at}. Please report this issue.")
    if refused.reason is RefRefusal.WORKFLOWS:
        return FieldError("FORBIDDEN", refused.reason.value)
    return FieldError("UNPROCESSABLE", f"{refused.ref}: {refused.reason.value}".strip())


def draft(*, value: bool) -> Resolver:
    """The mutation that makes a pull request a draft, or ready for review."""

    def resolve(call: Call, _: Any, args: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = args["input"]["pullRequestId"]
        for repo in call.world.repos.values():
            for issue in repo.pulls():
                if issue.pull and node_id("PR", issue.pull.id) == wanted and call.caller.sees(repo):
                    need(call, "pull_requests", "write")
                    issue.pull.draft = value
                    issue.updated_at = call.world.clock()
                    own = args["input"].get("clientMutationId")
                    return {"pullRequest": PullValue(repo, issue), "clientMutationId": own}
        raise FieldError("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'")

    return resolve
