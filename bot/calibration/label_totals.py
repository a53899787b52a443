"""What the tests of a label are estimated to take together, before and after. Pure; it changes no decision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bot.domain import Backend, Decision, LabelChange, LabelTotal, Proposal, RegistrationKey

MOST_LABELS = 200


def label_totals(
    decisions: Iterable[Decision],
    labels: Iterable[LabelChange] = (),
    instead: Mapping[RegistrationKey, int] | None = None,
) -> tuple[LabelTotal, ...]:
    """One total a label and backend, the largest difference first; labels without a difference left out.

    A label's tests are the active ones that carry it once `labels` are inserted. `instead` holds literals
    that would follow from something other than the decisions, such as a halved matrix.
    """
    added = {change.registration.key: change.after for change in labels}
    tests: dict[tuple[str, Backend], list[tuple[float, float]]] = defaultdict(list)
    for one in decisions:
        call = one.registration
        if not call.active:
            continue
        after = (instead or {}).get(call.key, one.after if isinstance(one, Proposal) else call.est_time)
        for label in dict.fromkeys(added.get(call.key, call.labels or ())):
            tests[label, call.key.backend].append((call.est_time, float(after)))
    found = (_total(label, backend, pairs) for (label, backend), pairs in sorted(tests.items()))
    changed = (total for total in found if total.changed)
    return tuple(sorted(changed, key=lambda one: (-abs(one.after_s - one.before_s), one.label)))[:MOST_LABELS]


def _total(label: str, backend: Backend, pairs: list[tuple[float, float]]) -> LabelTotal:
    return LabelTotal(
        label=label,
        backend=backend,
        tests=len(pairs),
        before_s=sum(before for before, _ in pairs),
        after_s=sum(after for _, after in pairs),
        changed=sum(before != after for before, after in pairs),
    )
