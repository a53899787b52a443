"""What the generated repository holds and what each of its nights does: plain data, no text of logs.

A dozen test files of an invented project, chosen so that two nights show every kind of answer:
raises, lowers, keeps with different reasons, a retry, a timeout, a failure, a file that changed
in between, a list of labels to complete, a call that cannot be edited. Behind them stands, on
demand, a fleet of plain files that makes a nightly as large as a measurement needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

FULL_NAME = "heron-lab/heron"
DEFAULT_BRANCH = "main"
MAINTAINER = "petra"
WORKFLOW_PATH = ".github/workflows/nightly.yml"
WORKFLOW_NAME = "Nightly"
LABELS = ("trainer", "model-scripts", "lora", "resume", "serving", "eval", "kernels")

GPU_SUITE = "stage-c-4-gpu-h200"
SMALL_SUITE = "stage-b-1-gpu-l40s"
CPU_SUITE = "stage-a-cpu"
FLEET_SUITE = "stage-d-8-gpu-h100"


class Event(StrEnum):
    """How one file ends on one night."""

    PASS = "pass"  # noqa: S105 - a test that passed
    FAIL = "fail"
    TIMEOUT = "timeout"  # killed at the effective timeout, whatever `elapsed_s` says
    RETRY = "retry"  # fails once, then passes


@dataclass(frozen=True, slots=True)
class Measured:
    """One file on one night, in seconds as the End record prints them. `first_s`: the failed first try."""

    elapsed_s: int
    event: Event = Event.PASS
    first_s: int = 0


@dataclass(frozen=True, slots=True)
class SuiteSpec:
    """One suite: its backend, how many partitions, and how the runner is started."""

    name: str
    backend: str
    partitions: int
    runner: str
    retry: bool = False
    batched: bool = False  # the last partition's log has stderr before stdout inside a batch


@dataclass(frozen=True, slots=True)
class TestSpec:
    """One test file.

    `call` is the source of its registration with `{est}` in place of the literal; `calls_before`
    stands above it. `est` holds at every night's commit, `est_at_base` at the tip of the default
    branch where a person has changed it since. `changed_on` is the night (from 0) whose commit
    changes the body, -1 for none. `after` is what the default policy is expected to write.
    """

    __test__ = False  # not a test class of ours

    path: str
    suite: str
    call: str
    est: int
    nights: tuple[Measured, ...]
    est_at_base: int | None = None
    calls_before: str = ""
    disabled: str = ""
    changed_on: int = -1
    newline: str = "\n"
    after: int | None = None

    def measured(self, night: int) -> Measured:
        """What the night did; nights after the scripted ones pass with the last pass's time, a little less."""
        if night < len(self.nights):
            return self.nights[night]
        slowest = max(each.elapsed_s for each in self.nights if each.event in (Event.PASS, Event.RETRY))
        return Measured(slowest - night % 3)


@dataclass(frozen=True, slots=True)
class Story:
    """All suites and test files."""

    suites: tuple[SuiteSpec, ...]
    tests: tuple[TestSpec, ...] = field(default=())

    def of(self, suite: str) -> tuple[TestSpec, ...]:
        """The files of one suite, in path order."""
        return tuple(sorted((test for test in self.tests if test.suite == suite), key=lambda test: test.path))


SUITES = (
    SuiteSpec(CPU_SUITE, "cpu", 1, "ubuntu-latest"),
    SuiteSpec(SMALL_SUITE, "cuda", 1, "l40s-1gpu", retry=True),
    SuiteSpec(GPU_SUITE, "cuda", 2, "h200-4gpu", batched=True),
)

