"""REST: check runs with GitHub's limits; an update appends annotations, it never replaces them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from bot.sandbox import views_checks as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, invalid, listing, not_found, paged, wrong_type
from bot.sandbox.state import Json
from bot.sandbox.state.checks import CheckRun

READ, WRITE = (("checks", "read"),), (("checks", "write"),)
MAX_ANNOTATIONS = 50  # docs.github.com/rest/checks/runs: "limits the number of annotations to … 50 per API request"
MAX_BYTES = 65_535
MAX_ACTIONS = 3
STATUSES = frozenset({"queued", "in_progress", "completed", "waiting", "requested", "pending"})
CONCLUSIONS = frozenset(
    {"action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out"}
)
_LEVELS = frozenset({"notice", "warning", "failure"})


def create_check_run(call: Call) -> Answer:
    """A check run on a commit."""
    app = call.caller.via_app
    if app is None:
        raise ApiError(403, "You must authenticate via a GitHub App.")
    name, sha = call.text("name"), call.text("head_sha")
    if call.repo.git.commit_of(sha) != sha:
        raise ApiError(422, f"No commit found for SHA: {sha}")
    it = CheckRun(call.world.next_id(), call.world.next_id(), app, name, sha)
    _change(call, it, ("title", "summary"))
    call.repo.checks[it.id] = it
    return Answer(view.check_run(call.world, call.repo, it), 201)


def update_check_run(call: Call) -> Answer:
    """Change a check run; the annotations of this request join those there are."""
    it = _check_run(call)
    if it.app is not call.caller.via_app:
        raise ApiError(403, "Resource not accessible by integration")
    if "name" in call.body:
        it.name = call.text("name")
    _change(call, it, ("summary",))
    return Answer(view.check_run(call.world, call.repo, it))


def get_check_run(call: Call) -> Answer:
    """One check run."""
    return Answer(view.check_run(call.world, call.repo, _check_run(call)))


def list_annotations(call: Call) -> Answer:
    """All annotations of a check run."""
    it = _check_run(call)
    return listing(call, it.annotations, lambda raw: view.annotation(call.world, call.repo, it, raw))


def list_for_ref(call: Call) -> Answer:
    """The check runs of a commit: of each name the newest, unless `filter=all`."""
    sha = call.repo.git.commit_of(call.path["ref"])
    if sha is None:
        raise not_found()
    found = [it for it in reversed(call.repo.checks.values()) if it.head_sha == sha and _wanted(call, it)]
    if call.query.get("filter", "latest") == "latest":
        found = list({(it.app.id, it.name): it for it in reversed(found)}.values())
    chosen, headers = paged(call, found)
    runs = [view.check_run(call.world, call.repo, it) for it in chosen]
    return Answer({"total_count": len(found), "check_runs": runs}, headers=headers)


def _wanted(call: Call, it: CheckRun) -> bool:
    name, status, app_id = (call.query.get(key) for key in ("check_name", "status", "app_id"))
    return (
        (not name or it.name == name)
        and (not status or it.status == status)
        and (not app_id or str(it.app.id) == app_id)
    )


def _check_run(call: Call) -> CheckRun:
    found = call.repo.checks.get(call.number("check_run_id"))
    if found is None:
        raise not_found()
    return found


def _change(call: Call, it: CheckRun, required: tuple[str, ...]) -> None:
    """Check everything first: a refused request changes nothing. `required` are the fields an output needs."""
    status, conclusion = call.text("status", it.status), call.body.get("conclusion", it.conclusion)
    started, completed = _time(call, "started_at"), _time(call, "completed_at")
    output, actions = call.body.get("output"), call.body.get("actions") or []
    if status not in STATUSES:
        raise invalid("CheckRun", "status")
    if conclusion is not None and conclusion not in CONCLUSIONS:
        raise invalid("CheckRun", "conclusion")
    if status == "completed" and conclusion is None:
        raise invalid("CheckRun", "conclusion", code="missing_field")
    _check_actions(actions)
    if output is not None:
        _check_output(output, required)
        _take_output(it, output)
    it.status, it.conclusion = ("completed" if conclusion else status), conclusion
    it.external_id = call.text("external_id", it.external_id)
    it.details_url = call.body.get("details_url", it.details_url)
    it.actions = list(actions) or it.actions
    it.started_at = started or it.started_at or call.world.clock()
    if it.status == "completed":
        it.completed_at = completed or it.completed_at or call.world.clock()


def _check_output(output: Any, required: tuple[str, ...]) -> None:
    if not isinstance(output, dict):
        raise wrong_type("output", "is not an object")
    for name in required:
        if not isinstance(output.get(name), str):
            raise wrong_type(f"output.{name}", "is required")
    for name in ("title", "summary", "text"):
        text = output.get(name)
        if isinstance(text, str) and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            raise invalid("CheckRun", name, f"{name} exceeds a maximum bytesize of {MAX_BYTES}")
    annotations = output.get("annotations", [])
    if not isinstance(annotations, list) or len(annotations) > MAX_ANNOTATIONS:
        raise ApiError(422, f"Invalid request.\n\nNo more than {MAX_ANNOTATIONS} items are allowed in annotations.")
    for raw in annotations:
        _check_annotation(raw)


def _check_annotation(raw: Any) -> None:
    if not isinstance(raw, dict):
        raise wrong_type("annotations", "holds something that is not an object")
    lines = (raw.get("start_line"), raw.get("end_line"))
    if not isinstance(raw.get("path"), str) or not all(isinstance(line, int) and line > 0 for line in lines):
        raise wrong_type("annotations", "needs a path, a start_line and an end_line")
    if raw.get("annotation_level") not in _LEVELS or not isinstance(raw.get("message"), str):
        raise wrong_type("annotations", "needs an annotation_level and a message")
    if len(raw["message"].encode()) > 64 * 1024 or len(str(raw.get("title") or "")) > 255:
        raise wrong_type("annotations", "holds a message over 64 KB or a title over 255 characters")


def _check_actions(actions: Any) -> None:
    if not isinstance(actions, list) or len(actions) > MAX_ACTIONS:
        raise ApiError(422, f"Invalid request.\n\nNo more than {MAX_ACTIONS} items are allowed in actions.")
    for raw in actions:
        for name, longest in (("label", 20), ("description", 40), ("identifier", 20)):
            if not isinstance(raw, dict) or not 0 < len(str(raw.get(name) or "")) <= longest:
                raise wrong_type(f"actions.{name}", f"needs 1 to {longest} characters")


def _take_output(it: CheckRun, output: Json) -> None:
    it.title, it.summary = output.get("title", it.title), output["summary"]
    it.text = output.get("text", it.text)
    it.annotations += output.get("annotations", [])


def _time(call: Call, name: str) -> datetime | None:
    text = call.body.get(name)
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise wrong_type(name, "is not a time") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


_REPO = "/repos/{owner}/{repo}"
ROUTES = (
    Route("POST", f"{_REPO}/check-runs", create_check_run, WRITE),
    Route("GET", f"{_REPO}/check-runs/{{check_run_id}}", get_check_run, READ),
    Route("PATCH", f"{_REPO}/check-runs/{{check_run_id}}", update_check_run, WRITE),
    Route("GET", f"{_REPO}/check-runs/{{check_run_id}}/annotations", list_annotations, READ),
    Route("GET", f"{_REPO}/commits/{{ref:.+}}/check-runs", list_for_ref, READ),
)
