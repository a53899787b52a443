"""Deliveries repeated and in any order: the world is the one that each of them, once, leads to."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.sandbox import events
from bot.sandbox.generator import Generate, Generated, generate
from tests.chaos.acts import ROAD, Act, Scene
from tests.chaos.worlds import Seen, repeated, seen
from tests.sandbox.service import Case, Rig

NAMES = (f"replay{n}" for n in itertools.count())
SAME_GUID, NEW_GUID = True, False
nights = st.tuples(st.sampled_from([Act.FIRST, Act.SECOND]), st.sampled_from([SAME_GUID, NEW_GUID]))
anything = st.tuples(st.sampled_from(ROAD), st.sampled_from([SAME_GUID, NEW_GUID]))
sequences = st.tuples(nights, st.lists(anything, max_size=5), st.permutations(ROAD))


@pytest.fixture(scope="module")
def three_nights(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("three"), Generate(nights=3))


@pytest.fixture(scope="module")
def unwatched(service_rig: Rig) -> Rig:
    """Other tests hold the same calls to GitHub's schema; without that they take half the time."""
    service_rig.world.watchers.clear()
    return service_rig


@pytest.fixture(scope="module")
def wanted(unwatched: Rig, three_nights: Generated) -> Seen:
    scene = Scene(unwatched, three_nights, next(NAMES))
    for act in ROAD:
        scene.play(act)
    return seen(scene.case.repo)


class Sender:
    """Sends the deliveries of one repository, each as often as it is asked to."""

    def __init__(self, rig: Rig, made: Generated) -> None:
        self._rig = rig
        self.scene = Scene(rig, made, next(NAMES))
        self.case = self.scene.case
        self._guids = itertools.count()
        self._payloads: dict[Act, object] = {}

    def send(self, act: Act, *, same: bool) -> None:
        guid = f"replay-{self.case.repo.id}-{act}" + ("" if same else f"-{next(self._guids)}")
        if act is Act.COMMAND:
            assert self._rig.sandbox.deliver("issue_comment", self._comment(), guid).status_code == 202
        else:
            assert self.case.deliver(self.scene.runs[act], guid=guid).status_code == 202

    def end(self, act: Act) -> None:
        key = f"command:{self.case.repo.id}:{self._comment()['comment']['id']}" if act is Act.COMMAND else ""
        ended = self.scene.await_end(key or self.case.key(self.scene.runs[act]))
        assert ended.outcome in ("published", "refreshed", "nothing_to_change"), ended

    def _comment(self) -> dict[str, dict[str, int]]:
        """One comment on the pull request, however often it is delivered."""
        if Act.COMMAND not in self._payloads:
            made = self.case.person().comment(self.case.pull.number, "/recalibrate")
            self._payloads[Act.COMMAND] = events.issue_comment(self._rig.world, self.case.repo, made)
        return self._payloads[Act.COMMAND]  # type: ignore[return-value]


@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # it would stand in for what went wrong
@settings(max_examples=6, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(sequence=sequences)
def test_any_order_and_any_repetition_leads_to_one_of_each(
    unwatched: Rig,
    three_nights: Generated,
    wanted: Seen,
    sequence: tuple[tuple[Act, bool], list[tuple[Act, bool]], list[Act]],
) -> None:
    (opening, same), middle, last = sequence
    sender = Sender(unwatched, three_nights)
    sender.send(opening, same=same)
    sender.end(opening)  # there is a pull request to comment on
    for act, again in [*middle, *((act, SAME_GUID) for act in last)]:
        sender.send(act, same=again)
    for act in ROAD:
        sender.end(act)
    assert repeated(sender.case.repo) == []
    assert one_of_each(sender.case, wanted)


def one_of_each(case: Case, wanted: Seen) -> bool:
    """One pull request on one commit with the values of both nights, one answer, a check run a night."""
    now = seen(case.repo)
    counts = [len(now[name]) == len(wanted[name]) for name in ("pulls", "comments", "checks")]  # type: ignore[arg-type]
    return all(counts) and now["branch"] == wanted["branch"] and now["branches"] == wanted["branches"]
