from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest

from bot.calibration.backtest import backtest
from bot.calibration.backtest.contenders import Contender, contenders, half_off_by_60
from bot.calibration.backtest.replay import ReplaySettings, replay
from bot.calibration.backtest.score import Score, makespan_ratio
from bot.calibration.backtest.series import Series
from bot.calibration.backtest.table import as_json, as_markdown
from bot.repo_config import DEFAULT

TABLE = contenders(DEFAULT.estimate)
DAILY = ReplaySettings(partitions=2, every=1, warmup=2)


def series(nights: Sequence[Mapping[str, float]]) -> Series:
    days = tuple(date(2026, 1, 1) + timedelta(days=n) for n in range(len(nights)))
    return Series("suite", days, tuple(nights))  # type: ignore[arg-type]


def one(*seconds: float) -> Series:
    return series([{"a": x} for x in seconds])


def score(name: str, of: Series, settings: ReplaySettings = DAILY) -> Score:
    return replay(of, TABLE[name], settings)


def test_the_table_holds_ours_and_what_public_projects_use() -> None:
    names = "default default-all strict strict-1 p90-bucket p90-raw median-110 mean-60s"
    assert list(TABLE) == names.split()


def test_a_steady_test_needs_no_edit_under_our_policies() -> None:
    for name in ("default", "default-all", "strict", "strict-1"):
        got = score(name, one(*[80] * 8))
        assert (got.edits_per_update, got.prs_per_month, got.above_literal) == (0, 0, 0)
        assert got.inflation == pytest.approx(100 / 80)


def test_an_update_sees_only_earlier_dates() -> None:
    got = score("strict", one(80, 80, 80, 200, 80))  # literal 100 when the 200 s run comes
    assert got.above_literal == pytest.approx(1 / 3)
    assert got.edits_per_update == pytest.approx(1 / 3)  # 300 the date after


def test_the_warm_up_is_history_and_never_counted() -> None:
    assert score("strict", one(80, 1000, 80, 80)).above_literal == 0
    assert score("strict-1", one(80, 1000, 1000)).edits_per_update == 1


def test_a_killed_run_is_no_sample_and_its_literal_never_moves() -> None:
    got = score("strict-1", one(80, 80, 4000, 4000, 4000))
    assert (got.killed, got.above_literal, got.edits_per_update) == (1, 1, 0)


def test_a_killed_run_holds_our_lower_and_not_that_of_strict() -> None:
    nights = one(1000, 1000, 1000, 4000, 400, 400, 400, 400)
    assert score("default-all", nights).inflation > score("strict", nights).inflation
    assert score("default-all", nights).edits_per_update == 0


def test_strict_looks_at_two_dates_and_strict_1_at_one() -> None:
    falling = one(1000, 500, 250, 250)
    assert score("strict", falling).inflation == pytest.approx((1300 + 700) / 500)
    assert score("strict-1", falling).inflation == pytest.approx((700 + 400) / 500)


def test_a_quantile_needs_three_samples() -> None:
    assert score("p90-raw", one(80, 80, 80)).edits_per_update == 0
    assert score("p90-raw", one(80, 80, 80, 80)).edits_per_update == 0.5


def test_median_110_goes_to_the_nearest_ten() -> None:
    assert score("median-110", one(100, 100, 100)).inflation == pytest.approx(110 / 100)


@pytest.mark.parametrize(
    ("literal", "seconds", "wants"),
    [(100, [100, 161], True), (100, [100, 160], False), (100, [161, 100, 100], False), (100, [], False)],
)
def test_mean_60s_edits_when_half_of_the_samples_are_over_a_minute_off(
    literal: float, seconds: list[float], wants: bool
) -> None:
    assert half_off_by_60(literal, seconds) is wants


def test_a_makespan_is_told_against_the_least_possible() -> None:
    night = {"a": 60.0, "b": 50.0, "c": 40.0}
    assert makespan_ratio(night, night, 2) == pytest.approx(90 / 75)
    assert makespan_ratio({"a": 10, "b": 10, "c": 20}, night, 2) == pytest.approx(110 / 75)
    assert makespan_ratio({"a": 10}, {"a": 0.0}, 2) == 1
    assert makespan_ratio({"a": 10, "b": 10}, {"a": 90.0, "b": 1.0}, 2) == 1


def test_pull_requests_are_those_with_an_edit_over_the_months_counted() -> None:
    jumps = [100, 100, *([100] * 3 + [900] * 3) * 5]
    got = score("strict-1", one(*jumps))
    assert got.prs_per_month == pytest.approx(9 / (30 / (365.25 / 12)))
    assert got.edits_per_update == pytest.approx(9 / 30)


def test_a_suite_without_a_date_after_the_warm_up_is_named() -> None:
    scores, (short,) = backtest([one(1, 1)], [TABLE["strict"]], DAILY)
    assert scores == ()
    assert short.suite == "suite"


def test_a_file_that_comes_late_starts_at_the_rule_on_its_first_value() -> None:
    nights = [{"a": 80.0}] * 3 + [{"a": 80.0, "b": 160.0}]
    got = score("strict", series(nights))
    assert got.files == 2
    assert got.inflation == pytest.approx((100 + 100 + 200) / (80 + 80 + 160))


def test_every_file_of_a_suite_may_be_missing_on_a_date() -> None:
    got = score("default", series([{"a": 80.0}, {"b": 80.0}, {"a": 80.0}, {"b": 80.0}, {"c": 1.0}]))
    assert got.files == 3


def test_material_changes_only_make_far_fewer_edits_and_no_worse_a_packing() -> None:
    """Forty files of which each moves a little every week, and one of them a lot, once."""
    nights = []
    for day in range(70):
        small = {f"f{n:02}": 100.0 + 10 * n + 25 * ((day // 7 + n) % 3) for n in range(40)}
        nights.append(small | {"big": 900.0 if day < 35 else 1400.0})
    settings = ReplaySettings(partitions=4, every=7, warmup=21)
    default, strict = score("default", series(nights), settings), score("strict", series(nights), settings)
    assert default.edits_per_update * 3 <= strict.edits_per_update
    assert default.killed == strict.killed == 0
    assert default.inflation <= strict.inflation + 0.02
    assert default.above_literal <= strict.above_literal + 0.02
    assert default.makespan_mean <= strict.makespan_mean + 0.005


def test_the_json_has_the_promised_keys_and_the_table_one_row_a_score() -> None:
    scores = [score(name, one(*[80] * 8)) for name in ("default", "strict")]
    (first, _) = json.loads(as_json(scores))
    keys = "suite policy files above_literal killed inflation makespan_mean makespan_p95 edits_per_update prs_per_month"
    assert list(first) == keys.split()
    assert as_markdown(scores).splitlines()[2].startswith("| suite | default | 1 | 0.00 % | 0.00 % | 1.2500 |")


def test_a_contender_of_ones_own_is_replayed_alike() -> None:
    own = Contender("never", TABLE["strict"].policy, lambda _literal, _seconds: False)
    assert replay(one(80, 80, 300, 300, 300), own, DAILY).edits_per_update == 0
