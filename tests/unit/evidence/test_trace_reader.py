"""What one test's output says of its time, and that the kept lines say the same again."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import LaunchFact, MatrixPart, Progress, RowTrace, TestPath
from bot.evidence.trace_reader import MAX_PARTS, TraceReader, hints
from bot.repo_config.logs import Timeouts

PATH = TestPath("tests/e2e/zoo/test_otter.py")
STAMP = b"2026-08-20T15:00:00.0000000Z "


def reader(lines: list[str], most_phases: int = 8) -> TraceReader:
    found = TraceReader(PATH, Timeouts(), most_phases)
    for number, line in enumerate(lines, 1):
        found.take(number, STAMP + line.encode())
    return found


def again(first: TraceReader, most_phases: int = 8) -> TraceReader:
    found = TraceReader(PATH, Timeouts(), most_phases)
    for number in sorted(first.lines()):
        found.take(number, first.lines()[number])
    return found


def perf(train: float, step: float) -> str:
    return f"perf 3: {{'perf/train_time': {train}, 'perf/step_time': {step}, 'perf/tok_per_s': 9.0, 'elapsed': 4.5}}"


def test_progress_is_the_last_count_of_the_first_pattern_that_occurs() -> None:
    trace = reader(["epoch 1/2", "rollout 3/60 done", "step 9/10", "rollout 4/60 done"]).trace()
    assert trace.progress == Progress("rollout", 4, 60, 4)


def test_a_count_that_begins_again_is_the_last_launchs_alone() -> None:
    lines = [f"rollout {i}/3 done" for i in (0, 1, 2, 0, 1, 2, 0, 1)]
    assert reader(lines).trace().progress == Progress("rollout", 1, 3, 8, restarts=2)


def test_a_line_printed_twice_is_no_restart() -> None:
    assert reader(["rollout 5/60", "rollout 5/60"]).trace().progress == Progress("rollout", 5, 60, 2)


def test_phases_are_the_mean_of_a_step_and_their_share_of_it() -> None:
    trace = reader([perf(60, 80), perf(62, 84)]).trace()
    assert [(one.name, one.seconds, one.share) for one in trace.phases] == [("train", 61.0, round(122 / 164, 3))]


def test_phases_without_a_step_share_their_own_sum() -> None:
    trace = reader(["{'perf/train_time': 30, 'perf/rollout_time': 10.0}"]).trace()
    assert [(one.name, one.share) for one in trace.phases] == [("train", 0.75), ("rollout", 0.25)]


def test_many_perf_dictionaries_are_sampled_within_the_bound() -> None:
    found = reader([perf(60, 80)] * 1000)
    assert 4 <= len(found.lines()) <= 8
    assert found.trace().phases[0].seconds == 60


def test_facts_are_the_first_line_that_states_them_and_off_only_where_a_launch_is_seen() -> None:
    launch = "arguments: --num-rollout 60 --global-batch-size 256 --eval-interval 20"
    trace = reader([launch, "step 0: {'x': 1} num_microbatches_per_rank=128", "num_microbatches_per_rank=4"]).trace()
    assert trace.facts == (
        LaunchFact("rollouts", "60", 1),
        LaunchFact("global batch", "256", 1),
        LaunchFact("dynamic batching", "off", 0),
        LaunchFact("num_microbatches_per_rank", "128", 2),
    )
    on = reader([launch, f"{launch} --use-dynamic-batch-size"]).trace()
    assert LaunchFact("dynamic batching", "on", 2) in on.facts
    assert reader(["--eval-interval 20"]).trace().facts == ()


def test_parts_are_those_the_test_printed_not_the_runners_line_about_the_file() -> None:
    lines = [
        "[1/2] shared + virtual  PASS  elapsed=481s",
        "[2/2] plain + virtual  FAIL  elapsed=12s",
        f"[3/7] {PATH}  PASS  elapsed=493s",
        "End (eval 1/1): elapsed=28.5, samples=1319",
        "a [1/2] not at the start  PASS  elapsed=1s",
    ]
    assert reader(lines).trace().parts == (
        MatrixPart("shared + virtual", 481, True, 1),
        MatrixPart("plain + virtual", 12, False, 2),
    )


def test_a_flood_of_parts_is_bounded() -> None:
    found = reader([f"[1/2] part {i}  PASS  elapsed=1s" for i in range(1000)])
    assert len(found.trace().parts) == len(found.lines()) == MAX_PARTS


def test_an_empty_log_says_nothing() -> None:
    assert reader([]).trace() == RowTrace()


_LINES = st.lists(
    st.one_of(
        st.builds("rollout {}/{} done".format, st.integers(0, 5), st.integers(1, 5)),
        st.builds("epoch {}/{}".format, st.integers(0, 5), st.integers(1, 5)),
        st.builds(perf, st.floats(1, 9).map(lambda x: round(x, 2)), st.floats(10, 20).map(lambda x: round(x, 2))),
        st.sampled_from(
            ["--global-batch-size 8", "--use-dynamic-batch-size --global-batch-size 8", "noise", "\x1b[0m"]
        ),
        st.builds("[1/2] part {}  PASS  elapsed={}s".format, st.integers(0, 9), st.integers(0, 99)),
        st.text(max_size=30).filter(lambda text: "\n" not in text),
    ),
    max_size=60,
)


@given(_LINES)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_the_lines_that_are_kept_say_the_same_again(lines: list[str]) -> None:
    first = reader(lines, most_phases=64)
    assert again(first, 64).trace() == first.trace()


@given(_LINES)
@settings(deadline=None, derandomize=True, max_examples=100)
def test_every_kept_line_holds_a_hint(lines: list[str]) -> None:
    telling = hints(Timeouts())
    assert all(any(hint in line for hint in telling) for line in reader(lines).lines().values())
