"""The watched repository's own file, `.github/recalibrate.yml`: strict model, defaults, JSON schema.

Reading a file into it, with lines for what is wrong, is `bot.config_file`'s part.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from bot import cron
from bot.domain import Suite, TimeoutRule
from bot.globs import matches
from bot.patterns import compiled

REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"  # owner/name, GitHub's own limits

PlugInName = Annotated[str, Field(max_length=40)]  # which there are, `bot.config_names` knows


class _Strict(BaseModel):
    """Unknown keys are refused; values are not coerced from other types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Nightly(_Strict):
    """Which workflow runs are nights."""

    workflows: tuple[str, ...] = Field(
        default=(), description="Workflow files; empty: any workflow whose logs carry timings."
    )
    events: tuple[str, ...] = Field(default=("schedule",), description="Events that start a nightly.")
    branches: tuple[str, ...] = Field(default=(), description="Branches whose runs count; empty: the default branch.")
    silent_days: Annotated[int, Field(ge=1, le=30)] = Field(
        default=3, description="Days without a completed nightly after which an issue says so."
    )


class YamlRegistrations(_Strict):
    """One file of estimates in YAML: a mapping under `key`, lists whose sections match `list`, or a form by name."""

    file: Annotated[str, Field(min_length=1, max_length=512, pattern=r"^[^/].*$")] = Field(
        description="The file, from the repository's root."
    )
    key: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Top-level key of a mapping `path: seconds`."
    )
    list: Annotated[str, Field(max_length=200)] = Field(
        default="",
        description="Glob of top-level keys holding lists of `{name: path, estimated_time: n}`; the key is the suite.",
    )
    suite: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Suite of a mapping's entries; empty: the one suite whose logs schedule the file."
    )
    backend: Annotated[str, Field(max_length=64)] = Field(
        default="", description="Backend of the entries; empty: the one whose logs schedule the file."
    )
    form: PlugInName = Field(default="", description="How the file is written; empty: told from `key` or `list`.")

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if not self.form and bool(self.key) == bool(self.list):
            raise ValueError("give exactly one of key (a mapping) and list (lists of entries)")
        if self.list and self.suite:
            raise ValueError("a list's sections are its suites; leave suite out")
        return self


class Registrations(_Strict):
    """Where registrations are, how they are written, and the registry their labels come from."""

    paths: tuple[str, ...] = Field(
        default=("**/test_*.py",), description="Globs of the files that may be read and edited."
    )
    label_registry: str = Field(
        default="tests/ci/labels.py:KNOWN_LABELS",
        description="FILE:NAME of the label registry; used where the file exists.",
        pattern=r"^[^:]+:[A-Za-z_][A-Za-z0-9_]*$",
    )
    dialects: tuple[PlugInName, ...] = Field(
        default=(), description="How calls are written; empty: told from each file."
    )
    yaml: Annotated[tuple[YamlRegistrations, ...], Field(max_length=20)] = Field(
        default=(), description="Files of estimates in YAML."
    )


class TimingBlock(_Strict):
    """The lines around a block of timings in JSON lines."""

    begin: Annotated[str, Field(min_length=4, max_length=200)] = Field(
        default="TIMINGS BEGIN", description="Text of the line before the block, without `=`, `-`, `#`, `*` around it."
    )
    end: Annotated[str, Field(min_length=4, max_length=200)] = Field(
        default="TIMINGS END", description="Text of the line after it."
    )


class Logs(_Strict):
    """How job logs are read."""

    dialects: tuple[PlugInName, ...] = Field(
        default=(), description="Log formats that may be read; empty: told from each log."
    )
    block: TimingBlock = Field(default=TimingBlock(), description="The markers of a block of timings.")
    roots: tuple[Annotated[str, Field(pattern=r"^/.*[^/]$", max_length=512)], ...] = Field(
        default=(), description="Absolute directories that hold the checkout, where the log does not show it."
    )


