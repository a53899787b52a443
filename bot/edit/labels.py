"""Which labels a registration must gain: configured rules, and what its siblings suggest.

Pure. Rules become changes or named refusals; a suggestion is only named, never edited. Where in
the list's text a label goes is `registrations.label_text`'s part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.domain import LabelChange, LabelRefusal, RefusedLabels, Registration
from bot.edit.registry_reader import LabelRegistry, UnreadRegistry
from bot.globs import matches_any
from bot.repo_config.registrations import LabelRule


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """What the rules ask for, and what could not be done."""

    changes: tuple[LabelChange, ...]
    refused: tuple[RefusedLabels, ...]


def plan_labels(
    rules: Sequence[LabelRule],
    registry: LabelRegistry | UnreadRegistry,
    registrations: Iterable[Registration],
) -> LabelPlan:
    """The changes that every rule together asks for, one an active registration.

    A rule that names a label outside the registry is refused as a whole for each call that lacks
    one of its labels: nothing is known about what it meant.
    """
    changes: list[LabelChange] = []
    refused: list[RefusedLabels] = []
    for registration in registrations:
        lacking = [rule for rule in rules if _lacks(rule, registration)]
        if not (lacking and registration.active):
            continue
        outcome = _outcome(lacking, registry, registration)
        changes += [item for item in outcome if isinstance(item, LabelChange)]
        refused += [item for item in outcome if isinstance(item, RefusedLabels)]
    return LabelPlan(tuple(changes), tuple(refused))


def insert_labels(present: Sequence[str], missing: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    """`present` with each missing label before the first present one that follows it in `order`.

    At the end where none follows. Present labels keep their places; those `missing` that are
    present already, or not in `order`, are left out.
    """
    rank = {label: number for number, label in enumerate(order)}
    result = list(present)
    for label in sorted({x for x in missing if x in rank and x not in present}, key=rank.__getitem__):
        places = (at for at, other in enumerate(result) if rank.get(other, -1) > rank[label])
        result.insert(next(places, len(result)), label)
    return tuple(result)


def _lacks(rule: LabelRule, registration: Registration) -> bool:
    if not matches_any(rule.paths, registration.key.path):
        return False
    return not set(rule.require) <= set(registration.labels or ())


def _outcome(
    rules: list[LabelRule], registry: LabelRegistry | UnreadRegistry, registration: Registration
) -> list[LabelChange | RefusedLabels]:
    if isinstance(registry, UnreadRegistry):
        return [RefusedLabels(registration, LabelRefusal.NO_REGISTRY, registry.reason)]
    outcome: list[LabelChange | RefusedLabels] = []
    known: list[LabelRule] = []
    for rule in rules:
        unknown = [label for label in rule.require if label not in registry.labels]
        if unknown:
            detail = f"{', '.join(map(repr, unknown))} of the rule for {_name(rule)}"
            outcome.append(RefusedLabels(registration, LabelRefusal.UNKNOWN_LABEL, detail))
        else:
            known.append(rule)
    if known and (registration.label_refusal or registration.labels is None):
        outcome.append(RefusedLabels(registration, LabelRefusal.CANNOT_EDIT, str(registration.label_refusal or "")))
    elif known and registration.labels is not None:
        required = [label for rule in known for label in rule.require]
        after = insert_labels(registration.labels, required, registry.labels)
        add = tuple(label for label in after if label not in registration.labels)
        outcome.append(LabelChange(registration, add, after, "; ".join(map(_name, known))))
    return outcome


def _name(rule: LabelRule) -> str:
    return f"{', '.join(rule.paths)} → {', '.join(rule.require)}"
