"""What goes wrong between the service and GitHub: hostile deliveries, races, lost answers, odd bytes, long bodies."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from bot.sandbox import webhooks
from bot.sandbox.generator import Generate, Generated, generate
from bot.sandbox.git_values import RefChange
from bot.sandbox.traffic import Exchange, Fault
from tests.sandbox.hub import Reply, http
from tests.sandbox.service import EVIDENCE, SECRET, Case, Rig, watched

PULLS = "/repos/{owner}/{repo}/pulls"
FINCH = "tests/e2e/lora/test_finch_9b_lora_ci.py"


def post(rig: Rig, body: bytes, **changed: str | None) -> Reply:
    """One POST to the running service, signed as GitHub signs; `changed` replaces or (None) drops headers."""
    headers: dict[str, str | None] = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "workflow_run",
        "X-GitHub-Delivery": "11111111-2222-3333-4444-555555555555",
        "X-Hub-Signature-256": webhooks.signature(SECRET, body),
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    return http(
        "POST", rig.app.webhook_url, body, {name: value for name, value in headers.items() if value is not None}
    )


def encoded(payload: Mapping[str, Any]) -> bytes:
    return json.dumps(payload).encode()


# ------------------------------------------------------------------- deliveries


@pytest.mark.parametrize(
    ("status", "reason", "changed"),
    [
        (401, "no_signature", {"X_Hub_Signature_256": None}),
        (401, "bad_signature", {"X_Hub_Signature_256": "sha256=" + "0" * 64}),
        (401, "no_signature", {"X_Hub_Signature_256": None, "X_Hub_Signature": "sha1=" + "0" * 40}),
        (400, "bad_headers", {"X_GitHub_Event": None}),
        (400, "bad_headers", {"X_GitHub_Delivery": None}),
        (400, "not_json", {"Content_Type": "application/x-www-form-urlencoded"}),
    ],
)
def test_a_delivery_that_is_not_githubs_is_refused(
    service_rig: Rig, generated: Generated, status: int, reason: str, changed: dict[str, str | None]
) -> None:
    case, runs = service_rig.started(generated, "hostile")
    mark = len(service_rig.world.journal)
    reply = post(service_rig, encoded(case.completed(runs[0])), **changed)
    assert (reply.status, reply.json) == (status, {"refused": reason})
    assert case.since(mark) == []


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("not_json", b"{"),
        ("not_json", b""),
        ("bad_payload", b"[]"),
        ("bad_payload", b"{}"),
        ("bad_payload", b'{"action": "completed", "workflow_run": {"id": -1}}'),
        ("too_deep", b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}"),
    ],
)
def test_a_signed_delivery_that_makes_no_sense_is_refused(service_rig: Rig, reason: str, body: bytes) -> None:
    reply = post(service_rig, body)
    assert (reply.status, reply.json) == (400, {"refused": reason})


def test_unknown_events_and_actions_are_taken_and_dropped(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "unknown")
    payload = case.completed(runs[0])
    assert post(service_rig, encoded(payload), X_GitHub_Event="star").json["verdict"] == "unknown_event"
    assert post(service_rig, encoded(payload | {"action": "requested"})).json["verdict"] == "unknown_action"
    assert post(service_rig, encoded({k: v for k, v in payload.items() if k != "installation"})).json["verdict"] == (
        "no_installation"
    )


def test_a_delivery_of_three_megabytes_is_taken(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "large")
    payload = case.completed(runs[0])
    payload["workflow_run"]["head_commit"]["message"] = "m" * 3_000_000
    reply = post(service_rig, encoded(payload))
    assert (reply.status, reply.json["verdict"]) == (202, case.key(runs[0]))
    assert case.ended(runs[0]).outcome == "published"


def test_a_delivery_over_githubs_own_limit_is_refused_unread(service_rig: Rig) -> None:
    reply = post(service_rig, b" " * (25 * 1024 * 1024 + 1))
    assert (reply.status, reply.json) == (413, {"refused": "too_large"})


def test_it_says_that_it_is_up(service_rig: Rig) -> None:
    assert http("GET", service_rig.app.webhook_url.replace("/webhook", "/healthz")).json == {"status": "ok"}


# ------------------------------------------------------------------- races and lost answers


def test_an_evidence_branch_that_moved_meanwhile_is_read_again(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "race")
    assert case.nightly(runs[0]).outcome == "published"
    raced: list[str] = []

    def race(exchange: Exchange) -> None:
        """Another evidence commit lands between the reading of the tips and the moving of the branches."""
        if exchange.route.endswith("/git/commits") and not raced:
            raced.append(sibling(case))

    with watched(service_rig.world, race):
        assert case.nightly(runs[1]).outcome == "published"
    assert raced[0] in case.git("rev-list", str(case.tip(EVIDENCE)))
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 3
    assert case.git("rev-list", "--parents", "-1", str(case.tip())).split()[1:] == [generated.base]


def sibling(case: Case) -> str:
    """A commit on the evidence branch that this task has not made."""
    git, tip = case.repo.git, case.tip(EVIDENCE)
    assert tip
    person = {"name": "R", "email": "r@example.invalid", "date": "2026-12-01T00:00:00Z"}
    made = subprocess.run(
        ["git", "-C", str(git.path), "commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "other [skip ci]"],
        env={
            "PATH": "/usr/bin:/bin",
            **{f"GIT_{who}_{k.upper()}": v for who in ("AUTHOR", "COMMITTER") for k, v in person.items()},
        },
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    git.update_refs([RefChange(EVIDENCE, made)])
    return made


def test_a_persons_push_at_the_last_moment_wins(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "moment")
    assert case.nightly(runs[0]).outcome == "published"
    theirs: list[str] = []

    def push(exchange: Exchange) -> None:
        if exchange.route.endswith("/git/commits") and not theirs:
            theirs.append(case.person().commit("recalibrate/main", {"docs/notes.md": b"mine\n"}))

    with watched(service_rig.world, push):
        assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert [case.tip()] == theirs
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 1  # both move, or neither


LOST = [  # how often each is asked in one nightly
    ("POST", "/graphql", 6),
    ("POST", PULLS, 1),
    ("POST", "/repos/{owner}/{repo}/git/trees", 2),
    ("POST", "/repos/{owner}/{repo}/git/commits", 2),
    ("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs", 1),
    ("POST", "/app/installations/{installation_id}/access_tokens", 2),
]


@pytest.mark.parametrize(
    ("method", "route", "skip"), [(method, route, skip) for method, route, times in LOST for skip in range(times)]
)
def test_an_answer_that_was_lost_changes_nothing(
    service_rig: Rig, generated: Generated, method: str, route: str, skip: int
) -> None:
    """The request took effect and the answer was a 502: the world still sees everything once."""
    case, runs = service_rig.started(generated, f"lost-{route.rsplit('/', 1)[-1].replace('_', '-')}-{skip}")
    fault = Fault(method, route, 502, {"message": "Bad Gateway"}, after=True, skip=skip)
    service_rig.world.faults.append(fault)
    try:
        assert case.nightly(runs[0]).outcome == "published"
    finally:
        service_rig.world.faults.remove(fault)
    assert fault.times == 0
    assert len(case.pulls) == 1
    assert case.git("rev-list", "--parents", "-1", str(case.tip())).split()[1:] == [generated.base]
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 1


def test_a_pull_request_that_exists_already_is_found(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "exists")
    body = {"message": "Server Error", "documentation_url": "https://docs.github.com/rest", "status": "500"}
    opened = Fault("POST", PULLS, 500, body, after=True)
    listed = Fault("GET", PULLS, 200, [], skip=1)  # type: ignore[arg-type] # the list lags behind
    service_rig.world.faults += [opened, listed]
    try:
        assert case.nightly(runs[0]).outcome == "published"
    finally:
        service_rig.world.faults.remove(opened)
        service_rig.world.faults.remove(listed)
    assert (opened.times, listed.times) == (0, 0)
    assert len(case.pulls) == 1


def test_a_branch_without_a_pull_request_gets_one(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "bare")
    assert case.nightly(runs[0]).outcome == "published"
    tip = case.tip()
    del case.repo.issues[case.pull.number]
    attempt = case.repo.runs[runs[0]][1]
    case.repo.runs[runs[0]][2] = type(attempt)({**attempt.run, "run_attempt": 2}, attempt.jobs)
    assert case.nightly(runs[0], 2).outcome == "published"
    assert (case.tip(), len(case.pulls)) == (tip, 1)


# ------------------------------------------------------------------- bytes


def test_files_of_any_encoding_change_in_their_literals_alone(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "latin")
    path = "tests/e2e/train/test_pipeline_schedule.py"
    before = b"# -*- coding: latin-1 -*-\n# na\xefve, 12 \xb5s\n" + case.file("main", path)
    head = case.person().commit("main", {path: before})
    for run in runs:
        case.repo.runs[run][1].run["head_sha"] = head
    for log in list(case.repo.logs):
        rewritten(case, log, head, generated)
    assert case.nightly(runs[0]).outcome == "published"
    tip = str(case.tip())
    after = before.replace(b"register_cuda_ci(1500,", b"register_cuda_ci(2300,")
    assert case.file(tip, path) == after
    expected = subprocess.run(
        ["git", "hash-object", "--stdin", "--no-filters"], input=after, capture_output=True, check=True
    ).stdout.decode()
    assert case.git("rev-parse", f"{tip}:{path}") == expected


def rewritten(case: Case, job: int, head: str, made: Generated) -> None:
    """The job's log with the commit that it tested replaced."""
    log = case.repo.logs[job]
    assert log.path
    raw = log.path.read_bytes()
    for run in made.runs:
        raw = raw.replace(run.head_sha.encode(), head.encode())
    target = case.rig.settings.work_dir.parent / f"{case.repo.id}-{job}.log"
    target.write_bytes(raw)
    log.path = target


# ------------------------------------------------------------------- length


def test_a_body_of_nine_hundred_changes_is_within_the_limit_and_opened(
    service_rig: Rig, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = generate(tmp_path_factory.mktemp("many"), Generate(jobs=26, files_per_job=46, edits=900, nights=1))
    case, runs = service_rig.started(made, "many")
    case.configure("version: 1\npull_request: {max_edits: 1000}\nestimate: {policy: strict}\n")
    assert case.nightly(runs[0]).outcome == "published"
    body = case.pull.body or ""
    assert 20_000 < len(body) <= 65_536
    assert len(body.encode()) <= 65_536
    tip = str(case.tip())
    changed = case.git("diff", "--name-only", f"{tip}^", tip).split()
    assert len(changed) >= 890
    assert f"/blob/{case.tip(EVIDENCE)}/" in body
    assert len(case.evidence(runs[0])[0].rows) >= 900


def test_where_no_pages_are_configured_there_are_none(service_rig: Rig) -> None:
    base = service_rig.app.webhook_url.removesuffix("/webhook")
    for path in ("/pages", "/pages/sign-in", "/pages/r/1", "/pages/static/pages.css"):
        assert http("GET", base + path).status == 404