class Evidence(_Strict):
    """Evidence that crosses repositories; both sides must name the other."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)
    from_: tuple[Annotated[str, Field(pattern=REPOSITORY)], ...] = Field(
        default=(), alias="from", description="Repositories whose nightlies measure this one's tests."
    )
    for_: tuple[Annotated[str, Field(pattern=REPOSITORY)], ...] = Field(
        default=(), alias="for", description="Repositories whose tests this one's nightlies measure."
    )


class Estimator(_Strict):
    """Which estimator turns samples into a value. What is not given is the estimator's own."""

    name: PlugInName = Field(default="max", description="How samples become a value.")
    headroom: Annotated[float, Field(ge=1.0, le=10.0)] = Field(
        default=1.25, description="Factor over the measurement; median and mean have their own where it is not given."
    )
    q: Annotated[float, Field(ge=0.5, le=1.0)] = Field(default=0.9, description="`quantile`: which one, inclusive.")
    min_samples: Annotated[int, Field(ge=1, le=100)] = Field(
        default=1, description="Fewest passes a value is computed from; at least 3 for `quantile`."
    )
    rounding: Literal["buckets", "nearest_10", "whole"] = Field(
        default="buckets",
        description="`buckets` (up to the next 10 s while at most 200 s, else to the next 100 s), `nearest_10` or "
        "`whole` seconds. `max` always rounds by buckets; `median` and `mean` round to the nearest 10 s by themselves.",
    )


class Window(_Strict):
    """Which samples an estimator may use, counted back from the newest run's creation."""

    nights: Annotated[int, Field(ge=1, le=400)] = Field(default=14, description="At most so many nights.")
    days: Annotated[int, Field(ge=1, le=400)] = Field(
        default=21, description="At most so many days before the newest run."
    )


class NightsNeeded(_Strict):
    """Nights with a pass that an edit needs."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)
    raise_: Annotated[int, Field(ge=1, le=30)] = Field(default=1, alias="raise", description="Nights a raise needs.")
    lower: Annotated[int, Field(ge=1, le=30)] = Field(default=2, description="Complete nights a lower needs.")
    drop: Annotated[int, Field(ge=1, le=30)] = Field(
        default=3, description="Complete nights a lower of more than `max_drop` needs."
    )


class HostsNeeded(_Strict):
    """Runners with a pass that an edit needs."""

    lower: Annotated[int, Field(ge=1, le=30)] = Field(default=1, description="Different runners a lower needs.")


class Band(_Strict):
    """How far evidence must move to count as moved: the larger of the two."""

    seconds: Annotated[int, Field(ge=0, le=86_400)] = Field(default=30, description="Seconds.")
    share: Annotated[float, Field(ge=0.0, le=1.0)] = Field(default=0.1, description="Share of what it was.")


class MassChange(_Strict):
    """When a suite's files have moved together, which is a question and no calibration."""

    share: Annotated[float, Field(gt=0.0, le=1.0)] = Field(
        default=0.5, description="More than this share of the measured files moved one way."
    )
    files: Annotated[int, Field(ge=2, le=10_000)] = Field(default=5, description="And at least so many.")
    factor: Annotated[float, Field(gt=1.0, le=100.0)] = Field(
        default=1.25, description="Moved: the newest night over the nights before it is beyond this factor."
    )


GuardName = Literal[
    "human_value", "declined", "nights", "partial", "collapse", "hosts", "drop", "timeout", "limit", "mass_change"
]


class Estimation(_Strict):
    """How a measurement becomes a proposal."""

    policy: Literal["strict", "default"] = Field(default="default", description="`strict` or `default`.")
    estimator: Estimator = Field(default=Estimator(), description="The estimator and its parameters.")
    window: Window = Field(default=Window(), description="The samples it may use.")
    nights: NightsNeeded = Field(default=NightsNeeded(), description="Nights an edit needs.")
    hosts: HostsNeeded = Field(default=HostsNeeded(), description="Runners an edit needs.")
    max_drop: Annotated[float, Field(gt=0.0, lt=1.0)] = Field(
        default=0.7, description="A lower by more than this share of the literal needs `nights.drop` nights."
    )
    collapse: Annotated[float, Field(ge=0.0, lt=1.0)] = Field(
        default=0.3, description="A pass below this share of the test's earlier nights waits for a second one."
    )
    band: Band = Field(default=Band(), description="A declined value stays declined until the evidence leaves it.")
    mass_change: MassChange = Field(default=MassChange(), description="When a suite's files have moved together.")
    guards: tuple[GuardName, ...] = Field(
        default=get_args(GuardName),
        description="The guard rails of the policy `default` that hold. Where none are named, `material: off` leaves "
        "`human_value`, `nights`, `timeout` and `limit`, and those whose own setting is written.",
    )
    material: Literal["on", "off"] = Field(
        default="on",
        description="Propose only what matters to the suite; `off`: every literal that is off, with fewer `guards`.",
    )
    probe: Literal["off", "on"] = Field(
        default="off", description="Propose a raise for a test that is killed at its limit every night."
    )

    @field_validator("material", "probe", mode="before")
    @classmethod
    def _yaml_switch(cls, value: object) -> object:
        """YAML 1.1 reads a bare `on` or `off` as a boolean; the documented words are `on` and `off`."""
        return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


