"""What happens in a repository, one act after the other: the nights, what persons ask for, a sweep, an uninstallation.

A `Scene` brings one repository to an act and says how its task is asked for. Nothing is killed,
spoiled or judged here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum

import sqlalchemy as sa

from bot.domain import TaskKind, TaskRequest
from bot.sandbox import events
from bot.sandbox.generator import Generated
from bot.sandbox.state import Json
from bot.sandbox.state.accounts import Account
from bot.sandbox.webhooks import new_delivery
from bot.store.schema import metadata
from bot.store.schema.repositories import repositories
from tests.chaos.engine import tasks_about
from tests.sandbox.service import CONFIG, Ended, Rig
from tests.waits import PATIENCE_S

TESTED = "tests/e2e/lora/test_finch_9b_lora_ci.py"  # a file with a registration


class Act(IntEnum):
    """What happens in a repository, in this order within a story."""

    FIRST = 0  # a night
    SECOND = 1  # another one
    COMMAND = 2  # a person comments `/recalibrate`
    RERUN = 3  # a person presses "Re-run" on the nightly's check run
    PULL = 4  # a person proposes a change of a registration
    SWEEP = 5  # of a night nobody told of, a delivery that failed, a permission that went missing
    FORGOTTEN = 6  # the App was uninstalled, long enough ago
    OBSERVED = 7  # a night of a repository that only observes
    OPENED = 8  # a person presses "Open pull request"


ROAD = (Act.FIRST, Act.SECOND, Act.COMMAND)
PROPOSING = (*ROAD, Act.RERUN, Act.PULL, Act.SWEEP, Act.FORGOTTEN)
OBSERVING = (Act.OBSERVED, Act.OPENED)
STORIES = (PROPOSING, OBSERVING)
MOST_PARKED = 100
NIGHT = {Act.FIRST: 0, Act.SECOND: 1, Act.OBSERVED: 0}
Rows = dict[str, int]
LATER_SWEEPS = ("sweep again", "sweep after that")
_SWEEPS = ("sweep", *LATER_SWEEPS, "forgetting")


@dataclass(frozen=True)
class Asked:
    """A task asked for. `send` says whether it was accepted; `delivered`: by a webhook. `others` it brings about."""

    key: str
    send: Callable[[], bool]
    delivered: bool = True
    others: tuple[str, ...] = ()


class Scene:
    """One repository of a rig, and the acts that can happen in it."""

    def __init__(self, rig: Rig, made: Generated, name: str) -> None:
        self._rig = rig
        self.case, self.runs = rig.started(made, name)

    def stage(self, act: Act) -> Asked:
        """Let happen what leads to an act; how its task is asked for."""
        if act is Act.OBSERVED:
            self.case.configure(CONFIG + "mode: observe\n")
        if act in NIGHT:
            run = self.runs[NIGHT[act]]
            return Asked(self.case.key(run), lambda: self.case.deliver(run, guid=self._guid(act)).status_code == 202)
        by_act = {Act.COMMAND: self._command, Act.PULL: self._pull, Act.SWEEP: self._sweep}
        if act in by_act:
            return by_act[act]()
        if act is Act.FORGOTTEN:
            return self._forgotten()
        return self._press(act, "rerequested" if act is Act.RERUN else "requested_action:open_pull_request")

    def play(self, act: Act) -> Ended:
        """An act from its beginning to its end."""
        asked = self.stage(act)
        if not asked.send():
            raise RuntimeError(f"{asked.key} was not accepted")
        return self.end(asked)

    def end(self, asked: Asked) -> Ended:
        """Wait for everything an act brings about; how its own task ended."""
        ends = [self.await_end(key) for key in (asked.key, *asked.others)]
        return next((one for one in ends if one.outcome == "no end"), ends[0])

    def sweep_again(self) -> None:
        """Two more sweeps: an installation that never told is asked about by one, and looked at by the next."""
        for what in LATER_SWEEPS:
            asked = self._asked(what)
            asked.send()
            self.end(asked)

    def rows(self) -> Rows:
        """How many rows of each table, and how many tasks of the durable engine, are about this repository."""
        with self.case.store.database.read() as connection:
            counted = {
                table.name: connection.execute(
                    sa.select(sa.func.count()).where(table.c.repository_id == self.case.repository_id)
                ).scalar_one()
                for table in metadata.sorted_tables
                if "repository_id" in table.c
            }
        return {**counted, "tasks": tasks_about(self._rig.settings.queue_url, self.case.repository_id)}

    def leave(self) -> None:
        """Take the App away from here, so that no later sweep looks at this repository.

        Nor does a sweep that was parked here look at a later one, a quarter of an hour from now.
        """
        for parked in self.case.store.parked.every(MOST_PARKED):
            self.case.store.parked.ended(parked.key)
        self._rig.world.installations.pop(self.case.installation.id, None)
        self.case.store.installations.remove(self.case.installation.id)

    # ------------------------------------------------------------------- the acts

    def _command(self) -> Asked:
        comment = self.case.person().comment(self._ours(), "/recalibrate")
        payload = events.issue_comment(self._rig.world, self.case.repo, comment)
        return self._webhook(Act.COMMAND, f"command:{self.case.repo.id}:{comment.id}", "issue_comment", payload)

    def _press(self, act: Act, action: str) -> Asked:
        check = max(self.case.repo.checks.values(), key=lambda one: one.id)
        payload = events.check_run(self._rig.world, self.case.repo, check, action, self._mona())
        key = f"check_action:{self.case.installation.id}:{self._guid(act)}"
        return self._webhook(act, key, "check_run", payload)

    def _pull(self) -> Asked:
        text = self.case.file("main", TESTED).replace(b"est_time=", b"est_time=1")
        person = self.case.person()
        person.commit("mine", {TESTED: text})
        issue = person.propose("mine")
        payload = events.pull_request(self._rig.world, self.case.repo, issue, "opened", self._mona())
        head = issue.pull.head_sha if issue.pull else ""
        key = f"pull_request:{self.case.repo.id}:{issue.number}:{head}"
        return self._webhook(Act.PULL, key, "pull_request", payload)

    def _sweep(self) -> Asked:
        """A night that nobody told of, a comment whose delivery failed, and a permission that is gone."""
        run = self.runs[2]
        attempt = self.case.repo.runs[run][1]
        attempt.run["created_at"] = f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
        comment = self.case.person().comment(self._ours(), "/recalibrate help")
        payload = events.issue_comment(self._rig.world, self.case.repo, comment)
        failed = new_delivery(self._rig.world, self._rig.app, "issue_comment", payload, self._guid(Act.SWEEP))
        failed.status_code = 502
        self._rig.world.deliveries.append(failed)
        self._lose_permission("checks")
        return self._asked("sweep", (self.case.key(run), f"command:{self.case.repo.id}:{comment.id}"))

    def _lose_permission(self, name: str) -> None:
        """Tokens that were given with it are no good any more, so that all worlds are without it from now on."""
        del self.case.installation.permissions[name]
        self.case.revoke_tokens()

    def _forgotten(self) -> Asked:
        self.leave()
        long_ago = datetime.now(UTC) - timedelta(days=400)
        mine = repositories.c.repository_id == self.case.repository_id
        with self.case.store.database.write() as connection:
            connection.execute(sa.update(repositories).where(mine).values(lost_at=long_ago))
        return self._asked("forgetting")

    def _asked(self, what: str, others: tuple[str, ...] = ()) -> Asked:
        """A sweep, which no webhook asks for; each has a moment of its own."""
        minutes = len(_SWEEPS) * self.case.repo.id + _SWEEPS.index(what)
        at = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
        request = TaskRequest(TaskKind.SWEEP, 0, delivery=f"{at:%Y-%m-%dT%H:%MZ}")

        def send() -> bool:
            self._rig.ask(request)
            return True

        return Asked(request.key, send, delivered=False, others=others)

    # ------------------------------------------------------------------- shared

    def _webhook(self, act: Act, key: str, event: str, payload: Json) -> Asked:
        sandbox, guid = self._rig.sandbox, self._guid(act)
        return Asked(key, lambda: sandbox.deliver(event, payload, guid).status_code == 202)

    def _guid(self, act: Act) -> str:
        return f"chaos-{self.case.repo.id}-{act.value}"

    def _ours(self) -> int:
        """The number of the App's pull request."""
        (found,) = (it.number for it in self.case.pulls if it.app is not None)
        return found

    def _mona(self) -> Account:
        return self.case.person().account

    def await_end(self, key: str) -> Ended:
        """Wait for a task's stored end; looked for often, so that many acts are quick."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            stored = self.case.store.outcomes.find(key)
            if stored:
                return Ended(stored.name, stored.detail)
            time.sleep(0.03)
        return Ended("no end", f"{key} after {PATIENCE_S} s")
