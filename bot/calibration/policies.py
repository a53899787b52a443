"""Policies as values: an estimator with its parameters, a window, nights needed, guard rails.

`strict` is the rule on the runs it is given and nothing else; `default` adds the guard rails of
docs/architecture.md, "The rule and the policies". What a guard rail checks is in
`bot.calibration.guards`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bot.calibration.estimators import ESTIMATORS, THE_RULE, Params
from bot.calibration.rounding import Rounding, exact
from bot.errors import UserError
from bot.repo_config.estimation import Estimation


class Guard(StrEnum):
    """The guard rails, in the order in which they are asked. The configuration names them so."""

    HUMAN_VALUE = "human_value"
    DECLINED = "declined"
    NIGHTS = "nights"
    PARTIAL = "partial"
    COLLAPSE = "collapse"
    HOSTS = "hosts"
    DROP = "drop"
    TIMEOUT = "timeout"
    LIMIT = "limit"
    MASS_CHANGE = "mass_change"  # about a whole suite: asked after all keys are decided


@dataclass(frozen=True, slots=True)
class WindowRule:
    """At most so many nights, none older than so many days before the newest (None: any age)."""

    nights: int
    days: int | None = None


@dataclass(frozen=True, slots=True)
class Materiality:
    """How near to "every change made" a suite must come, as fractions (`bot.calibration.material`).

    `makespan` of the predicted makespan, `seconds` of the sum of literals, `files` of the suite's
    files that may stay below `room` times what they take: a test that gets slower little by little is
    raised before it is over its literal. A raise matters where the present limit is not above `spare`
    times the slowest pass.
    """

    makespan: float = 0.005
    seconds: float = 0.01
    files: float = 0.01
    spare: float = 1.1
    room: float = 1.05


@dataclass(frozen=True, slots=True)
class Needs:
    """What the guard rails ask for, as `estimate` of the configuration says it."""

    hosts_lower: int = 1
    max_drop: float = 0.7
    nights_drop: int = 3
    collapse: float = 0.3
    band_s: int = 30
    band: float = 0.1
    mass_share: float = 0.5
    mass_files: int = 5
    mass_factor: float = 1.25

    def within_band(self, now_s: float, then_s: float) -> bool:
        """True where evidence has not moved."""
        return abs(now_s - then_s) <= max(float(self.band_s), self.band * then_s)


@dataclass(frozen=True, slots=True)
class Policy:
    """How measurements become decisions.

    `window` None means: all the runs that were given. `recent` is how many of a key's newest
    nights the estimate is computed from, `binding` in how many of them a slow pass keeps the limit
    above it (None: all in the window); timeouts bind in the whole window. `material` None proposes
    every difference.
    """

    name: str
    estimator: str = "max"
    params: Params = THE_RULE
    nights_raise: int = 1
    nights_lower: int = 1
    window: WindowRule | None = None
    guards: tuple[Guard, ...] = ()
    recent: int | None = None
    binding: int | None = None
    material: Materiality | None = None
    needs: Needs = field(default_factory=Needs)
    probe: bool = False  # propose a raise where a test is killed every night

    @property
    def method(self) -> str:
        """The estimator with its parameters, such as `max x 1.25`."""
        return ESTIMATORS[self.estimator].method(self.params)


MATERIAL = Materiality()
# Those of `default` where every difference is proposed, unless the configuration names guard rails itself.
PLAIN_GUARDS = (Guard.HUMAN_VALUE, Guard.NIGHTS, Guard.TIMEOUT, Guard.LIMIT)
_OF_SETTING = {
    "band": Guard.DECLINED,
    "collapse": Guard.COLLAPSE,
    "hosts": Guard.HOSTS,
    "max_drop": Guard.DROP,
    "mass_change": Guard.MASS_CHANGE,
}
NIGHTS_THAT_SUPERSEDE = 3  # so many nights faster, and an older slow pass is history
STRICT_SERVICE_WINDOW = WindowRule(nights=2)


def policy_from(estimation: Estimation, name: str | None = None) -> Policy:
    """The policy a repository configures, or the one called `name` with its settings.

    Raises:
        UserError: no policy, or no estimator, has that name.
    """
    chosen = name or estimation.policy
    if chosen not in POLICIES:
        raise UserError(f"unknown policy {chosen!r}: choose one of {', '.join(sorted(POLICIES))}")
    if estimation.estimator.name not in ESTIMATORS:
        known = ", ".join(sorted(ESTIMATORS))
        raise UserError(
            f"estimate.estimator.name: unknown estimator {estimation.estimator.name!r}: choose one of {known}"
        )
    return POLICIES[chosen](estimation)


def in_service(policy: Policy) -> Policy:
    """The policy where nobody names the runs: one without a window looks at the last two nights."""
    return policy if policy.window else replace(policy, window=STRICT_SERVICE_WINDOW)


def with_material(policy: Policy) -> Policy:
    """The policy with "material changes only": fewer edits, the same guard rails.

    The slowest pass is looked for in the nights a lower needs, so that a literal follows its test both
    ways, or in as many as `min_samples` asks for; an estimator that forgets by itself has the whole window.
    No value goes below what clears a slow pass until three nights have been faster.
    """
    recent = max(policy.nights_lower, policy.params.min_samples) if policy.estimator == "max" else None
    return replace(policy, recent=recent, binding=NIGHTS_THAT_SUPERSEDE, material=MATERIAL)


def _strict(estimation: Estimation) -> Policy:
    return Policy("strict", estimation.estimator.name, _params(estimation))


def _default(estimation: Estimation) -> Policy:
    policy = Policy(
        name="default",
        estimator=estimation.estimator.name,
        params=_params(estimation),
        nights_raise=estimation.nights.raise_,
        nights_lower=estimation.nights.lower,
        window=WindowRule(estimation.window.nights, estimation.window.days),
        guards=_guards(estimation),
        needs=_needs(estimation),
        probe=estimation.probe == "on",
    )
    return with_material(policy) if estimation.material == "on" else policy


def _guards(estimation: Estimation) -> tuple[Guard, ...]:
    """The guard rails that are named; with `material: off` and none named, the plain ones and those with a setting."""
    if estimation.material == "on" or "guards" in estimation.model_fields_set:
        return tuple(guard for guard in Guard if guard.value in estimation.guards)
    set_by_hand = {_OF_SETTING[name] for name in estimation.model_fields_set & _OF_SETTING.keys()}
    if "drop" in estimation.nights.model_fields_set:
        set_by_hand.add(Guard.DROP)
    return tuple(guard for guard in Guard if guard in PLAIN_GUARDS or guard in set_by_hand)


def _needs(estimation: Estimation) -> Needs:
    mass = estimation.mass_change
    return Needs(
        hosts_lower=estimation.hosts.lower,
        max_drop=estimation.max_drop,
        nights_drop=estimation.nights.drop,
        collapse=estimation.collapse,
        band_s=estimation.band.seconds,
        band=estimation.band.share,
        mass_share=mass.share,
        mass_files=mass.files,
        mass_factor=mass.factor,
    )


def _params(estimation: Estimation) -> Params:
    """The estimator's own parameters, and in their place those that somebody wrote."""
    written = estimation.estimator
    params = ESTIMATORS[written.name].DEFAULTS
    if "headroom" in written.model_fields_set:
        params = replace(params, factor=exact(written.headroom))
    if "q" in written.model_fields_set:
        params = replace(params, quantile=exact(written.q))
    if "min_samples" in written.model_fields_set:
        params = replace(params, min_samples=written.min_samples)
    return replace(params, rounding=Rounding(written.rounding)) if "rounding" in written.model_fields_set else params


POLICIES: dict[str, Callable[[Estimation], Policy]] = {"default": _default, "strict": _strict}