class SuiteTimeout(_Strict):
    """A suite's own limit."""

    floor_s: Annotated[int, Field(ge=1, le=604_800)] = Field(description="Lowest limit of a file, in seconds.")


class Timeout(_Strict):
    """The suite runner's limit for one file: `max(floor_s, int(est_time * factor))`."""

    floor_s: Annotated[int, Field(ge=1, le=604_800)] = Field(
        default=1800, description="Lowest limit of a file, in seconds."
    )
    factor: Annotated[float, Field(ge=1.0, le=100.0)] = Field(default=1.25, description="Limit over estimate.")
    suites: dict[str, SuiteTimeout] = Field(default={}, description="Floors by suite glob; the first match wins.")

    def rule(self, suite: Suite) -> TimeoutRule:
        """The limit of one suite."""
        for glob, own in self.suites.items():
            if matches(glob, suite):
                return TimeoutRule(own.floor_s, self.factor)
        return TimeoutRule(self.floor_s, self.factor)


class Partitions(_Strict):
    """Partitions of suites."""

    budget_s: Annotated[int, Field(ge=0, le=604_800)] = Field(
        default=0, description="Seconds that one partition may take; a fuller one is named. 0: no budget."
    )


class LaunchFact(_Strict):
    """Something a test's log says about how it was launched."""

    name: Annotated[str, Field(min_length=1, max_length=80)] = Field(description="What a report calls it.")
    text: Annotated[str, Field(max_length=200)] = Field(
        description="Text of the line; `{value}` stands for the word that is reported, without it the fact is `on`."
    )
    within: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Only lines that hold this text count."
    )
    absent: Annotated[str, Field(max_length=80)] = Field(
        default="", description="What is reported where lines hold `within` and none holds `text`; empty: nothing."
    )

    @field_validator("text")
    @classmethod
    def _one_value(cls, text: str) -> str:
        if not set(compiled(text).holes) <= {"value"}:
            raise ValueError("a fact's only placeholder is {value}")
        return text


_PROGRESS = ("rollout {done}/{total}", "epoch {done}/{total}", "iteration {done}/{total}", "step {done}/{total}")
_FACTS = (
    LaunchFact(name="rollouts", text="--num-rollout {value}"),
    LaunchFact(name="global batch", text="--global-batch-size {value}"),
    LaunchFact(name="dynamic batching", text="--use-dynamic-batch-size", within="--global-batch-size", absent="off"),
    LaunchFact(name="max tokens per GPU", text="--max-tokens-per-gpu {value}"),
    LaunchFact(name="num_microbatches_per_rank", text="num_microbatches_per_rank={value}"),
)


class Timeouts(_Strict):
    """What is read of a log to explain a test that hit its limit, or nearly did."""

    progress: Annotated[tuple[str, ...], Field(max_length=20)] = Field(
        default=_PROGRESS,
        description="Texts of progress lines with `{done}` and `{total}`; the first that occurs is used.",
    )
    facts: Annotated[tuple[LaunchFact, ...], Field(max_length=20)] = Field(
        default=_FACTS, description="Facts of a launch that bear on how long it takes."
    )

    @field_validator("progress")
    @classmethod
    def _both_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            if set(compiled(text).holes) != {"done", "total"}:
                raise ValueError(f"progress pattern {text!r} needs {{done}} and {{total}}, and nothing else")
        return value


class LabelRule(_Strict):
    """Labels that files must carry."""

    paths: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="Globs of test files.")
    require: Annotated[tuple[str, ...], Field(min_length=1)] = Field(description="Labels each of them must carry.")


class Labels(_Strict):
    """Label lists."""

    rules: tuple[LabelRule, ...] = Field(default=(), description="Labels that are inserted where they are missing.")
    siblings: Literal["off", "suggest"] = Field(
        default="suggest", description="Name tests that lack what all siblings carry."
    )

    @field_validator("siblings", mode="before")
    @classmethod
    def _yaml_off(cls, value: object) -> object:
        """YAML 1.1 reads a bare `off` as false; the documented word is `off`."""
        return "off" if value is False else value


