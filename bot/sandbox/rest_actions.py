"""REST: workflow runs, their attempts, jobs and job logs.

A log is a redirect to the second origin; that origin is `logs.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.sandbox import views_actions as view
from bot.sandbox.answers import Answer, ApiError, Call, Route, not_found, paged
from bot.sandbox.logs import signed_url
from bot.sandbox.state import Json
from bot.sandbox.state.actions import LogFate, RunAttempt

READ = (("actions", "read"),)


def list_workflows(call: Call) -> Answer:
    """The repository's workflows."""
    chosen, headers = paged(call, call.repo.workflows)
    found = [view.workflow(call.world, call.repo, it) for it in chosen]
    return Answer({"total_count": len(call.repo.workflows), "workflows": found}, headers=headers)


def list_runs(call: Call) -> Answer:
    """Runs, newest first, narrowed by workflow, branch, event, status, head_sha and created."""
    name = call.path.get("workflow_id")
    newest = [attempts[max(attempts)] for attempts in call.repo.runs.values()]
    if name is not None:
        ids = {it.id for it in call.repo.workflows if name in (str(it.id), it.path.rsplit("/", 1)[-1])}
        if not ids:
            raise not_found()
        newest = [it for it in newest if it.run.get("workflow_id") in ids]
    found = sorted(
        (it for it in newest if _selected(call, it.run)), key=lambda it: str(it.run["created_at"]), reverse=True
    )
    chosen, headers = paged(call, found)
    runs = [view.workflow_run(call.world, call.repo, it) for it in chosen]
    return Answer({"total_count": len(found), "workflow_runs": runs}, headers=headers)


def get_run(call: Call) -> Answer:
    """A run at its newest attempt."""
    return Answer(view.workflow_run(call.world, call.repo, _attempt(call)))


def list_jobs(call: Call) -> Answer:
    """The jobs of a run: of its newest attempt, or with `filter=all` of every attempt."""
    newest = _attempt(call)
    if call.query.get("filter") != "all":
        return _jobs(call, newest.jobs, newest.total_count)
    attempts = call.repo.runs[call.number("run_id")]
    return _jobs(call, [job for number in sorted(attempts) for job in attempts[number].jobs])


def list_attempt_jobs(call: Call) -> Answer:
    """The jobs of one attempt, those carried over from earlier ones included."""
    attempt = _attempt(call)
    return _jobs(call, attempt.jobs, attempt.total_count)


def get_job(call: Call) -> Answer:
    """One job."""
    return Answer(view.job(call.world, call.repo, _job(call)))


def get_job_log(call: Call) -> Answer:
    """302 to a signed URL of the second origin, or what became of the log."""
    number = int(_job(call)["id"])
    log = call.repo.logs.get(number)
    if log is None or log.fate is LogFate.NOT_FOUND:
        raise not_found()
    if log.fate is LogFate.GONE:
        raise ApiError(410, "Server Error")
    if log.fate is LogFate.FORBIDDEN:
        raise ApiError(403, "Must have admin rights to Repository.")
    return Answer(status=302, headers={"Location": signed_url(call.world, call.repo, number)})


def _attempt(call: Call) -> RunAttempt:
    attempts = call.repo.runs.get(call.number("run_id"))
    if not attempts:
        raise not_found()
    number = call.number("attempt_number") if "attempt_number" in call.path else max(attempts)
    if number not in attempts:
        raise not_found()
    return attempts[number]


def _job(call: Call) -> Json:
    number = call.number("job_id")
    for attempts in call.repo.runs.values():
        for attempt in attempts.values():
            for job in attempt.jobs:
                if job["id"] == number:
                    return job
    raise not_found()


def _jobs(call: Call, jobs: Sequence[Json], total: int | None = None) -> Answer:
    chosen, headers = paged(call, jobs)
    body = {
        "total_count": len(jobs) if total is None else total,
        "jobs": [view.job(call.world, call.repo, it) for it in chosen],
    }
    return Answer(body, headers=headers)


def _selected(call: Call, run: Json) -> bool:
    wanted = {"head_branch": call.query.get("branch"), "event": call.query.get("event")}
    wanted["head_sha"] = call.query.get("head_sha")
    if any(value and run.get(key) != value for key, value in wanted.items()):
        return False
    status = call.query.get("status")
    if status and status not in (run.get("status"), run.get("conclusion")):
        return False
    return _in_range(str(run["created_at"]), call.query.get("created", ""))


def _in_range(at: str, wanted: str) -> bool:
    """GitHub's date search: `>=2026-08-01`, `2026-08-01..2026-08-04`, `<…`; a date alone is that day."""
    if not wanted:
        return True
    if ".." in wanted:
        first, _, last = wanted.partition("..")
        return _lower(first) <= at <= _upper(last)
    for sign in (">=", "<=", ">", "<"):
        if wanted.startswith(sign):
            edge = wanted.removeprefix(sign)
            low, high = _lower(edge), _upper(edge)
            return {">=": at >= low, "<=": at <= high, ">": at > high, "<": at < low}[sign]
    return _lower(wanted) <= at <= _upper(wanted)


def _lower(edge: str) -> str:
    return f"{edge}T00:00:00Z" if len(edge) == 10 else edge.replace("+00:00", "Z")


def _upper(edge: str) -> str:
    if edge in ("", "*"):
        return "9"
    return f"{edge}T23:59:59Z" if len(edge) == 10 else edge.replace("+00:00", "Z")


_ACTIONS = "/repos/{owner}/{repo}/actions"
ROUTES = (
    Route("GET", f"{_ACTIONS}/workflows", list_workflows, READ),
    Route("GET", f"{_ACTIONS}/workflows/{{workflow_id}}/runs", list_runs, READ),
    Route("GET", f"{_ACTIONS}/runs", list_runs, READ),
    Route("GET", f"{_ACTIONS}/runs/{{run_id}}", get_run, READ),
    Route("GET", f"{_ACTIONS}/runs/{{run_id}}/jobs", list_jobs, READ),
    Route("GET", f"{_ACTIONS}/runs/{{run_id}}/attempts/{{attempt_number}}", get_run, READ),
    Route("GET", f"{_ACTIONS}/runs/{{run_id}}/attempts/{{attempt_number}}/jobs", list_attempt_jobs, READ),
    Route("GET", f"{_ACTIONS}/jobs/{{job_id}}", get_job, READ),
    Route("GET", f"{_ACTIONS}/jobs/{{job_id}}/logs", get_job_log, READ),
)
