"""How a process of the service ends: what is at work ends, nothing else begins, and the time is kept."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Arrival, Exchange
from tests.sandbox.process import GitHub, ServedProcess, github_with
from tests.sandbox.service import SECRET
from tests.waits import PATIENCE_S

LOGS = "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs"
STOP_S, HANG_S = 3, PATIENCE_S
HUNG_S = 45.0  # the client itself gives a hanging answer up after 60


@pytest.fixture
def github(tmp_path: Path, generated: Generated) -> Iterator[GitHub]:
    with github_with(tmp_path, generated) as made:
        yield made


@pytest.fixture
def service(github: GitHub) -> Iterator[ServedProcess]:
    it = ServedProcess({**github.environment, "RECALIBRATE_LOG": "json"})
    try:
        yield it
    finally:
        it.end()


def rest(service: ServedProcess) -> list[dict[str, Any]]:
    """Every line of the log until the process has ended; of one ended the hard way Python itself may say a word."""
    return [json.loads(line) for line in service.lines() if line.startswith("{")]


def ended(service: ServedProcess) -> int:
    assert service.process
    return service.process.wait(PATIENCE_S)


def test_a_step_at_work_ends_is_not_done_again_and_no_other_begins(
    github: GitHub, service: ServedProcess, generated: Generated
) -> None:
    struck = threading.Event()

    def strike(exchange: Exchange) -> None:
        if exchange.route == LOGS and not struck.is_set() and service.process:
            struck.set()
            service.process.send_signal(signal.SIGTERM)

    github.world.watchers.append(strike)
    github.app.webhook_url = service.start()
    assert github.deliver(generated.runs[0].run_id).status_code == 202
    said = [line["message"] for line in rest(service)]
    assert ended(service) == 0
    assert [one for one in said if one in ("stopping", "stopped", "task ended", "steps left at work")] == [
        "stopping",
        "stopped",
    ]
    fetched = Counter(call.path for call in github.world.journal if call.route == LOGS)
    assert set(fetched.values()) == {1}
    service.start()
    assert json.loads(service.until("task ended"))["outcome"] == "published"
    assert Counter(call.path for call in github.world.journal if call.route == LOGS) == fetched
    assert len(github.repo.pulls()) == 1


@contextmanager
def told_to_stop_while_github_hangs(github: GitHub, service: ServedProcess, run: int) -> Iterator[None]:
    """GitHub takes a request and answers nobody any more; the service has just been told to stop."""
    gone = threading.Event()

    def hang(arrival: Arrival) -> None:
        if arrival.route == LOGS and not gone.is_set() and service.process:
            service.process.send_signal(signal.SIGTERM)
            gone.wait(HANG_S)

    github.world.gates.append(hang)
    github.app.webhook_url = service.start()
    delivering = threading.Thread(target=github.deliver, args=(run,))  # GitHub may hang before it has read the answer
    delivering.start()
    try:
        assert service.until('"stopping"')
        yield
    finally:
        gone.set()
        delivering.join()


def test_a_step_that_does_not_end_keeps_nobody_waiting(
    github: GitHub, service: ServedProcess, generated: Generated
) -> None:
    service.environment = {**service.environment, "RECALIBRATE_STOP_SECONDS": str(STOP_S)}
    with told_to_stop_while_github_hangs(github, service, generated.runs[0].run_id):
        began = time.monotonic()
        said = [line["message"] for line in rest(service)]
        assert ended(service) == 0
        assert time.monotonic() - began < HUNG_S  # the limit, and a machine that is busy with other tests
    assert "steps left at work" in said
    service.start()
    assert json.loads(service.until("task ended"))["outcome"] == "published"
    assert len(github.repo.pulls()) == 1


def test_a_second_signal_ends_it_at_once(github: GitHub, service: ServedProcess, generated: Generated) -> None:
    with told_to_stop_while_github_hangs(github, service, generated.runs[0].run_id):
        assert service.process
        service.process.send_signal(signal.SIGTERM)
        assert ended(service) == -signal.SIGTERM


def test_every_line_of_a_tasks_work_says_what_it_is_about_and_none_holds_a_secret(
    github: GitHub, service: ServedProcess, generated: Generated
) -> None:
    run = generated.runs[0].run_id
    github.app.webhook_url = service.start()
    delivery = github.deliver(run)
    lines = []
    for line in service.lines():
        lines.append(json.loads(line))
        if lines[-1]["message"] == "task ended" and service.process:
            service.process.send_signal(signal.SIGTERM)
    assert ended(service) == 0
    (taken,) = [line for line in lines if line["message"] == "delivery"]
    assert (taken["delivery"], taken["repository"]) == (delivery.guid, github.repo.full_name)
    (end,) = [line for line in lines if line["message"] == "task ended"]
    about = {"delivery": delivery.guid, "run": run, "attempt": 1, "repository": github.repo.full_name}
    about["task"] = f"nightly:{github.repo.id}:{run}:1"
    assert {name: end.get(name) for name in about} == about
    assert {line["level"] for line in lines} <= {"info", "warning"}
    text = json.dumps(lines)
    pem = service.environment["RECALIBRATE_PRIVATE_KEY"].splitlines()
    assert [one for one in (SECRET, *pem, *github.world.tokens) if one in text] == []


def test_metrics_are_served_at_a_port_of_their_own_once_it_is_named(github: GitHub, service: ServedProcess) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    service.environment = {**service.environment, "RECALIBRATE_METRICS_PORT": str(port)}
    service.start()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
        assert b'recalibrate_build_info{pipeline="' in answer.read()


def test_an_address_that_is_taken_is_told_with_its_variable(github: GitHub, service: ServedProcess) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        service.environment = {**service.environment, "RECALIBRATE_METRICS_PORT": str(port)}
        assert service.start() == ""
    assert ended(service) == 2
