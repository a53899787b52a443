"""Tokens are narrow, go to GitHub alone, and neither they nor the keys are ever written down."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bot.sandbox.generator import Generated
from bot.sandbox.logs import ROUTE as LOGS_ORIGIN
from bot.sandbox.state.actions import LogFate
from bot.sandbox.traffic import CallRecord, Fault
from tests.sandbox.service import SECRET, Case, Lines, every_line, rig

WRITING = {"POST", "PATCH", "PUT", "DELETE"}
MINTING = "/app/installations/{installation_id}/access_tokens"


@pytest.fixture(scope="module")
def lines() -> Iterator[Lines]:
    """Every log line of the process, whoever wrote it."""
    with every_line() as found:
        yield found


@pytest.fixture(scope="module")
def troubled(lines: Lines, generated: Generated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    """Two nights with every kind of trouble that makes a program write more than it should."""
    with rig(tmp_path_factory.mktemp("service")) as running:
        case, runs = running.started(generated, "troubled")
        suffer(case, runs)
        yield case


def suffer(case: Case, runs: list[int]) -> None:
    """Two nights with faults of every step, a refused branch, a log that is gone and a link that expired."""
    world = case.rig.world
    wrong = {"message": "Server Error", "documentation_url": "https://docs.github.com/rest", "status": "500"}
    for route in (MINTING, "/graphql", "/repos/{owner}/{repo}/git/trees", "/repos/{owner}/{repo}/pulls"):
        world.faults.append(Fault("POST", route, 500, wrong))
    case.repo.protected = ("refs/heads/recalibrate/main",)
    jobs = list(case.repo.logs.values())
    jobs[0].fate, jobs[1].fate = LogFate.EXPIRED_LINK, LogFate.GONE
    assert case.nightly(runs[0]).outcome == "branch_protected"
    case.repo.protected = ()
    assert case.nightly(runs[1]).outcome == "published"


def writes(record: CallRecord) -> bool:
    return record.method in WRITING and record.route not in ("/graphql:repository", MINTING)


def secrets(case: Case) -> list[str]:
    pem = case.rig.settings.private_key.strip().splitlines()
    return [SECRET, *pem[1:-1], *case.rig.world.tokens]


def test_what_reads_runs_logs_and_trees_cannot_write(troubled: Case) -> None:
    reading = ("/actions/", "/git/ref/", "/git/trees/{tree_sha}", "/compare/", "/git/blobs/{")
    found = [record for record in troubled.rig.world.journal if any(part in record.route for part in reading)]
    assert len(found) > 20
    assert {record.writes for record in found} == {frozenset()}


def test_what_writes_may_write_its_own_kind_alone(troubled: Case) -> None:
    found = {record.writes for record in troubled.rig.world.journal if writes(record) and record.status < 300}
    assert found <= {frozenset({"contents", "issues", "pull_requests"}), frozenset({"checks"})}
    assert frozenset({"contents", "issues", "pull_requests"}) in found


def test_every_token_is_for_one_repository(troubled: Case) -> None:
    tokens = list(troubled.rig.world.tokens.values())
    assert len(tokens) >= 2
    assert {token.repositories for token in tokens} == {frozenset({troubled.repo.id})}


def test_the_logs_origin_never_sees_a_token(troubled: Case) -> None:
    found = [record for record in troubled.rig.world.journal if record.route == LOGS_ORIGIN]
    assert {record.status for record in found} <= {200, 403}  # it answers 400 to an Authorization header
    assert sum(record.status == 200 for record in found) >= 8


def test_no_log_line_holds_a_secret(troubled: Case, lines: Lines) -> None:
    text = "\n".join(lines.texts)
    assert "task ended" in text
    assert [secret for secret in secrets(troubled) if secret in text] == []


def test_no_file_holds_a_secret(troubled: Case) -> None:
    files = [path for path in troubled.rig.settings.work_dir.parent.rglob("*") if path.is_file()]
    kept = [path for path in files if path.suffix in ("", ".sqlite") or "sqlite" in path.name]
    assert {"store.sqlite", "queue.sqlite"} <= {path.name for path in kept}
    assert holding(files, secrets(troubled)) == []


def holding(files: list[Path], wanted: list[str]) -> list[tuple[str, str]]:
    return [(path.name, secret) for path in files for secret in wanted if secret.encode() in path.read_bytes()]


def test_a_planted_secret_would_be_found(troubled: Case, tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    planted.write_text(f"x{secrets(troubled)[-1]}x")
    assert len(holding([planted], secrets(troubled))) == 1


def test_nothing_published_holds_a_secret(troubled: Case) -> None:
    shown = "\n".join(troubled.seen().values()) + troubled.git("log", "--all", "-p", "--no-color")
    assert [secret for secret in secrets(troubled) if secret in shown] == []


def test_settings_and_clients_do_not_show_their_secrets(troubled: Case) -> None:
    shown = repr(troubled.rig.settings)
    assert [secret for secret in secrets(troubled) if secret in shown] == []


JWT = re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.")


def test_the_apps_own_tokens_are_nowhere_either(troubled: Case, lines: Lines) -> None:
    """They are made anew for each request, so they are found by their form."""
    assert JWT.search("eyJhbGciOiJSUzI1NiIs.eyJpYXQiOjE3MDAwMDAwMDA.x")
    files = [path for path in troubled.rig.settings.work_dir.parent.rglob("*") if path.is_file()]
    texts = [*lines.texts, *troubled.seen().values(), *(path.read_bytes().decode("latin-1") for path in files)]
    assert [text[:200] for text in texts if JWT.search(text)] == []


# ------------------------------------------------------------------- redirects


class Stranger(BaseHTTPRequestHandler):
    """Another host, which remembers what it is sent."""

    def _answer(self) -> None:
        self.server.seen.append(dict(self.headers))  # type: ignore[attr-defined]
        self.send_response(404)
        self.end_headers()

    do_GET = do_POST = do_PATCH = do_PUT = _answer  # noqa: N815 - http.server's names

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@contextmanager
def stranger() -> Iterator[tuple[str, list[dict[str, str]]]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    server.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/stolen", server.seen  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


_REPO = "/repos/{owner}/{repo}"
REDIRECTED = (
    ("GET", f"{_REPO}/actions/runs/{{run_id}}/attempts/{{attempt_number}}/jobs"),
    ("GET", f"{_REPO}/git/trees/{{tree_sha}}"),
    ("POST", f"{_REPO}/git/trees"),
    ("POST", f"{_REPO}/git/commits"),
    ("POST", f"{_REPO}/pulls"),
    ("POST", "/graphql"),
    ("POST", MINTING),
)


@pytest.mark.parametrize(("method", "route"), REDIRECTED, ids=[f"{m} {r.rsplit('/', 1)[-1]}" for m, r in REDIRECTED])
def test_a_redirect_takes_no_credential_elsewhere(
    troubled: Case, generated: Generated, method: str, route: str
) -> None:
    name = f"away-{method}-{route.rsplit('/', 1)[-1].replace('_', '-').strip('{}')}".lower()
    case, runs = troubled.rig.started(generated, name)
    said = len(case.rig.watcher.found)
    with stranger() as (address, seen):
        fault = Fault(method, route, 307, {"message": "Moved"}, {"Location": address}, times=99)
        case.rig.world.faults.append(fault)
        try:
            ended = case.nightly(runs[0])
        finally:
            case.rig.world.faults.remove(fault)
    del case.rig.watcher.found[said:]  # GitHub's schema knows no such answers; they are wrong on purpose
    assert fault.met > 0
    assert [headers for headers in seen if "Authorization" in headers] == []
    assert ended.outcome in ("refused", "parked", "pull_request_forbidden", "config_unreadable")
    assert [secret for secret in secrets(case) if secret in ended.detail] == []
