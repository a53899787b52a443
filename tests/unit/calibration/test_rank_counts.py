"""How many ranks a suite needs, what it leaves idle, and what bounds it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.decide import Case, decide
from bot.calibration.partition import gpus, load, plan_partitions, supported_ranks
from bot.calibration.policies import policy_from
from bot.domain import Decision, PartitionLoad, RankCount, Suite, SuitePartitions, TestPath, TimeoutRule
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import history, key, passes, plan, registration, run

LITERALS = {"a": 3600, "b": 1800, "c": 1800, "d": 900}
SECONDS = {"a": 960, "b": 560, "c": 700, "d": 700}


def decided(path: str) -> Decision:
    case = Case(registration(LITERALS[path], key(path)), history(passes(SECONDS[path], of=key(path))), TimeoutRule())
    return decide(case, policy_from(DEFAULT.estimate, "strict"))


def packed(budget_s: int = 0) -> SuitePartitions:
    plans = [plan(0, 2, [("a", 3600)]), plan(1, 2, [("b", 1800), ("c", 1800), ("d", 900)])]
    ((suite,), _) = plan_partitions([run(0, plans)], [decided(path) for path in LITERALS], budget_s)
    return suite


def test_idle_is_what_ranks_wait_for_the_fullest() -> None:
    suite = packed()
    assert (suite.before.measured_s, suite.before.idle_s) == ((1660, 1260), 2 * 1660 - 2920)
    assert (suite.after.measured_s, suite.after.idle_s) == ((1520, 1400), 120)


def test_the_longest_test_bounds_the_suite() -> None:
    assert (packed().longest, packed().longest_s) == ("a", 960)


def test_the_gpus_are_those_the_suite_names() -> None:
    assert packed().gpus == 4
    names = ("stage-c-8-gpu-h100", "stage-c-16-gpu", "base-b-test-1-gpu-large", "base-2gpu", "stage-a-cpu", "gpu-lane")
    assert [gpus(Suite(name)) for name in names] == [8, 16, 1, 2, 0, 0]


def test_ranks_over_the_budget_are_named_and_enough_ranks_are_found() -> None:
    suite = packed(budget_s=1000)
    assert (suite.before.over(suite.budget_s), suite.after.over(suite.budget_s)) == ((0, 1), (0, 1))
    assert suite.supported == RankCount(4, 960)
    assert packed(budget_s=1500).after.over(1500) == (0,)


def test_without_a_budget_nothing_is_over_it_and_the_present_makespan_is_the_measure() -> None:
    suite = packed()
    assert suite.before.over(suite.budget_s) == ()
    assert suite.supported == RankCount(2, 1520)


def test_no_number_of_ranks_makes_a_test_shorter() -> None:
    assert packed(budget_s=959).supported is None


def test_fewer_ranks_do_where_the_files_are_short() -> None:
    pool = {TestPath(name): 100.0 for name in "abcd"}
    assert supported_ranks(pool, pool, 450) == RankCount(1, 400)


_POOLS = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.floats(1, 1000), min_size=1, max_size=12)


@given(_POOLS, st.floats(1, 3000))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_the_number_is_the_least_that_stays_within(pool: dict[str, float], most_s: float) -> None:
    files = {TestPath(name): seconds for name, seconds in pool.items()}
    found = supported_ranks(files, files, most_s)
    enough = [n for n in range(1, len(files) + 1) if load(files, files, n).makespan_s <= most_s]
    assert (found.ranks if found else None) == (enough[0] if enough else None)


@given(st.lists(st.floats(0, 10_000), min_size=1, max_size=8))
@settings(deadline=None, derandomize=True)
def test_idle_is_never_negative(measured: list[float]) -> None:
    ranks = PartitionLoad(tuple(measured), ((),) * len(measured), tuple(measured))
    assert ranks.idle_s == pytest.approx(sum(ranks.makespan_s - seconds for seconds in measured), abs=1e-6)
