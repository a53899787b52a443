"""The registrations at one commit, looked up as evidence needs them. Pure.

Reading them out of source files is the edit stage's part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain import Registration, RegistrationKey, RejectionReason, SourceRegistrations


@dataclass(frozen=True, slots=True)
class Registry:
    """`active` holds the keys with exactly one active call; the others say why a key is not there."""

    active: Mapping[RegistrationKey, Registration]
    ambiguous: frozenset[RegistrationKey]
    disabled: frozenset[RegistrationKey]
    elsewhere: frozenset[tuple[str, str]]  # (path, backend) with an active call in any suite

    def refusal(self, key: RegistrationKey) -> RejectionReason | None:
        """Why nothing can be learned for a key, None where it has its one active call."""
        if key in self.active:
            return None
        if key in self.ambiguous:
            return RejectionReason.AMBIGUOUS_KEY
        if key in self.disabled:
            return RejectionReason.DISABLED
        if (key.path, key.backend) in self.elsewhere:
            return RejectionReason.SUITE_CHANGED
        return RejectionReason.NO_REGISTRATION

    def knows(self, key: RegistrationKey) -> bool:
        """True where the commit has a call with this key, be it disabled or ambiguous."""
        return key in self.active or key in self.ambiguous or key in self.disabled


def registry(sources: Iterable[SourceRegistrations]) -> Registry:
    """Index all calls. Two active calls with one key are ambiguous; a disabled twin is not."""
    calls: dict[RegistrationKey, list[Registration]] = defaultdict(list)
    disabled: set[RegistrationKey] = set()
    for source in sources:
        for one in source.registrations:
            if one.active:
                calls[one.key].append(one)
            else:
                disabled.add(one.key)
    return Registry(
        active={key: found[0] for key, found in calls.items() if len(found) == 1},
        ambiguous=frozenset(key for key, found in calls.items() if len(found) > 1),
        disabled=frozenset(disabled - calls.keys()),
        elsewhere=frozenset((key.path, key.backend) for key in calls),
    )
