from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.material import Change, Matters, SuiteState, choose, predicted
from bot.calibration.policies import MATERIAL
from bot.domain import TestPath


def change(path: str, before: float, after: float, takes_s: float | None = None, urgent: bool = False) -> Change:
    takes = after / 1.25 if takes_s is None else takes_s
    return Change(TestPath(path), before, after, takes, takes, 0 if urgent else 10**9)


def state(*changes: Change, size: int = 2) -> SuiteState:
    night = {x.path: x.takes_s for x in changes}
    return SuiteState(changes, (night, night), size)


STEADY = [change(f"steady{n}", 1000, 1000) for n in range(20)]


def test_a_small_difference_in_a_large_suite_does_not_matter() -> None:
    assert choose(state(*STEADY, change("a", 200, 190)), MATERIAL) == {}


def test_a_literal_whose_limit_does_not_clear_its_slowest_pass_always_matters() -> None:
    assert choose(state(*STEADY, change("a", 1600, 1610, urgent=True)), MATERIAL) == {"a": Matters.LIMIT}


def test_a_placeholder_that_fits_none_of_its_files_is_replaced_on_all() -> None:
    values = {f"p{n}": after for n, after in enumerate((2700, 1700, 1200, 800, 400))}
    chosen = choose(state(*(change(path, 3600, after) for path, after in values.items())), MATERIAL)
    assert chosen == dict.fromkeys(values, Matters.PLACEHOLDER)


def test_a_literal_that_fits_one_of_its_files_or_files_that_moved_together_are_no_placeholder() -> None:
    fits_one = [change("a", 20, 20), change("b", 20, 40), change("c", 20, 10)]
    together = [change(f"t{n}", 30, 40) for n in range(3)]
    doubled = [change(f"d{n}", 50, 120 + 10 * n) for n in range(3)]
    chosen = choose(state(*STEADY, *fits_one, *together, *doubled), MATERIAL)
    assert Matters.PLACEHOLDER not in chosen.values()


def test_literals_below_what_their_files_take_are_raised_until_few_are_left_the_largest_first() -> None:
    low = [change(f"low{n}", 100, 110 + 10 * n, takes_s=105) for n in range(4)]
    chosen = choose(state(*STEADY, *low), replace(MATERIAL, files=0.09))  # two of the 24
    assert chosen == {"low3": Matters.TOO_LOW, "low2": Matters.TOO_LOW}


def test_a_literal_with_hardly_any_room_above_what_its_file_takes_is_raised_before_it_is_too_low() -> None:
    near, apart = change("near", 100, 130, takes_s=97), change("apart", 100, 130, takes_s=95)
    assert choose(state(*STEADY, near, apart, size=1), replace(MATERIAL, files=0)) == {"near": Matters.TOO_LOW}


def test_a_change_that_later_ones_made_needless_is_not_made() -> None:
    """The lower that the packing asks for brings the sum into its band without the two that came first."""
    changes = [change(f"s{n}", 60, 20) for n in range(3)] + [change("long", 900, 300), change("other", 900, 900)]
    suite = state(*changes, size=2)
    chosen = choose(suite, replace(MATERIAL, seconds=0.07))
    assert chosen
    for path in chosen:
        without = {x.path: x.after if x.path in chosen and x.path != path else x.before for x in changes}
        every = {x.path: x.after for x in changes}
        within_sum = sum(without.values()) <= 1.07 * sum(every.values())
        within_makespan = predicted(without, suite) <= 1.005 * predicted(every, suite)
        assert not (within_sum and within_makespan)


def test_the_sum_of_literals_comes_near_the_truth_by_the_fewest_lowers() -> None:
    high = [change("huge", 4000, 1000), change("high", 1400, 1000), change("slightly", 1010, 1000)]
    chosen = choose(state(*STEADY, *high, size=1), MATERIAL)
    assert chosen == {"huge": Matters.SUM, "high": Matters.SUM}


def test_the_change_that_balances_the_partitions_is_chosen_alone() -> None:
    # two long files that were taken for short ones share a partition until one of them is known
    changes = [change("a", 100, 2000, 80), change("b", 100, 2000, 80), change("c", 900, 900), change("d", 900, 900)]
    night = {"a": 1600.0, "b": 1600.0, "c": 720.0, "d": 720.0}
    suite = SuiteState(tuple(changes), (night,), 2)  # type: ignore[arg-type]
    chosen = choose(suite, replace(MATERIAL, files=1))
    literals = {x.path: x.after if x.path in chosen else x.before for x in changes}
    assert predicted(literals, suite) <= 1.005 * predicted({x.path: x.after for x in changes}, suite)
    assert set(chosen.values()) <= {Matters.MAKESPAN}


def test_a_file_that_did_not_run_of_late_matters_by_its_limit_alone() -> None:
    away = [change("away", 9000, 10), change("urgent", 100, 3000, urgent=True)]
    suite = replace(state(*STEADY), changes=(*STEADY, *away))
    assert choose(suite, MATERIAL) == {"urgent": Matters.LIMIT}


def test_without_a_night_nothing_is_packed_and_nothing_chosen() -> None:
    assert choose(SuiteState((change("a", 100, 2000),), (), 3), MATERIAL) == {}


CHANGES = st.lists(
    st.tuples(st.integers(1, 300), st.integers(1, 300), st.integers(0, 3000)), min_size=1, max_size=25
).map(lambda rows: [change(f"f{n:02}", 10.0 * b, 10.0 * a, float(t)) for n, (b, a, t) in enumerate(rows)])


@given(CHANGES, st.integers(1, 5), st.randoms(use_true_random=False))
@settings(deadline=None, derandomize=True, max_examples=60)
def test_what_is_chosen_comes_within_every_band_of_making_all_changes(
    changes: list[Change], size: int, random: object
) -> None:
    suite = state(*changes, size=size)
    chosen = choose(suite, MATERIAL)
    every, made = (
        {x.path: x.after for x in changes},
        {x.path: x.after if x.path in chosen else x.before for x in changes},
    )
    assert chosen.keys() <= {x.path for x in changes if x.after != x.before}
    lowers = [x for x in changes if x.path not in chosen and x.after < x.before]
    assert not lowers or sum(made.values()) <= sum(every.values()) * (1 + MATERIAL.seconds) + 1e-6
    raises = [x for x in changes if x.path not in chosen and x.after > x.before]
    left_low = [x for x in raises if x.takes_s * MATERIAL.room > x.before]
    assert len(left_low) <= 0.01 * len(changes)
    assert size == 1 or predicted(made, suite) <= predicted(every, suite) * 1.005 + 1e-9
    shuffled = sorted(changes, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert choose(state(*shuffled, size=size), MATERIAL) == chosen
