"""What a person asked an evaluation to look at: exact runs, a policy, some suites or tests."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import Registration, RunId
from bot.globs import matches


@dataclass(frozen=True, slots=True)
class Selection:
    """Empty fields select everything: the window's nights, the configured policy, all tests."""

    runs: tuple[RunId, ...] = ()
    policy: str | None = None
    suite: str = ""  # a glob
    test: str = ""  # a glob

    @property
    def narrowed(self) -> str:
        """What registrations are narrowed to, in words; "" for all of them."""
        named = (("suite", self.suite), ("test", self.test))
        return " and ".join(f"{name} {glob}" for name, glob in named if glob)

    def wants(self, registration: Registration) -> bool:
        """True where the registration is to be decided."""
        suite_fits = not self.suite or matches(self.suite, registration.key.suite)
        return suite_fits and (not self.test or matches(self.test, registration.key.path))


EVERYTHING = Selection()
