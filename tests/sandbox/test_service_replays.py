"""Deliveries repeated and in any order: the world is the one that each of them, once, leads to.

Every order is played, and every delivery is repeated while its task waits, is at work and has ended, under its old
GUID and under new ones. Examples are not drawn: Hypothesis takes the engine's own random numbers, which another thread
asks for at any moment, for ones of the test.
"""

from __future__ import annotations

import itertools
import re

import pytest

from bot.sandbox import events
from bot.sandbox.generator import Generated
from bot.sandbox.state import Json
from tests.chaos.acts import ROAD, Act, Scene
from tests.chaos.engine import tasks_about
from tests.chaos.worlds import repeated
from tests.sandbox.service import EVIDENCE, ROLLING, Case, Rig

ORDERS = [
    order for order in itertools.permutations(ROAD) if order[0] is not Act.COMMAND
]  # it comments on what is there
ENDS = ("published", "refreshed", "nothing_to_change")


@pytest.fixture(scope="module")
def unwatched(service_rig: Rig) -> Rig:
    """Other tests hold the same calls to GitHub's schema; without that they take half the time."""
    service_rig.world.watchers.clear()
    return service_rig


class Sender:
    """Sends the deliveries of one repository, each as often as it is asked to."""

    def __init__(self, rig: Rig, made: Generated, name: str) -> None:
        self._rig = rig
        self.scene = Scene(rig, made, name)
        self.case = self.scene.case
        self._guids = itertools.count()
        self._comment: Json = {}

    def send(self, *acts: Act) -> None:
        """Each as GitHub sends it first, or sends it again."""
        for act in acts:
            self._send(act, f"replay-{self.case.repo.id}-{act}")

    def send_anew(self, *acts: Act) -> None:
        """Each under a GUID that was never seen."""
        for act in acts:
            self._send(act, f"replay-{self.case.repo.id}-{act}-{next(self._guids)}")

    def end(self, act: Act) -> str:
        """Wait for the end of an act's task; how it ended."""
        if act is not Act.COMMAND:
            return self.scene.await_end(self.case.key(self.scene.runs[act])).outcome
        number = self._commented()["comment"]["id"]
        return self.scene.await_end(f"command:{self.case.repo.id}:{number}").outcome

    def _send(self, act: Act, guid: str) -> None:
        if act is Act.COMMAND:
            delivery = self._rig.sandbox.deliver("issue_comment", self._commented(), guid)
        else:
            delivery = self.case.deliver(self.scene.runs[act], guid=guid)
        assert delivery.status_code == 202, delivery.response

    def _commented(self) -> Json:
        """One comment on the pull request, however often it is delivered."""
        if not self._comment:
            made = self.case.person().comment(self.case.pull.number, "/recalibrate")
            self._comment = events.issue_comment(self._rig.world, self.case.repo, made)
        return self._comment


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(act.name.lower() for act in order))
def test_any_order_and_any_repetition_leads_to_one_of_each(
    unwatched: Rig, generated: Generated, order: tuple[Act, Act, Act]
) -> None:
    sender = Sender(unwatched, generated, "".join(f"replay{act}" for act in order))
    opening, second, third = order
    sender.send(opening, opening)
    sender.send_anew(opening)
    ends = [sender.end(opening)]  # there is a pull request to comment on
    sender.send(second, third, *order)  # one has ended, one is at work, one waits
    sender.send_anew(*order)
    ends += [sender.end(second), sender.end(third)]
    sender.send(second)
    sender.send_anew(third)
    assert [end for end in ends if end not in ENDS] == []
    assert tasks_about(unwatched.settings.queue_url, sender.case.repo.id) == len(order)
    assert repeated(sender.case.repo) == []
    assert_one_of_each(sender.case, generated)


def assert_one_of_each(case: Case, made: Generated) -> None:
    """One pull request on one commit with the values of both nights, one answer, a check run a night."""
    answers = [one for one in case.repo.comments.values() if one.app is not None]
    assert (len(case.pulls), len(answers), len(case.repo.checks)) == (1, 1, 2)
    assert set(dict(case.repo.git.refs("refs/heads/"))) == {"refs/heads/main", ROLLING, EVIDENCE}
    tip = str(case.tip())
    assert case.repo.git.commit(tip).parents == (case.tip("refs/heads/main"),)
    assert set(case.git("diff", "--name-only", f"{tip}^", tip).split()) == set(made.edits)
    assert [sign for sign, _ in case.changed(tip)].count("+") == len(made.edits)
    for path, (_, after) in made.edits.items():
        assert re.search(rf"\b{after}\b".encode(), case.file(tip, path)), path
