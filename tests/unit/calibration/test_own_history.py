from __future__ import annotations

from dataclasses import replace

from bot.calibration.own_history import FEWEST_NIGHTS, Terms, own_history
from bot.domain import Doubt, JobEvidence, Run, RunEvidence, TimeoutRule
from bot.repo_config import DEFAULT
from tests.unit.calibration.calibration_cases import job, key, row, run

TERMS = Terms(DEFAULT.estimate, {}, lambda _: TimeoutRule())


def night(day: int, **more: object) -> RunEvidence:
    base = run(day, [None])
    rows = tuple(row(key(f"test_{n}.py"), day, elapsed_s=100 + 30 * ((day + n) % 4), **more) for n in range(4))
    held: JobEvidence = replace(job(None), rows=rows)
    return replace(base, jobs=(held,))


def test_fourteen_nights_are_said_and_thirteen_are_not() -> None:
    nights = [night(day) for day in range(FEWEST_NIGHTS)]
    assert own_history(nights[1:], TERMS) is None
    found = own_history(nights, TERMS)
    assert found is not None
    assert (found.nights, found.files, found.policy) == (14, 4, "default")
    assert found.edits[0] < found.edits[1]
    assert found.makespan[0] >= 1


def test_untrusted_runs_and_doubtful_passes_are_no_history() -> None:
    nights = [night(day) for day in range(FEWEST_NIGHTS)]
    stranger: Run = replace(nights[0].run, trusted=False)
    assert own_history([replace(nights[0], run=stranger), *nights[1:]], TERMS) is None
    assert own_history([night(day, doubt=Doubt.SKIPPED) for day in range(20)], TERMS) is None
