from __future__ import annotations

import gzip
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.calibration.backtest import plot
from bot.calibration.backtest.score import Score
from bot.calibration.backtest.series import Series, read_series
from bot.cli.backtest import PUBLISHED
from bot.cli.history import series_of
from bot.domain import Backend, Suite, TestPath
from bot.records.measurements import MeasuredPass
from tests.bench.calibration_page import page
from tests.bench.measured_series import MEASURED

KEYS = "suite policy files above_literal killed inflation makespan_mean makespan_p95 edits_per_update prs_per_month"
ROOT = Path(__file__).resolve().parents[3]


def rows(suite: str = "s", days: int = 12) -> str:
    out = ["date,suite,file,seconds"]
    for day in range(days):
        when = date(2026, 1, 1) + timedelta(days=day)
        out += [f"{when},{suite},test_{n}.py,{100 * n + 40 * ((day + n) % 3)}" for n in range(1, 6)]
    return "\n".join(out) + "\n"


def run(*arguments: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["backtest", *arguments])
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def durations(tmp_path: Path) -> Path:
    path = tmp_path / "durations.csv"
    path.write_text(rows(), encoding="utf-8")
    return path


def test_json_is_a_list_of_objects_with_the_promised_keys(durations: Path) -> None:
    status, out, err = run("--durations", str(durations), "--warmup", "3", "--every", "2", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert [one["policy"] for one in found] == list(PUBLISHED)
    assert {tuple(one) for one in found} == {tuple(KEYS.split())}
    assert all(0 <= one["above_literal"] <= 1 and one["makespan_mean"] >= 1 for one in found)


def test_a_packed_file_says_the_same(durations: Path, tmp_path: Path) -> None:
    packed = tmp_path / "durations.csv.gz"
    packed.write_bytes(gzip.compress(durations.read_bytes()))
    more = ("--warmup", "3", "--policy", "default,strict")
    assert run("--durations", str(packed), *more) == run("--durations", str(durations), *more)


def test_policies_may_be_named_apart_together_or_with_commas(durations: Path) -> None:
    start = ("--durations", str(durations), "--warmup", "3")
    wanted = run(*start, "--policy", "strict", "p90-raw")
    assert wanted[0] == 0
    assert wanted[1].count("| strict |") == wanted[1].count("| p90-raw |") == 1
    assert (
        run(*start, "--policy", "strict", "--policy", "p90-raw") == wanted == run(*start, "--policy", "strict,p90-raw")
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--policy", "best"), "unknown policy 'best': choose from default, "),
        (("--warmup", "12"), "no suite has a date after the warm-up"),
        (("--every", "0"), "'0' is no whole number from 1"),
        (("--partitions", "-1"), "'-1' is no whole number from 1"),
        (("--plot", "picture.pdf"), "--plot: picture.pdf: give a name that ends in .svg or .png"),
        (("--history",), "not allowed with argument"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(durations: Path, arguments: tuple[str, ...], said: str) -> None:
    status, out, err = run("--durations", str(durations), *arguments)
    assert (status, out) == (2, "")
    assert said in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "must name the columns date,suite,file,seconds"),
        (b"date,suite,file,seconds\n", "no line could be read"),
        (b"date,suite,file,seconds\n2026-01-01,s,\xff,1\n", "not UTF-8"),
        (gzip.compress(b"date,suite,file,seconds\n" * 50, mtime=0)[:-20], "cannot be read"),
        (b"\x1f\x8bno gzip", "cannot be read"),
    ],
    ids=["empty", "no lines", "not UTF-8", "cut gzip", "no gzip"],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, raw: bytes, said: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(raw)
    status, _, err = run("--durations", str(path))
    assert status == 2
    assert said in err
    assert err.count("\n") == 1


def test_lines_that_cannot_be_read_and_suites_that_are_short_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_text(rows() + "yesterday,s,x,1\n2026-01-01,short,x,1\n", encoding="utf-8")
    status, out, err = run("--durations", str(path), "--warmup", "3", "--policy", "strict")
    assert status == 0
    assert len(out.splitlines()) == 3
    assert "1 lines were not read: line 62 (date)" in err
    assert "suite short: 1 dates" in err


def test_without_the_stores_address_history_says_which_variable_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RECALIBRATE_DATABASE_URL", raising=False)
    monkeypatch.setenv("RECALIBRATE_WORK_DIR", str(tmp_path))
    status, _, err = run("--history")
    assert status == 2
    assert "RECALIBRATE_DATABASE_URL: not set" in err


def score(policy: str, edits: float, suite: str = "s") -> Score:
    values = {each.name: 1.0 for each in fields(Score)}
    return Score(**{**values, "suite": suite, "policy": policy, "files": 1, "edits_per_update": edits})  # type: ignore[arg-type]


def test_a_point_is_the_mean_over_suites() -> None:
    scores = [score("a", 1), score("b", 4), score("a", 3, "t")]
    assert plot.points(scores) == (("a", 2.0, 1.0), ("b", 4.0, 1.0))


def test_the_picture_names_every_policy_and_is_the_same_each_time(tmp_path: Path) -> None:
    scores = [score("default", 1), score("strict", 9)]
    for name in ("one.svg", "two.svg"):
        plot.draw(scores, tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert one == two
    assert b">default<" in one
    assert b">strict<" in one
    plot.draw(scores, tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_the_drawing_library_is_loaded_only_when_a_picture_is_asked_for(durations: Path) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        del sys.modules[name]
    run("--durations", str(durations), "--warmup", "3", "--policy", "strict")
    assert "matplotlib" not in sys.modules


def test_of_own_passes_each_suite_is_a_series_and_backends_of_one_name_are_told_apart() -> None:
    at = datetime(2026, 3, 1, 15, tzinfo=UTC)
    one = MeasuredPass(at, Suite("s"), Backend("cuda"), TestPath("a"), 10)
    nights = (one, replace(one, elapsed_s=12), replace(one, night_at=at + timedelta(days=1), elapsed_s=9))
    (only,) = series_of(nights)
    assert only == Series("s", (date(2026, 3, 1), date(2026, 3, 2)), ({"a": 12.0}, {"a": 9.0}))  # type: ignore[arg-type,dict-item]
    assert [x.suite for x in series_of((*nights, replace(one, backend=Backend("rocm"))))] == ["s [cuda]", "s [rocm]"]


def test_the_generated_page_is_the_same_each_time_and_has_the_columns_of_the_committed_one() -> None:
    suites = ("cpu", "gpu")
    series, _ = read_series((rows("cpu", 30) + rows("gpu", 30).partition("\n")[2]).splitlines(keepends=True))
    given = [(name, settings, series) for name, settings in MEASURED]
    made = page(given)
    assert made == page(given)
    committed = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    heads = [line for line in committed.splitlines() if line.startswith("| suite |")]
    assert heads == [line for line in made.splitlines() if line.startswith("| suite |")]
    assert all(f"| {suite} | default |" in made for suite in suites)
    # its goals, eight policies, and how often its cuts hold the goals
    assert all(committed.count(f"\n| {suite} | ") == 10 for suite in ("cuda-default", "integration"))
