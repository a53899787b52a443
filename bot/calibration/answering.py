"""Answers for what we lowered: a timeout at a limit that a merged change of ours set raises the literal at once.

Runs after everything else is decided. The value goes back to what it was before our change, or to
what the passes ask for where that is more; no night is waited for, and neither its being immaterial
nor a suite that moved together holds it. While such a timeout is in the window the key is not lowered,
whether or not the test file has changed since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import ceil

from bot.calibration.held import held_back
from bot.calibration.policies import WindowRule
from bot.calibration.window import clip_all
from bot.domain import (
    Decision,
    Estimate,
    Flag,
    Keep,
    KeepReason,
    KeyHistory,
    MergedLower,
    Proposal,
    RegistrationKey,
    Rejection,
    RejectionReason,
    Suite,
    TimeoutRule,
)

Lowers = Mapping[RegistrationKey, tuple[MergedLower, ...]]


def answer_for(
    decisions: Iterable[Decision],
    histories: Mapping[RegistrationKey, KeyHistory],
    lowers: Lowers,
    window: WindowRule | None,
    rule: Callable[[Suite], TimeoutRule],
) -> tuple[Decision, ...]:
    """The decisions in their order, those of keys that we answer for changed. `lowers` are newest first."""
    if not lowers:
        return tuple(decisions)
    clipped = {key: history for key, history in clip_all(histories, window).items() if key in lowers}
    return tuple(
        _answered(one, clipped[key], lowers[key], rule(key.suite)) if (key := one.registration.key) in clipped else one
        for one in decisions
    )


def _answered(decision: Decision, history: KeyHistory, lowers: tuple[MergedLower, ...], rule: TimeoutRule) -> Decision:
    found = next(((lower, killed) for lower in lowers if (killed := _killed(history, lower, rule))), None)
    if found is None or _reads_no_edit(decision):
        return decision
    lower, killed = found
    literal = decision.registration.est_time
    if literal == lower.after:
        return _raised(decision, lower, killed, rule)
    if isinstance(decision, Proposal) and decision.after < literal:
        return held_back(decision, KeepReason.OUR_LOWER_TIMED_OUT, _said(lower, killed))
    return decision


def _killed(history: KeyHistory, lower: MergedLower, rule: TimeoutRule) -> tuple[Rejection, ...]:
    """The timeouts of runs that read our value, where that value had lowered the limit."""
    if rule.effective(lower.after) >= rule.effective(lower.before):
        return ()
    timeouts = (one for one in history.rejections if one.reason is RejectionReason.TIMEOUT)
    return tuple(one for one in timeouts if one.row.logged_est_s == lower.after)


def _reads_no_edit(decision: Decision) -> bool:
    return isinstance(decision, Keep) and decision.reason is KeepReason.CANNOT_EDIT


def _raised(decision: Decision, lower: MergedLower, killed: tuple[Rejection, ...], rule: TimeoutRule) -> Proposal:
    registration, computed = decision.registration, decision.estimate
    value = max(ceil(lower.before), computed.value_s if computed else 0)
    method = f"not below what it was before {lower.pull}"
    estimate = (
        replace(computed, value_s=value, method=f"{computed.method}, {method}")
        if computed
        else _unmeasured(value, method, killed)
    )
    return Proposal(
        registration=registration,
        estimate=estimate,
        after=value,
        timeout_before_s=rule.effective(registration.est_time),
        timeout_after_s=rule.effective(value),
        samples=decision.samples,
        flags=(*decision.flags, Flag.OUR_LOWER_TIMED_OUT),
        detail=_said(lower, killed),
    )


def _unmeasured(value: int, method: str, killed: tuple[Rejection, ...]) -> Estimate:
    longest = max(one.row.elapsed_s or 0 for one in killed)
    return Estimate(value, float(value), method, n=0, nights=0, hosts=0, max_elapsed_s=longest, spread_s=0)


def _said(lower: MergedLower, killed: tuple[Rejection, ...]) -> str:
    at = max(one.row.elapsed_s or 0 for one in killed)
    runs = len({one.row.run_id for one in killed})
    times = "once" if runs == 1 else f"in {runs} runs"
    return f"{lower.pull} lowered it from {lower.before:g} to {lower.after:g}, and it timed out {times} after {at} s"
