"""What a story is told in: suites, test files, and how each ends on each night. Which there are is `story`'s part."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Event(StrEnum):
    """How one file ends on one night."""

    PASS = "pass"  # noqa: S105 - a test that passed
    FAIL = "fail"
    TIMEOUT = "timeout"  # killed at the effective timeout, whatever `elapsed_s` says
    RETRY = "retry"  # fails once, then passes


@dataclass(frozen=True, slots=True)
class Measured:
    """One file on one night, in seconds as the End record prints them. `first_s`: the failed first try."""

    elapsed_s: int
    event: Event = Event.PASS
    first_s: int = 0


@dataclass(frozen=True, slots=True)
class SuiteSpec:
    """One suite: its backend, how many partitions, and how the runner is started."""

    name: str
    backend: str
    partitions: int
    runner: str
    retry: bool = False
    batched: bool = False  # the last partition's log has stderr before stdout inside a batch


@dataclass(frozen=True, slots=True)
class TestSpec:
    """One test file.

    `call` is the source of its registration with `{est}` in place of the literal; `calls_before`
    stands above it. `est` holds at every night's commit, `est_at_base` at the tip of the default
    branch where a person has changed it since. `changed_on` is the night (from 0) whose commit
    changes the body, -1 for none. `after` is what the default policy is expected to write.
    """

    __test__ = False  # not a test class of ours

    path: str
    suite: str
    call: str
    est: int
    nights: tuple[Measured, ...]
    est_at_base: int | None = None
    calls_before: str = ""
    disabled: str = ""
    changed_on: int = -1
    newline: str = "\n"
    after: int | None = None

    def measured(self, night: int) -> Measured:
        """What the night did; nights after the scripted ones pass with the last pass's time, a little less."""
        if night < len(self.nights):
            return self.nights[night]
        slowest = max(each.elapsed_s for each in self.nights if each.event in (Event.PASS, Event.RETRY))
        return Measured(slowest - night % 3)


@dataclass(frozen=True, slots=True)
class Story:
    """All suites and test files."""

    suites: tuple[SuiteSpec, ...]
    tests: tuple[TestSpec, ...] = field(default=())

    def of(self, suite: str) -> tuple[TestSpec, ...]:
        """The files of one suite, in path order."""
        return tuple(sorted((test for test in self.tests if test.suite == suite), key=lambda test: test.path))
