"""Decides every active registration: a proposal, or a keep with its reason.

Pure: registrations, histories and a policy in, decisions out. What a number is worth is the
estimator's, what holds it back the guard rails', what is written the edit stage's part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from bot.calibration import hosts
from bot.calibration.doubts import unconfirmed
from bot.calibration.guards import Facts, Hold, hold, least_clearing
from bot.calibration.history import (
    binding_timeouts,
    complete_nights,
    estimate_of,
    flags_of,
    newest_nights,
    slowest_known_pass,
)
from bot.calibration.placeholder import placeholders, written
from bot.calibration.policies import Guard, Policy
from bot.calibration.probe import probe
from bot.calibration.window import Night, clip_all, night_of
from bot.domain import (
    Decision,
    Estimate,
    Flag,
    Keep,
    KeepReason,
    KeyHistory,
    MergedLower,
    Proposal,
    Registration,
    RegistrationKey,
    Sample,
    Suite,
    TimeoutRule,
)


@dataclass(frozen=True, slots=True)
class HeadLiteral:
    """The literal at the newest contributing head (`history.newest_sample`), read from the tree.

    `value` is None where the call is not there. `changed_by_us` says that the change from it to
    the literal at the base is a commit we published; told by ancestry, never by dates.
    """

    value: float | None
    changed_by_us: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """Everything known about one registration.

    `declined_s` are the slowest passes that closed pull requests about it rested on, `partial` the
    nights in which a job log of its suite is lost.
    """

    registration: Registration
    history: KeyHistory
    rule: TimeoutRule
    head: HeadLiteral | None = None
    declined_s: tuple[float, ...] = ()
    partial: tuple[Night, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known beside the measurements: literals at heads, what was declined, lost logs by suite, merged lowers.

    Keys and suites that are not in it have nothing of the kind.
    """

    heads: Mapping[RegistrationKey, HeadLiteral] = field(default_factory=dict)
    declined: Mapping[RegistrationKey, tuple[float, ...]] = field(default_factory=dict)
    partial: Mapping[Suite, tuple[Night, ...]] = field(default_factory=dict)
    lowered: Mapping[RegistrationKey, tuple[MergedLower, ...]] = field(default_factory=dict)


NOTHING_KNOWN = Surroundings()


def decide_all(
    registrations: Iterable[Registration],
    histories: Mapping[RegistrationKey, KeyHistory],
    policy: Policy,
    rule: Callable[[Suite], TimeoutRule],
    known: Surroundings = NOTHING_KNOWN,
) -> tuple[Decision, ...]:
    """One decision for every active registration, in the order given.

    The policy's window is applied here, counted back from the newest night of all histories.
    Keys without a history have no sample; keys without a head literal are not held for one.
    Doubtful passes must have been set aside (`bot.calibration.doubts`). What looks at whole suites
    comes after (`bot.calibration.mass`, `bot.calibration.immaterial`).
    """
    clipped = clip_all(histories, policy.window)
    cases = tuple(
        Case(
            registration,
            clipped.get(registration.key, KeyHistory(registration.key)),
            rule(registration.key.suite),
            known.heads.get(registration.key),
            known.declined.get(registration.key, ()),
            known.partial.get(registration.key.suite, ()),
        )
        for registration in registrations
        if registration.active
    )
    return _placeholders_let_go(cases, tuple(decide(case, policy) for case in cases), policy)


def _placeholders_let_go(cases: Sequence[Case], decisions: Sequence[Decision], policy: Policy) -> tuple[Decision, ...]:
    """The decisions, those on a placeholder without the guard rail for large drops: it was never measured.

    Replaced for one file and kept for the next, it would pack a suite worse than before.
    """
    held = placeholders(decisions)
    plain = replace(policy, guards=tuple(guard for guard in policy.guards if guard is not Guard.DROP))
    return tuple(
        decide(case, plain) if isinstance(x, Keep) and x.reason is KeepReason.LARGE_DROP and written(x) in held else x
        for case, x in zip(cases, decisions, strict=True)
    )


def decide(case: Case, policy: Policy) -> Decision:
    """A proposal, or the first reason against it. The history is taken as it is: already clipped."""
    used = newest_nights(case.history.samples, policy.recent)
    estimate = _floored(estimate_of(used, policy), case, policy)
    refused = _cannot_edit(case.registration)
    if refused is not None:
        return _keep(case, Hold(KeepReason.CANNOT_EDIT, refused), used, estimate)
    if not case.history.samples:
        return _without_sample(case, policy)
    if estimate is None:
        return _keep(case, Hold(KeepReason.TOO_FEW_SAMPLES, _few(len(used), policy)), used)
    if estimate.value_s == case.registration.est_time:
        return _keep(case, Hold(KeepReason.EQUAL, ""), used, estimate)
    held = hold(_facts(case, estimate, policy), policy)
    return _keep(case, held, used, estimate) if held else _proposal(case, used, estimate)


