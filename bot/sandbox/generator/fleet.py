"""A suite of plain files that makes a nightly as large as a measurement needs; it shows no kind of answer by itself."""

from __future__ import annotations

from bot.sandbox.generator.spec import Measured, Story, SuiteSpec, TestSpec

FLEET_SUITE = "stage-d-8-gpu-h100"


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
