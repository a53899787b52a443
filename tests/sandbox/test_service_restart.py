"""A nightly whose service is struck at every stage in turn: it goes on where it was, and the world sees it once."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.sandbox.generator import Generated
from bot.sandbox.state.repo import Repo
from bot.sandbox.traffic import Exchange
from bot.store.open import Store
from tests.sandbox.process import ServedProcess, github_with
from tests.sandbox.service import EVIDENCE, ROLLING
from tests.waits import PATIENCE_S

_REPO = "/repos/{owner}/{repo}"
# What the service has just asked when it is struck, in the order of the road.
PINNING = ("POST", "/graphql:repository")
COLLECTING = ("GET", f"{_REPO}/actions/jobs/{{job_id}}/logs")
EVALUATING = ("GET", f"{_REPO}/git/trees/{{tree_sha}}")
PREPARING = ("POST", f"{_REPO}/git/commits")
MOVING = ("POST", "/graphql:updateRefs")
SETTLING = ("POST", f"{_REPO}/pulls")


@dataclass
class Served(ServedProcess):
    """`recalibrate serve` as a process of its own that is struck at each stage and started again."""

    blow: signal.Signals = signal.SIGKILL
    pending: list[tuple[str, str]] = field(default_factory=list)

    def strike(self, exchange: Exchange) -> None:
        if self.pending and (exchange.method, exchange.route) == self.pending[0] and self.process:
            self.pending.pop(0)
            self.process.send_signal(self.blow)


@contextmanager
def served(
    directory: Path, generated: Generated, blow: signal.Signals, stages: Sequence[tuple[str, str]]
) -> Iterator[tuple[Served, Repo]]:
    with github_with(directory, generated) as github:
        it = Served(github.environment, blow=blow, pending=list(stages))
        github.world.watchers.append(it.strike)
        try:
            github.app.webhook_url = it.start()
            assert github.deliver(generated.runs[0].run_id).status_code == 202
            yield it, github.repo
        finally:
            it.end()


@pytest.mark.parametrize(
    ("blow", "stages"),
    [
        (signal.SIGKILL, (PINNING, EVALUATING, PREPARING, MOVING, SETTLING)),
        (signal.SIGTERM, (COLLECTING, EVALUATING, MOVING)),
    ],
    ids=["killed", "stopped"],
)
def test_a_service_struck_at_every_stage_goes_on_where_it_was(
    tmp_path: Path, generated: Generated, blow: signal.Signals, stages: Sequence[tuple[str, str]]
) -> None:
    with served(tmp_path, generated, blow, stages) as (service, repo):
        for left in range(len(stages), 0, -1):
            assert service.until("task ended") == "", f"struck too late: {stages[-left]}"
            assert service.process
            assert service.process.wait(PATIENCE_S) == (-blow if blow is signal.SIGKILL else 0)
            assert len(service.pending) == left - 1
            service.end()
            service.start()
        assert service.until("task ended")
        service.end()
    store = Store.open(f"sqlite:///{tmp_path / 'work' / 'recalibrate.sqlite'}")
    outcome = store.outcomes.find(f"nightly:{repo.id}:{generated.runs[0].run_id}:1")
    store.close()
    assert outcome
    assert outcome.name == "published"
    (pull,) = repo.pulls()
    assert outcome.detail.endswith(f"/pull/{pull.number}")
    assert repo.git.run("rev-list", "--parents", "-1", ROLLING).decode().split()[1:] == [generated.base]
    assert len(repo.git.run("rev-list", EVIDENCE).split()) == 1
    assert {name for name, _ in repo.git.refs("refs/heads/")} == {"refs/heads/main", ROLLING, EVIDENCE}