def _floored(estimate: Estimate | None, case: Case, policy: Policy) -> Estimate | None:
    """Where a slow pass is forgotten after some nights, no estimate goes below what those that still bind need."""
    if estimate is None or policy.binding is None or not policy.guards:
        return estimate
    least = least_clearing(case.rule, slowest_known_pass(case.history, policy.binding))
    if least <= estimate.value_s:
        return estimate
    return replace(estimate, value_s=least, method=f"{estimate.method}, clearing a slower pass")


def _facts(case: Case, estimate: Estimate, policy: Policy) -> Facts:
    return Facts(
        literal=case.registration.est_time,
        value_s=estimate.value_s,
        rule=case.rule,
        nights=len({sample.row.run_id for sample in case.history.samples}),
        complete_nights=complete_nights(case.history.samples),
        timeouts=len(binding_timeouts(case.history)),
        known_pass_s=slowest_known_pass(case.history, policy.binding),
        head_literal=case.head.value if case.head and not case.head.changed_by_us else None,
        slowest_s=estimate.max_elapsed_s,
        declined_s=case.declined_s,
        hosts=hosts.count(case.history.samples),
        unconfirmed=len(unconfirmed(case.history)),
        partial_nights=_partial_nights(case, policy),
    )


def _partial_nights(case: Case, policy: Policy) -> int:
    """Partial ones among the newest nights of the suite that a lower looks at."""
    partial = {night.run_id for night in case.partial} | {x.row.run_id for x in case.history.samples if x.partial}
    nights = {*case.partial, *(night_of(sample) for sample in case.history.samples)}
    newest = sorted(nights, key=lambda night: night.order, reverse=True)[: policy.nights_lower]
    return sum(night.run_id in partial for night in newest)


def _without_sample(case: Case, policy: Policy) -> Decision:
    """No pass to compute from: a probe where that is asked for, else a keep that says what there was."""
    killed = binding_timeouts(case.history)
    if not killed:
        return _keep(case, Hold(KeepReason.NO_SAMPLE, _why_no_sample(case.history)), ())
    tried = probe(case.registration.est_time, case.rule, killed, policy.nights_lower) if policy.probe else None
    if tried is not None and tried.value_s > case.registration.est_time:
        held = hold(_facts(case, tried, policy), replace(policy, nights_raise=0))
        proposal = _proposal(case, (), tried)
        return _keep(case, held, (), tried) if held else replace(proposal, flags=(*proposal.flags, Flag.PROBE))
    at = max(x.row.elapsed_s or 0 for x in killed)
    said = f"timed out {len(killed)}x at {at} s, no pass: the estimate needs a person"
    return _keep(case, Hold(KeepReason.NEEDS_PERSON, said), ())


def _cannot_edit(registration: Registration) -> str | None:
    if registration.est_refusal is not None:
        return registration.est_refusal.value
    return None if isfinite(registration.est_time) else "est_time is not finite"


def _why_no_sample(history: KeyHistory) -> str:
    """Says what there was instead."""
    reasons = sorted({rejection.reason.value for rejection in history.rejections})
    return f"unused: {', '.join(reasons)}" if reasons else "never measured in the window"


def _few(count: int, policy: Policy) -> str:
    return f"{count} of the {policy.params.min_samples} samples that {policy.method} needs"


def _proposal(case: Case, used: tuple[Sample, ...], estimate: Estimate) -> Proposal:
    return Proposal(
        registration=case.registration,
        estimate=estimate,
        after=estimate.value_s,
        timeout_before_s=_limit(case),
        timeout_after_s=case.rule.effective(estimate.value_s),
        samples=used,
        flags=flags_of(case.registration, case.history, case.rule),
    )


def _keep(case: Case, why: Hold, used: tuple[Sample, ...], estimate: Estimate | None = None) -> Keep:
    literal = case.registration.est_time
    return Keep(
        registration=case.registration,
        reason=why.reason,
        detail=why.detail,
        estimate=estimate,
        held=estimate.value_s if estimate and estimate.value_s != literal else None,
        timeout_s=_limit(case),
        samples=used,
        flags=flags_of(case.registration, case.history, case.rule),
    )


def _limit(case: Case) -> int:
    """The effective timeout of the present literal; of no literal's, where it is not a number."""
    literal = case.registration.est_time
    return case.rule.effective(literal if isfinite(literal * case.rule.factor) else 0)
