"""Plans a suite's partitions at the present and at the proposed literals, as the suite runner does.

Longest processing time first: files by falling estimate, then path, each to the rank with the
smallest sum, the lowest rank on a tie (radixark/miles tests/ci/run_suite.py, auto_partition).
Predicts only; it changes no decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import ceil

from bot.calibration.window import Night
from bot.domain import (
    Backend,
    Decision,
    NotPacked,
    NotPackedReason,
    PartitionLoad,
    Plan,
    Proposal,
    RankCount,
    RegistrationKey,
    RunEvidence,
    RunId,
    Suite,
    SuitePartitions,
    TestPath,
)

MOST_RANKS = 64
_GPUS = re.compile(r"(?<![0-9])([0-9]{1,3})-?gpu(?![a-z])", re.IGNORECASE)


def lpt(estimates: Mapping[TestPath, float], size: int) -> tuple[tuple[TestPath, ...], ...]:
    """The files of each of `size` ranks, in the order in which they are assigned."""
    ranks: list[list[TestPath]] = [[] for _ in range(size)]
    sums = [(0.0, rank) for rank in range(size)]
    heapify(sums)
    for path, estimate in sorted(estimates.items(), key=lambda item: (-item[1], item[0])):
        load, rank = sums[0]
        ranks[rank].append(path)
        heapreplace(sums, (load + estimate, rank))
    return tuple(tuple(rank) for rank in ranks)


def load(estimates: Mapping[TestPath, float], seconds: Mapping[TestPath, float], size: int) -> PartitionLoad:
    """The ranks packed by `estimates`, each with its sum of estimates and of measured `seconds`."""
    members = lpt(estimates, size)
    return PartitionLoad(
        loads_s=tuple(sum(estimates[path] for path in rank) for rank in members),
        members=members,
        measured_s=tuple(sum(seconds[path] for path in rank) for rank in members),
    )


@dataclass(frozen=True, slots=True)
class _Packed:
    """What the newest run with a complete set of plans scheduled for one suite."""

    run_id: RunId
    size: int
    planned: Mapping[TestPath, float]  # with the estimates the runner read


_Group = tuple[Suite, Backend]


def plan_partitions(
    runs: Sequence[RunEvidence], decisions: Iterable[Decision], budget_s: int = 0
) -> tuple[tuple[SuitePartitions, ...], tuple[NotPacked, ...]]:
    """Every suite with two or more partitions, before and after the decisions; by suite and backend.

    `runs` are the nights that count, one entry an attempt, in any order. The packed set is what
    the newest of them scheduled; a run in which a rank's plan is missing would pack a smaller
    suite, so the newest with all plans is taken. A file whose literal cannot be read from its
    registration has the estimate that the runner logged. `budget_s` is what a rank may take, 0 without one.
    """
    by_key = {decision.registration.key: decision for decision in decisions}
    packed: list[SuitePartitions] = []
    refused: list[NotPacked] = []
    for group, nights in sorted(_plans(runs).items()):
        outcome = _suite(group, nights, by_key, budget_s)
        if isinstance(outcome, NotPacked):
            refused.append(outcome)
        elif outcome is not None:
            packed.append(outcome)
    return tuple(packed), tuple(refused)


def partition_sizes(runs: Sequence[RunEvidence]) -> dict[tuple[Suite, Backend], int]:
    """How many partitions each suite had in its newest run."""
    return {group: _size(next(iter(nights.values()))) for group, nights in _plans(runs).items()}


def _plans(runs: Sequence[RunEvidence]) -> dict[_Group, dict[RunId, dict[int, Plan]]]:
    """Plans by suite, run and rank; runs newest first, the newest attempt's plan of each rank."""
    found: dict[_Group, dict[RunId, dict[int, Plan]]] = {}
    for evidence in sorted(runs, key=_order, reverse=True):
        for job in evidence.jobs:
            if job.plan is not None:
                nights = found.setdefault((job.plan.suite, job.plan.backend), {})
                nights.setdefault(evidence.run.run_id, {}).setdefault(job.plan.partition_id, job.plan)
    return found


def _order(evidence: RunEvidence) -> tuple[tuple[float, int], int]:
    return Night(evidence.run.run_id, evidence.run.created_at).order, evidence.run.attempt


