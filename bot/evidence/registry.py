"""The registrations at one commit, looked up as evidence needs them. Pure.

Reading them out of source files is the edit stage's part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.domain import Registration, RegistrationKey, RejectionReason, SourceRegistrations, TestPath


@dataclass(frozen=True, slots=True)
class Registry:
    """`active` holds the keys with exactly one active call; the others say why a key is not there."""

    active: Mapping[RegistrationKey, Registration]
    ambiguous: frozenset[RegistrationKey]
    disabled: frozenset[RegistrationKey]
    elsewhere: frozenset[tuple[str, str]]  # (path, backend) with an active call in any suite
    travelling: frozenset[tuple[str, str]]  # the same, where the call names other hardware it may run on
    homeless: Mapping[TestPath, RegistrationKey]  # active registrations that still name no suite or backend

    def refusal(self, key: RegistrationKey) -> RejectionReason | None:
        """Why nothing can be learned for a key, None where it has its one active call."""
        if key in self.active:
            return None
        if key in self.ambiguous:
            return RejectionReason.AMBIGUOUS_KEY
        if key in self.disabled:
            return RejectionReason.DISABLED
        if (key.path, key.backend) in self.travelling:
            return RejectionReason.AWAY_FROM_HOME
        if (key.path, key.backend) in self.elsewhere:
            return RejectionReason.SUITE_CHANGED
        if key.path in self.homeless:
            return RejectionReason.SEVERAL_SUITES
        return RejectionReason.NO_REGISTRATION

    def nearest(self, key: RegistrationKey) -> RegistrationKey | None:
        """The key that what is known of `key` belongs to: its own, disabled or ambiguous too, or a homeless one."""
        if key in self.active or key in self.ambiguous or key in self.disabled:
            return key
        return self.homeless.get(key.path)


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
        travelling=frozenset((key.path, key.backend) for key, found in calls.items() if any(x.hardware for x in found)),
        homeless={key.path: key for key in calls if not (key.backend and key.suite)},
    )
