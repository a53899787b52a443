"""The rule over the merged nightlies gives every proposal that was worked out for them by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.calibration.decide import Case, decide
from bot.calibration.policies import policy_from
from bot.domain import Decision, Keep, KeepReason, KeyHistory, TimeoutRule
from tests.unit.calibration.calibration_cases import FIRST_RULES, key, registration, sample

NIGHTS = {"A": 23, "B": 25, "E": 26, "F1": 27, "F2": 29, "F3": 31}  # days after the first of the cases


def merged(data: Path, name: str) -> dict[str, dict]:
    return json.loads((data / "nightlies" / "expected-merged.json").read_text())["sets"][name]["tests"]


def decision(path: str, test: dict, policy: str) -> Decision:
    """One file as if it had one key, whatever suites measured it: that is how the sets are merged."""
    of = key(path)
    samples = tuple(
        sample(x["elapsed_s"], NIGHTS[x["run"]], of, attempt=x["attempt"], job_id=x["job_id"]) for x in test["samples"]
    )
    case = Case(registration(test["base_est_s"] or 1, of), KeyHistory(of, samples), TimeoutRule())
    return decide(case, policy_from(FIRST_RULES, policy))


@pytest.mark.parametrize("name", ["A+B", "E(1+2)", "F1+F2+F3", "all-nightlies"])
def test_strict_reproduces_every_proposal(shared_data: Path, name: str) -> None:
    tests = merged(shared_data, name)
    for path, test in tests.items():
        got = decision(path, test, "strict")
        assert (got.estimate.value_s if got.estimate else None) == test.get("proposed_est_s"), path
        if len({x["suite"] for x in test["samples"]}) == 1:  # the sets merge suites, which this program never does
            assert got.action == test["action"], path
    assert sum("proposed_est_s" in test for test in tests.values()) > 50


def test_default_over_two_nights_differs_from_strict_only_where_one_night_would_lower(shared_data: Path) -> None:
    held = 0
    for path, test in merged(shared_data, "A+B").items():
        strict, default = decision(path, test, "strict"), decision(path, test, "default")
        if isinstance(default, Keep) and not isinstance(strict, Keep):
            assert default.reason is KeepReason.TOO_FEW_NIGHTS
            assert len({x["run"] for x in test["samples"]}) == 1
            assert (strict.action, default.held) == ("lower", test["proposed_est_s"])
            held += 1
        else:
            assert default == strict
    assert held >= 1