_FINCH = TestSpec(
    path="tests/e2e/lora/test_finch_9b_lora_ci.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["model-scripts"])',
    est=3600,
    nights=(Measured(921), Measured(934)),
    after=1200,
)
_WREN = TestSpec(
    path="tests/e2e/lora/test_wren_3b_lora_ci.py",
    suite=GPU_SUITE,
    call="""register_cuda_ci(
    est_time={est},  # a first guess
    suite="stage-c-4-gpu-h200",
    labels=["trainer", "model-scripts", "lora"],
)""",
    est=400,
    nights=(Measured(455), Measured(462)),
    after=600,
)
_RESUME = TestSpec(
    path="tests/e2e/train/test_resume_from_checkpoint.py",
    suite=GPU_SUITE,
    call="""# Took 690 to 720 s on 4 GPUs when it was added.
register_cuda_ci(
    suite="stage-c-4-gpu-h200",
    est_time={est},
    labels=["trainer", "resume"],
)""",
    est=900,
    nights=(Measured(712), Measured(705)),
)
_PIPELINE = TestSpec(
    path="tests/e2e/train/test_pipeline_schedule.py",
    suite=GPU_SUITE,
    call='register_cuda_ci({est}, "stage-c-4-gpu-h200", labels=["trainer"])',
    est=1500,
    nights=(Measured(1831), Measured(1844)),
    after=2400,
)
_MIXTURE = TestSpec(
    path="tests/e2e/train/test_mixture_router.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["trainer"], nightly=True)',
    est=2400,
    nights=(Measured(1180), Measured(3000, Event.TIMEOUT)),
)
_OFFLOAD = TestSpec(
    path="tests/e2e/train/test_optimizer_offload.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["trainer"])',
    est=1200,
    nights=(Measured(520), Measured(545)),
    changed_on=1,
)
_BATCH = TestSpec(
    path="tests/e2e/serving/test_batch_server.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["serving"])',
    calls_before='register_cuda_ci(est_time=450, suite="stage-c-4-gpu-h200", labels=["serving"], disabled="flaky")',
    disabled="flaky",
    est=500,
    nights=(Measured(268), Measured(274)),
    after=400,
)
_STREAM = TestSpec(
    path="tests/e2e/serving/test_streaming_client.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["serving"])',
    est=300,
    nights=(Measured(402), Measured(409)),
    newline="\r\n",
    after=600,
)
_CONTEXT = TestSpec(
    path="tests/e2e/eval/test_long_context.py",
    suite=GPU_SUITE,
    calls_before="WINDOWS = 4",
    call='register_cuda_ci(est_time=WINDOWS * 250, suite="stage-c-4-gpu-h200", labels=["eval"])',
    est=1000,
    nights=(Measured(610), Measured(604)),
)
_JUDGE = TestSpec(
    path="tests/e2e/eval/test_judge_scores.py",
    suite=GPU_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-c-4-gpu-h200", labels=["eval"])',
    est=1000,
    nights=(Measured(633), Measured(318, Event.FAIL)),
)
_KERNELS = TestSpec(
    path="tests/e2e/small/test_quantize_kernels.py",
    suite=SMALL_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-b-1-gpu-l40s", labels=["kernels"])',
    est=120,
    nights=(Measured(118, Event.RETRY, first_s=92), Measured(112)),
    after=150,
)
_TOKENS = TestSpec(
    path="tests/e2e/small/test_tokenizer_roundtrip.py",
    suite=SMALL_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-b-1-gpu-l40s", labels=["kernels"])',
    est=60,
    nights=(Measured(44), Measured(47)),
)
_EXPORT = TestSpec(
    path="tests/e2e/small/test_metrics_export.py",
    suite=SMALL_SUITE,
    call='register_cuda_ci(est_time={est}, suite="stage-b-1-gpu-l40s", labels=["eval"])',
    est=200,
    est_at_base=140,
    nights=(Measured(70), Measured(72)),
)
_MERGE = TestSpec(
    path="tests/fast/test_config_merge.py",
    suite=CPU_SUITE,
    call='register_cpu_ci(est_time={est}, suite="stage-a-cpu")',
    est=5,
    nights=(Measured(4), Measured(4)),
)
TESTS = (
    *(_FINCH, _WREN, _RESUME, _PIPELINE, _MIXTURE, _OFFLOAD, _BATCH, _STREAM, _CONTEXT, _JUDGE),
    *(_KERNELS, _TOKENS, _EXPORT, _MERGE),
)
STORY = Story(SUITES, TESTS)


def with_fleet(story: Story, partitions: int, files: int, edits: int) -> Story:
    """The story with a suite of `files` plain files beside it, the first `edits` of which are off.

    Every file's rule value is a whole hundred from 300 to 1400 s; half of the wrong literals are
    too low by 100 s, half are twice too high.
    """
    if not partitions:
        return story
    suite = SuiteSpec(FLEET_SUITE, "cuda", partitions, "h100-8gpu")
    tests = tuple(_member(number, edits) for number in range(files))
    return Story((*story.suites, suite), (*story.tests, *tests))


def _member(number: int, edits: int) -> TestSpec:
    value = 300 + 100 * (number % 12)
    off = number < edits
    literal = (value - 100, value * 2)[number % 2] if off else value
    return TestSpec(
        path=f"tests/e2e/fleet/test_member_{number:04d}.py",
        suite=FLEET_SUITE,
        call=f'register_cuda_ci(est_time={{est}}, suite="{FLEET_SUITE}", labels=["trainer"])',
        est=literal,
        nights=(Measured(value * 77 // 100), Measured(value * 78 // 100)),
        after=value if off else None,
    )


def pack(tests: Sequence[TestSpec], size: int) -> tuple[tuple[TestSpec, ...], ...]:
    """The runner's partitions: longest estimate first, ties by path, each to the least loaded partition."""
    buckets: list[list[TestSpec]] = [[] for _ in range(size)]
    loads = [0] * size
    for test in sorted(tests, key=lambda each: (-each.est, each.path)):
        emptiest = loads.index(min(loads))
        buckets[emptiest].append(test)
        loads[emptiest] += test.est
    return tuple(map(tuple, buckets))
