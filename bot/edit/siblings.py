"""Tests that lack labels which all their siblings carry: a suggestion for the report, never an edit.

Siblings are the other files of the same directory, with an active call of the same backend, whose
names end in the same words: `test_a_lora_ci.py` and `test_b_lora_ci.py` share `lora_ci`. The longest
ending that at least three siblings share is the pattern; shorter ones are not asked then, for
`ci` says less than `lora_ci`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from bot.domain import Backend, LabelSuggestion, Registration, TestPath

MIN_SIBLINGS = 3
_MAX_WORDS = 6
_Group = tuple[str, Backend, str]  # directory, backend, ending


def suggest_from_siblings(registrations: Iterable[Registration]) -> tuple[LabelSuggestion, ...]:
    """One suggestion for each active registration that lacks what every sibling carries.

    A label that one sibling lacks is not suggested; a sibling without a literal list carries none.
    """
    active = [registration for registration in registrations if registration.active]
    groups: defaultdict[_Group, dict[TestPath, frozenset[str]]] = defaultdict(dict)
    for registration in active:
        carried = frozenset(registration.labels or ())
        for group in _groups(registration):
            path = registration.key.path
            groups[group][path] = groups[group].get(path, carried) & carried
    found = (_suggestion(registration, groups) for registration in active)
    return tuple(suggestion for suggestion in found if suggestion)


def _suggestion(
    registration: Registration, groups: dict[_Group, dict[TestPath, frozenset[str]]]
) -> LabelSuggestion | None:
    for group in _groups(registration):
        siblings = {path: labels for path, labels in groups[group].items() if path != registration.key.path}
        if len(siblings) >= MIN_SIBLINGS:
            common = frozenset.intersection(*siblings.values())
            missing = tuple(sorted(common - set(registration.labels or ())))
            return LabelSuggestion(registration, missing, tuple(sorted(siblings))) if missing else None
    return None


def _groups(registration: Registration) -> Iterator[_Group]:
    """The groups a registration may belong to, the longest ending first."""
    path = PurePosixPath(registration.key.path)
    words = path.stem.removeprefix("test_").split("_")[-_MAX_WORDS:]
    for start in range(len(words)):
        yield str(path.parent), registration.key.backend, "_".join(words[start:])