class PullRequest(_Strict):
    """The rolling pull request."""

    schedule: Annotated[str, Field(max_length=200)] = Field(
        default="nightly",
        description="It is updated once at most in each: `nightly`, `weekly`, or a cron expression of five fields "
        "in UTC, after which the next nightly updates it. Counted from its last commit, also where it was merged or "
        "closed since; a person's command need not wait.",
    )
    title: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        default="ci: recalibrate est_time", description="Its title and the subject of its commit."
    )
    labels: tuple[str, ...] = Field(default=(), description="Labels it gets.")
    allow_ci_labels: bool = Field(
        default=False, description="Accept labels that start CI fleets (`run-ci-*`, `nightly`)."
    )
    reviewers: tuple[str, ...] = Field(default=(), description="Logins asked for review.")
    draft: bool = Field(default=False, description="Open it as a draft.")
    max_edits: Annotated[int, Field(ge=1, le=1000)] = Field(default=40, description="Most files it may change.")

    @field_validator("schedule")
    @classmethod
    def _known_schedule(cls, value: str) -> str:
        if value not in ("nightly", "weekly"):
            try:
                cron.parse(value)
            except ValueError as error:
                raise ValueError(f"neither nightly, weekly nor a cron expression: {error}") from None
        return value


class History(_Strict):
    """What is kept of the nights, and what a first start looks back for."""

    keep_days: Annotated[int, Field(ge=30, le=10_000)] = Field(
        default=400, description="Runs older than this before the newest one are given up."
    )
    backfill_days: Annotated[int, Field(ge=0, le=90)] = Field(
        default=21,
        description="A nightly also reads runs of its workflow of so many days before it that are not known; 0: none.",
    )
    backfill_runs: Annotated[int, Field(ge=0, le=100)] = Field(
        default=13, description="At most so many of them, the newest first."
    )


class Commands(_Strict):
    """Who may command the App."""

    allow: tuple[Literal["read", "triage", "write", "maintain", "admin"], ...] = Field(
        default=("write", "maintain", "admin"), description="Roles that may use every command."
    )
    readers: tuple[PlugInName, ...] = Field(
        default=("explain", "matrix", "help"),
        description="Commands that everyone who can read the repository may use; they change nothing.",
    )


class Checks(_Strict):
    """Check runs."""

    nightly: bool = Field(default=True, description="A check run on each nightly's head.")
    registrations: bool = Field(default=True, description="A check run on pull requests that touch registrations.")
    fail_on: Literal["never", "timeout"] = Field(
        default="never",
        description="`timeout`: fail for a test that timed out, and for a written limit that kills a known pass.",
    )


class RepoConfig(_Strict):
    """All settings of a watched repository. Every key but `version` is optional."""

    version: Literal[1] = Field(description="The format of this file.")
    mode: Literal["propose", "observe"] = Field(default="propose", description="`observe`: report and check runs only.")
    nightly: Nightly = Field(default=Nightly(), description="Which runs are nights.")
    registrations: Registrations = Field(default=Registrations(), description="What may be read and edited.")
    logs: Logs = Field(default=Logs(), description="How job logs are read.")
    evidence: Evidence = Field(default=Evidence(), description="Evidence that crosses repositories.")
    estimate: Estimation = Field(default=Estimation(), description="How a measurement becomes a proposal.")
    timeout: Timeout = Field(default=Timeout(), description="The suite runner's limit for one file.")
    timeouts: Timeouts = Field(default=Timeouts(), description="What explains a test that hit its limit.")
    partitions: Partitions = Field(default=Partitions(), description="Partitions of suites.")
    labels: Labels = Field(default=Labels(), description="Label lists.")
    pull_request: PullRequest = Field(default=PullRequest(), description="The rolling pull request.")
    commands: Commands = Field(default=Commands(), description="Who may command the App.")
    history: History = Field(default=History(), description="What is kept of the nights.")
    checks: Checks = Field(default=Checks(), description="Check runs.")

    @field_validator("pull_request")
    @classmethod
    def _no_fleet_labels(cls, value: PullRequest) -> PullRequest:
        """Labels that start GPU fleets need an explicit opt-in (radixark/miles tests/ci/ci_policy.py)."""
        fleet = [x for x in value.labels if x.startswith("run-ci-") or x == "nightly"]
        if fleet and not value.allow_ci_labels:
            raise ValueError(f"labels {fleet} start CI fleets; set allow_ci_labels: true to mean it")
        return value


DEFAULT = RepoConfig(version=1)
