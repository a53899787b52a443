"""The measured nights delivered one after another: which pull request stands after each, and why.

The expectation is worked out from the facts beside the logs (`tests.stages.test_local_proposals`),
not from anything the service read.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from bot.domain import Keep, KeepReason, Proposal
from tests.sandbox.service import EVIDENCE, Case, Rig
from tests.stages.conftest import FIRST_RULES, LookAlike, look  # noqa: F401 - the fixture
from tests.stages.test_local_proposals import Key, Known, literals, rule, tree, why

MERGED_ON = "aac9d62"  # the last parent of radixark/miles pull 2214
NIGHTS = (("A", 1), ("B", 1), ("E", 1), ("E", 2), ("F1", 1), ("F2", 1), ("F3", 1))
HEADS = {"A": "18192da", "B": "86954a7", "E": "98eec31", "F1": "b1860dd", "F2": "0113aa5", "F3": "d2e3ad9"}


@dataclass
class Measured:
    """A repository with the measured runs on GitHub."""

    case: Case
    look: LookAlike

    def head(self, sha7: str) -> str:
        return self.case.git("rev-parse", f"facts-{sha7}").strip()

    def run_id(self, name: str) -> int:
        return int(json.loads((self.look.runs / name / "api" / "run.json").read_text())["id"])

    def base_is(self, sha7: str) -> None:
        self.case.person().push("main", self.head(sha7))
        self.case.person().commit("main", {".github/recalibrate.yml": FIRST_RULES.encode()})


@pytest.fixture
def measured(service_rig: Rig, look: LookAlike, request: pytest.FixtureRequest) -> Measured:  # noqa: F811 - the fixture
    case = service_rig.case(look.repository, request.node.name.replace("_", "-")[:30])
    case.add_runs(*(look.runs / name for name in HEADS))
    return Measured(case, look)


def unchanged(entry: dict[str, Any]) -> list[object]:
    """What must be equal at head and base: the file without its calls, and of the calls all but times and labels."""
    kept = ("backend", "suite", "nightly", "disabled", "argument_order", "layout")
    return [entry["body_sha"], *([call[name] for name in kept] for call in entry["registrations"])]


def known(look: LookAlike, base: str, nights: tuple[tuple[str, int], ...]) -> dict[Key, Known]:  # noqa: F811 - a value
    """What the rows of these attempts say of files that are the same at the base, calls apart; copies left out."""
    at_base = tree(look, base)
    now = literals(at_base)
    found: dict[Key, Known] = {}
    for night, attempt in nights:
        at_head = tree(look, HEADS[night])
        facts = json.loads((look.runs / night / f"attempt-{attempt}" / "expected.json").read_text("utf-8"))
        for row in facts["rows"]:
            key = (row["test_file"], row["suite"])
            same = key in now and unchanged(at_head[key[0]]) == unchanged(at_base[key[0]])
            if not same or row["job_id"] in facts["carried_over_jobs"]:
                continue
            one = found.setdefault(key, Known())
            one.timeouts += row["status"] == "timeout"
            if row["status"] == "passed":
                one.passes[night] = max(one.passes.get(night, 0), row["elapsed_s"])
                one.newest_literal = literals(at_head)[key]
    return {key: one for key, one in found.items() if one.passes}


def expected(look: LookAlike, base: str, nights: tuple[tuple[str, int], ...]) -> dict[Key, tuple[str, int]]:  # noqa: F811 - a value
    """Each measured key's reason and the value of the rule."""
    now = literals(tree(look, base))
    return {
        key: (why(one, now[key], "first-rules"), rule(max(one.passes.values())))
        for key, one in known(look, base, nights).items()
    }


def said(case: Case) -> dict[Key, tuple[str, int]]:
    """The same of the newest stored evaluation."""
    (name,) = case.store.evaluations.newest(case.repository_id, 1)
    evaluation = case.store.evaluations.find(name)
    assert evaluation
    found = {}
    for one in evaluation.decisions:
        key = (str(one.registration.key.path), str(one.registration.key.suite))
        if isinstance(one, Proposal):
            found[key] = (one.action, one.after)
        elif isinstance(one, Keep) and one.estimate:
            found[key] = ("equal" if one.reason is KeepReason.EQUAL else f"held:{one.reason}", one.estimate.value_s)
    return found


def proposals(reasons: dict[Key, tuple[str, int]]) -> dict[Key, int]:
    return {key: value for key, (reason, value) in reasons.items() if reason in ("raise", "lower")}


def published(case: Case) -> dict[str, list[str]]:
    """Added lines of the rolling commit by file."""
    tip = str(case.tip())
    found: dict[str, list[str]] = {}
    for path in case.git("diff", "--name-only", f"{tip}^", tip).split():
        lines = case.git("diff", "--unified=0", f"{tip}^", tip, "--", path).split("\n")
        found[path] = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    return found


def holds(case: Case, reasons: dict[Key, tuple[str, int]]) -> None:
    """The stored decisions and the rolling commit are what the facts ask for."""
    assert said(case) == reasons
    wanted = proposals(reasons)
    lines = published(case)
    assert set(lines) == {path for path, _ in wanted}
    for (path, _), value in wanted.items():
        assert any(str(value) in line for line in lines[path]), path