def _suite(
    group: _Group,
    nights: Mapping[RunId, Mapping[int, Plan]],
    by_key: Mapping[RegistrationKey, Decision],
    budget_s: int,
) -> SuitePartitions | NotPacked | None:
    """One suite; None where its newest run did not partition it."""
    suite, backend = group
    if _size(next(iter(nights.values()))) < 2:
        return None
    packed = _newest_complete(nights)
    if packed is None:
        return NotPacked(suite, backend, NotPackedReason.PLAN_MISSING, _missing(nights))
    decided = {path: by_key.get(RegistrationKey(path, backend, suite)) for path in packed.planned}
    before = {path: _literal(decided[path], logged) for path, logged in packed.planned.items()}
    after = {path: _proposed(decided[path], before[path]) for path in packed.planned}
    measured = {path: slowest for path in packed.planned if (slowest := _slowest(decided[path])) is not None}
    if not measured:
        return NotPacked(suite, backend, NotPackedReason.NOTHING_MEASURED)
    seconds = {**_guessed(after, measured), **measured}
    present = load(before, seconds, packed.size)
    longest = max(measured, key=lambda path: (measured[path], path))
    return SuitePartitions(
        suite=suite,
        backend=backend,
        size=packed.size,
        before=present,
        after=load(after, seconds, packed.size),
        run_id=packed.run_id,
        unmeasured=tuple(sorted(packed.planned.keys() - measured.keys())),
        gpus=gpus(suite),
        longest=longest,
        longest_s=measured[longest],
        budget_s=budget_s,
        supported=supported_ranks(after, seconds, budget_s or present.makespan_s),
    )


def supported_ranks(
    estimates: Mapping[TestPath, float], seconds: Mapping[TestPath, float], most_s: float
) -> RankCount | None:
    """The least number of ranks, packed by `estimates`, of which none takes more than `most_s` measured seconds.

    None where no number up to one a file, or `MOST_RANKS`, is enough: a single test is too long, or the
    estimates pack badly.
    """
    total = sum(seconds[path] for path in estimates)
    fewest = max(1, ceil(total / most_s)) if most_s > 0 else 1
    for ranks in range(fewest, min(len(estimates), MOST_RANKS) + 1):
        makespan = load(estimates, seconds, ranks).makespan_s
        if makespan <= most_s:
            return RankCount(ranks, makespan)
    return None


def gpus(suite: Suite) -> int:
    """How many GPUs a suite's name says that a rank holds, as in `stage-c-8-gpu-h100`; 0 where it names none."""
    found = _GPUS.search(suite)
    return int(found[1]) if found else 0


def _newest_complete(nights: Mapping[RunId, Mapping[int, Plan]]) -> _Packed | None:
    for run_id, ranks in nights.items():
        size = _size(ranks)
        if ranks.keys() == set(range(len(ranks))) and len(ranks) == size:
            files = (planned for plan in ranks.values() for planned in plan.files)
            return _Packed(run_id, size, {planned.path: planned.est_s for planned in files})
    return None


def _size(ranks: Mapping[int, Plan]) -> int:
    return max(plan.partition_size for plan in ranks.values())


def _missing(nights: Mapping[RunId, Mapping[int, Plan]]) -> str:
    run_id, ranks = next(iter(nights.items()))
    return f"run {run_id} shows {len(ranks)} of {_size(ranks)} plans"


def _literal(decision: Decision | None, logged: float) -> float:
    """The literal at the base; what the runner logged where that is gone or no number."""
    if decision is None or decision.registration.est_refusal is not None:
        return logged
    return decision.registration.est_time


def _proposed(decision: Decision | None, before: float) -> float:
    return float(decision.after) if isinstance(decision, Proposal) else before


def _guessed(estimates: Mapping[TestPath, float], measured: Mapping[TestPath, float]) -> dict[TestPath, float]:
    """What each file would take if its estimate were as far above its seconds as those of the measured files.

    Literals hold headroom and measured seconds do not: adding the two up would call every packing that balances
    estimates worse than it is.
    """
    above = sum(estimates[path] for path in measured)
    ratio = sum(measured.values()) / above if above else 1.0
    return {path: estimate * ratio for path, estimate in estimates.items()}


def _slowest(decision: Decision | None) -> float | None:
    samples = decision.samples if decision is not None else ()
    return max((float(sample.elapsed_s) for sample in samples), default=None)
