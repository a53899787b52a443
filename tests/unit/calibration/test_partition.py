from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.decide import Case, decide
from bot.calibration.partition import load, lpt, plan_partitions
from bot.calibration.policies import policy_from
from bot.domain import Decision, EditRefusal, NotPackedReason, TestPath, TimeoutRule
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import SUITE, history, key, passes, plan, registration, run

Ranks = dict[int, dict[TestPath, float]]


def decided(path: str, est_time: float, *seconds: int) -> Decision:
    case = Case(registration(est_time, key(path)), history(passes(*seconds, of=key(path))), TimeoutRule())
    return decide(case, policy_from(DEFAULT.estimate, "strict"))


def attempts(data: Path) -> list[tuple[str, int, list[dict]]]:
    found = []
    for file in sorted((data / "nightlies").glob("*/attempt-*/expected.json")):
        expected = json.loads(file.read_text())
        found.append((expected["run"], expected["run_attempt"], expected["rows"]))
    return found


def ranks_of(rows: list[dict]) -> dict[tuple[str, int], Ranks]:
    """Logged estimates by suite and size, then rank."""
    suites: dict[tuple[str, int], Ranks] = defaultdict(lambda: defaultdict(dict))
    for x in rows:
        suites[x["suite"], x["partition_size"]][x["partition_id"]][x["test_file"]] = x["logged_est_s"]
    return suites


def test_every_plan_of_every_nightly_is_reproduced_from_its_logged_estimates(shared_data: Path) -> None:
    """One rank of E's first attempt never printed a plan; it joins from the second attempt, as in the program."""
    compared, unplanned, merged = 0, [], defaultdict(list)
    for name, attempt, rows in attempts(shared_data):
        merged[name] += rows
        for (suite, size), ranks in ranks_of(merged[name]).items():
            if len(ranks) < size:
                unplanned.append((name, attempt, suite))
                continue
            pool = {path: est for files in ranks.values() for path, est in files.items()}
            assert [set(rank) for rank in lpt(pool, size)] == [set(ranks[i]) for i in range(size)]
            compared += size
    assert unplanned == [("E", 1, "stage-c-2-gpu-h200")]
    assert compared == 9 * (1 + 2 + 2 + 3 + 2) - 2


def test_ties_go_to_the_lowest_rank_and_equal_estimates_by_path() -> None:
    pool = {TestPath(name): 100.0 for name in ("d", "b", "c", "a")}
    assert lpt(pool, 3) == (("a", "d"), ("b",), ("c",))


def test_before_and_after_are_scored_on_what_was_measured() -> None:
    literals = {"a": 3600, "b": 1800, "c": 1800, "d": 900}
    seconds = {"a": 960, "b": 560, "c": 700, "d": 700}
    decisions = [decided(path, est, seconds[path]) for path, est in literals.items()]
    plans = [plan(0, 2, [("a", 3600)]), plan(1, 2, [("b", 1800), ("c", 1800), ("d", 900)])]
    ((suite,), refused) = plan_partitions([run(0, plans)], decisions)
    assert refused == ()
    assert (suite.suite, suite.size, suite.unmeasured) == (SUITE, 2, ())
    assert suite.before.members == (("a", "d"), ("b", "c"))
    assert suite.before.measured_s == (1660, 1260)
    assert suite.after.members == (("a", "b"), ("c", "d"))
    assert suite.after.loads_s == (1200 + 700, 900 + 900)
    assert suite.after.measured_s == (1520, 1400)
    assert (suite.before.makespan_s, suite.after.makespan_s) == (1660, 1520)
    assert suite.after.imbalance == pytest.approx(1520 / 1460)


def test_a_file_without_a_measurement_is_scored_in_proportion_to_its_estimate_and_named() -> None:
    """Estimates hold headroom, seconds do not: added up as they are, a balanced packing would look unbalanced."""
    plans = [plan(0, 2, [("a", 400)]), plan(1, 2, [("b", 400)])]
    ((suite,), _) = plan_partitions([run(0, plans)], [decided("a", 400, 320), decided("b", 400)])
    assert suite.unmeasured == ("b",)
    assert suite.after.measured_s == (320, 320)
    assert suite.after.imbalance == 1.0


def test_a_file_whose_literal_cannot_be_read_has_the_estimate_the_runner_logged() -> None:
    call = registration(0, key("a"), est_refusal=EditRefusal.EST_TIME_NOT_LITERAL)
    unread = decide(Case(call, history(), TimeoutRule()), policy_from(DEFAULT.estimate))
    plans = [plan(0, 2, [("a", 400)]), plan(1, 2, [("b", 300), ("gone", 50)])]
    ((suite,), _) = plan_partitions([run(0, plans)], [unread, decided("b", 300, 240)])
    assert suite.before.loads_s == (400, 350)


def test_the_newest_run_with_every_rank_is_packed() -> None:
    old = run(0, [plan(0, 2, [("a", 400)]), plan(1, 2, [("old", 300)])])
    whole = run(1, [plan(0, 2, [("a", 400)]), plan(1, 2, [("b", 300)])])
    cut = run(2, [plan(0, 2, [("a", 400)]), None])
    ((suite,), _) = plan_partitions([cut, old, whole], [decided("a", 400, 310)])
    assert suite.run_id == whole.run.run_id
    assert suite.before.members == (("a",), ("b",))


def test_a_rank_that_only_a_second_attempt_shows_completes_the_run() -> None:
    first = run(0, [plan(0, 2, [("a", 400)]), None])
    second = run(0, [plan(1, 2, [("b", 300)])], attempt=2)
    ((suite,), refused) = plan_partitions([first, second], [decided("a", 400, 310)])
    assert suite.before.members == (("a",), ("b",))
    assert refused == ()


def test_a_suite_without_all_its_plans_is_named_and_a_hostile_size_costs_nothing() -> None:
    _, (refused,) = plan_partitions([run(0, [plan(3, 10**12, [("a", 400)])])], [decided("a", 400, 310)])
    assert refused.reason is NotPackedReason.PLAN_MISSING
    assert refused.detail == f"run 1000 shows 1 of {10**12} plans"


def test_a_suite_without_measurements_is_named() -> None:
    plans = [plan(0, 2, [("a", 400)]), plan(1, 2, [("b", 300)])]
    assert plan_partitions([run(0, plans)], [])[1][0].reason is NotPackedReason.NOTHING_MEASURED


def test_a_suite_in_one_piece_has_no_partitions_to_plan() -> None:
    assert plan_partitions([run(0, [plan(0, 1, [("a", 400)])])], [decided("a", 400, 310)]) == ((), ())


POOLS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4), st.integers(1, 40).map(lambda x: x * 10.0), max_size=30
)


@given(POOLS, st.integers(1, 6))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_every_file_is_packed_once_as_by_a_plain_search_for_the_smallest_sum(
    pool: dict[TestPath, float], size: int
) -> None:
    sums, ranks = [0.0] * size, [[] for _ in range(size)]
    for path in sorted(pool, key=lambda p: (-pool[p], p)):
        rank = sums.index(min(sums))
        ranks[rank].append(path)
        sums[rank] += pool[path]
    packed = load(pool, pool, size)
    assert packed.members == tuple(map(tuple, ranks))
    assert packed.makespan_s <= sum(pool.values()) / size + max(pool.values(), default=0)
