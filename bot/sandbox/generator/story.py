"""What the generated repository holds and what each of its nights does: plain data, no text of logs.

A dozen test files of an invented project, chosen so that two nights show every kind of answer:
raises, lowers, keeps with different reasons, a retry, a timeout, a failure, a file that changed
in between, a list of labels to complete, a call that cannot be edited. `fleet` makes it larger.
"""

from __future__ import annotations

from bot.sandbox.generator.spec import Event, Measured, Story, SuiteSpec, TestSpec

FULL_NAME = "heron-lab/heron"
DEFAULT_BRANCH = "main"
MAINTAINER = "petra"
WORKFLOW_PATH = ".github/workflows/nightly.yml"
WORKFLOW_NAME = "Nightly"
LABELS = ("trainer", "model-scripts", "lora", "resume", "serving", "eval", "kernels")

GPU_SUITE = "stage-c-4-gpu-h200"
SMALL_SUITE = "stage-b-1-gpu-l40s"
CPU_SUITE = "stage-a-cpu"


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
