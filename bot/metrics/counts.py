"""Counts of what this process did since it started. The only state is a registry of its own.

Label values are members of enumerations, HTTP statuses and the names of GitHub's events and of pages that are routed:
nothing that a repository, a person or a sender chooses becomes one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Info, ProcessCollector

from bot.domain import TaskKind
from bot.forge.calls import NO_ANSWER, Heard
from bot.metrics.budgets import Budgets
from bot.tasks.outcomes import OutcomeName
from bot.tasks.stepping import StepEnd
from bot.webhook.routing import EVENTS

PREFIX = "recalibrate"
UNKNOWN, OTHER, NONE = "unknown", "other", "none"


def _registry() -> CollectorRegistry:
    made = CollectorRegistry()
    ProcessCollector(registry=made)
    return made


@dataclass(frozen=True, slots=True)
class Counts:
    """Everything that is counted. Methods are told of one event each; threads may share one."""

    registry: CollectorRegistry = field(default_factory=_registry)
    _deliveries: Counter = field(init=False)
    _pages: Counter = field(init=False)
    _tasks: Counter = field(init=False)
    _steps: Counter = field(init=False)
    _calls: Counter = field(init=False)
    _waits: Counter = field(init=False)
    _waited: Counter = field(init=False)
    _budgets: Budgets = field(default_factory=Budgets)

    def __post_init__(self) -> None:
        made = {
            "_deliveries": self._counter("deliveries", "Webhook requests by event and answer.", "event", "answer"),
            "_pages": self._counter(
                "pages", "Visitors' requests to the pages by page and HTTP status.", "page", "status"
            ),
            "_tasks": self._counter("tasks", "Tasks that ended, by kind and outcome.", "kind", "outcome"),
            "_steps": self._counter("steps", "Tries of steps by how they ended.", "result"),
            "_calls": self._counter("github_calls", "Requests to GitHub by half and HTTP status.", "half", "status"),
            "_waits": self._counter("github_waits", "Waits before a read was asked again."),
            "_waited": self._counter("github_wait_seconds", "Seconds waited before a read was asked again."),
        }
        for name, counter in made.items():
            object.__setattr__(self, name, counter)
        self.registry.register(self._budgets)

    def _counter(self, name: str, meaning: str, *labels: str) -> Counter:
        return Counter(name, meaning, labels, namespace=PREFIX, registry=self.registry)

    def built(self, version: str, pipeline: str, role: str) -> None:
        """What runs here."""
        info = Info(
            "build", "What runs: release, version of the steps, role.", namespace=PREFIX, registry=self.registry
        )
        info.info({"version": version, "pipeline": pipeline, "role": role})

    def delivery(self, event: str, answer: str) -> None:
        """One webhook request was answered; `event` "" where none was believed."""
        known = UNKNOWN if not event else event if event in EVENTS else OTHER
        self._deliveries.labels(known, answer).inc()

    def page(self, name: str, status: int) -> None:
        """One request to the pages was answered; `name` is one of the routes'."""
        self._pages.labels(name, str(status)).inc()

    def task(self, kind: TaskKind, how: OutcomeName) -> None:
        """One task ended."""
        self._tasks.labels(kind.value, how.value).inc()

    def step(self, end: StepEnd) -> None:
        """One try of a step ended."""
        self._steps.labels(end.value).inc()

    def call(self, heard: Heard) -> None:
        """One request to GitHub was answered, or was not."""
        self._calls.labels(heard.half.value, NONE if heard.status == NO_ANSWER else str(heard.status)).inc()
        if heard.budget is not None:
            self._budgets.note(heard.budget)

    def wait(self, seconds: float) -> None:
        """A read waits before it is asked again."""
        self._waits.inc()
        self._waited.inc(seconds)