# Why each line is right, on the base that pull 2214 was merged on:
# - A alone may raise and not lower: a lower needs two nights. One raise is left to the person who has written 190 where
#   the night ran with 120.
# - B makes six lowers complete; the nine that are held were measured in one of the two nights only.
# - E.1 gives seven of the nine their second night. One lower is held since: the test timed out in E.1.
# - E.2 re-ran three jobs; the others are copies and count once. No value moves: the branch is left alone.
# - F1 completes the last held lower; files that changed before it count from F1 on.
# - F2 and F3 measure files at their newest version, so ever more are the same file at the base; their literals mostly
#   equal the rule already, and a person's two newer values are the measured ones from F2 on.
ON_THE_MERGED_BASE = (
    ("A.1", "published", {"equal": 7, "held:human_value_newer": 1, "held:too_few_nights": 10, "raise": 3}),
    ("B.1", "published", {"equal": 9, "held:human_value_newer": 1, "held:too_few_nights": 9, "lower": 6, "raise": 3}),
    ("E.1", "published", {"equal": 11, "held:human_value_newer": 1, "held:timeout_in_window": 1,
                          "held:too_few_nights": 1, "lower": 13, "raise": 3}),
    ("E.2", "refreshed", {"equal": 11, "held:human_value_newer": 1, "held:timeout_in_window": 1,
                          "held:too_few_nights": 1, "lower": 13, "raise": 3}),
    ("F1.1", "published", {"equal": 11, "held:human_value_newer": 2, "held:timeout_in_window": 1, "lower": 14,
                           "raise": 3}),
    ("F2.1", "published", {"equal": 18, "held:timeout_in_window": 1, "held:too_few_nights": 4, "lower": 13,
                           "raise": 5}),
    ("F3.1", "published", {"equal": 42, "held:timeout_in_window": 1, "held:too_few_nights": 8, "lower": 16,
                           "raise": 5}),
)  # fmt: skip

# And on the base as it was each night, where nearly every measured file is the file at the base:
# - what A and B measured alike is lowered with B; E.1 completes nearly all others, and its timeout holds one back.
# - F2's tree has changed files that the nights before had measured, so their lowers wait for a second night again.
ON_THE_NIGHTS_OWN_BASE = (
    ("A.1", "published", {"equal": 29, "held:too_few_nights": 19, "raise": 4}),
    ("B.1", "published", {"equal": 39, "held:too_few_nights": 11, "lower": 15, "raise": 5}),
    ("E.1", "published", {"equal": 44, "held:timeout_in_window": 1, "held:too_few_nights": 1, "lower": 24, "raise": 5}),
    ("E.2", "refreshed", {"equal": 44, "held:timeout_in_window": 1, "held:too_few_nights": 1, "lower": 24, "raise": 5}),
    ("F1.1", "published", {"equal": 43, "held:timeout_in_window": 1, "held:too_few_nights": 1, "lower": 24,
                           "raise": 7}),
    ("F2.1", "published", {"equal": 42, "held:timeout_in_window": 1, "held:too_few_nights": 11, "lower": 16,
                           "raise": 7}),
    ("F3.1", "published", {"equal": 44, "held:timeout_in_window": 1, "held:too_few_nights": 9, "lower": 16,
                           "raise": 5}),
)  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "bases"),
    [(ON_THE_MERGED_BASE, dict.fromkeys(HEADS, MERGED_ON)), (ON_THE_NIGHTS_OWN_BASE, HEADS)],
    ids=["merged-base", "own-base"],
)
def test_the_pull_request_after_each_night_is_what_the_facts_ask_for(
    measured: Measured, steps: tuple[tuple[str, str, dict[str, int]], ...], bases: dict[str, str]
) -> None:
    case, tip = measured.case, None
    for at, (night, attempt) in enumerate(NIGHTS, start=1):
        base = bases[night]
        measured.base_is(base)
        name, outcome, counts = steps[at - 1]
        assert case.nightly(measured.run_id(night), attempt).outcome == outcome, name
        reasons = expected(measured.look, base, NIGHTS[:at])
        assert dict(Counter(reason for reason, _ in reasons.values())) == counts, name
        holds(case, reasons)
        assert (case.tip() == tip) == (outcome == "refreshed"), name
        tip = case.tip()
        if outcome == "published":
            parents = case.git("rev-list", "--parents", "-1", str(tip)).split()[1:]
            assert parents == [case.git("rev-parse", "main").strip()]
        assert case.pull.state == "open"
        assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == at


@pytest.mark.parametrize("name", ["C", "D"])
def test_a_release_run_and_a_pull_requests_run_are_no_nights(measured: Measured, name: str) -> None:
    (run,) = measured.case.add_runs(measured.look.runs / name)
    mark = len(measured.case.rig.world.journal)
    delivery = measured.case.deliver(run)
    assert json.loads(delivery.response)["verdict"] == "other_event"
    assert measured.case.since(mark) == []
