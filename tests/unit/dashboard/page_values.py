"""Views for the pages' tests: small ones written out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.dashboard.views import KeyView, RepositoryAsked, RepositoryView
from bot.domain import (
    Backend,
    BlobSha,
    CommitSha,
    Decision,
    Estimate,
    Evaluation,
    Identity,
    JobId,
    Keep,
    KeepReason,
    PartitionLoad,
    PolicyStamp,
    Proposal,
    Registration,
    RegistrationKey,
    RepositoryId,
    Run,
    RunId,
    ScheduledFile,
    Status,
    Suite,
    SuitePartitions,
    TaskKind,
    TestPath,
    TimeoutRule,
)
from bot.overview import (
    EvaluationHead,
    Held,
    JudgedTiming,
    KeyPage,
    LastDecision,
    Listed,
    NightOverview,
    PullRequestEdits,
    Span,
    Verdict,
)
from bot.records.measurements import KnownTiming
from bot.records.publications import Publication
from bot.records.repositories import Repository, RepositoryState
from bot.records.work import TaskOutcome

DAY = datetime(2026, 9, 1, 2, 30, tzinfo=UTC)
REPOSITORY = Repository(RepositoryId(7), "zoo/engine", 1, "main")
SERVER = "https://github.example"
KEY = RegistrationKey(TestPath("tests/test_otter.py"), Backend("cuda"), Suite("stage-b"))
BASE = CommitSha("b" * 40)
HEAD = EvaluationHead("nightly:7:1:1:b", "main", BASE, "default", "", DAY)
HOSTILE = "<script>alert(1)</script>\u202e\x00'\"&`|"
HOSTILE_SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e\\x00&#39;&#34;&amp;`|"

SAMPLE = Verdict(identity=Identity.IDENTICAL)


def run(night: int, **other: Any) -> Run:
    return Run(
        **{
            "repository": "zoo/engine",
            "run_id": RunId(100 + night),
            "attempt": 1,
            "head_sha": CommitSha("a" * 40),
            "created_at": DAY + timedelta(days=night),
            **other,
        }
    )


def judged(night: int, verdict: Verdict | None = SAMPLE, **other: Any) -> JudgedTiming:
    """A pass of KEY in 500 seconds, a sample, its lines kept."""
    of = run(night)
    row = ScheduledFile(
        **{
            "run_id": of.run_id,
            "attempt": 1,
            "head_sha": of.head_sha,
            "job_id": JobId(900 + night),
            "job_name": "stage-b (0)",
            "suite": KEY.suite,
            "backend": KEY.backend,
            "partition_id": 0,
            "partition_size": 1,
            "plan_index": 0,
            "path": KEY.path,
            "status": Status.PASSED,
            "elapsed_s": 500,
            "logged_est_s": 600.0,
            "plan_line": 7,
            "timing_line": 40,
            "status_line": 41,
            "runner_name": "h100-01",
            **{name: value for name, value in other.items() if name not in ("lines_kept", "carried_over", "policy")},
        }
    )
    known = KnownTiming(row, of.created_at, other.get("carried_over", False))
    return JudgedTiming(known, of, verdict, lines_kept=other.get("lines_kept", True), policy=other.get("policy"))


def registration(est_time: float = 600) -> Registration:
    return Registration(KEY, BlobSha("d" * 40), 0, 3, 5, 4, est_time, f"{est_time:g}")


ESTIMATE = Estimate(700, 625.0, "max x 1.25", 2, 2, 1, 500, 10)


def proposal() -> Proposal:
    return Proposal(registration(), ESTIMATE, 700, 1800, 1800, ())


def keep(reason: KeepReason = KeepReason.TOO_FEW_NIGHTS, **other: Any) -> Keep:
    return Keep(registration(), reason, **{"held": 400, "timeout_s": 1800, "estimate": ESTIMATE, **other})


def key_view(*rows: JudgedTiming, decision: Decision | None = None, **other: Any) -> KeyView:
    return KeyView(
        **{
            "repository": REPOSITORY,
            "server": SERVER,
            "key": KEY,
            "rule": TimeoutRule(),
            "nights": Span(60),
            "page": KeyPage(rows),
            "last": LastDecision(HEAD, decision) if decision else None,
            **other,
        }
    )


def night(number: int, outcome: TaskOutcome | None = None, **other: Any) -> NightOverview:
    return NightOverview(
        **{
            "run": run(number),
            "attempts": 1,
            "statuses": {Status.PASSED: 8, Status.TIMEOUT: 1, Status.NOT_RUN: 2},
            "held": Held(passed=8, timed_out=2, within_literal=6, within_limit=8),
            "outcome": outcome,
            **other,
        }
    )


def ended(name: str = "published", detail: str = "pull request #12") -> TaskOutcome:
    return TaskOutcome("nightly:7:101:1", RepositoryId(7), TaskKind.NIGHTLY, name, DAY, RunId(101), 1, detail)


def publication(number: int = 12) -> Publication:
    return Publication(RepositoryId(7), BASE, "recalibrate/main", "main", BASE, "d", DAY, pull_request=number)


def partitions() -> SuitePartitions:
    members = ((TestPath("a"),), (TestPath("b"),))
    before = PartitionLoad((900.0, 300.0), members, (800.0, 200.0))
    after = PartitionLoad((600.0, 600.0), members, (500.0, 500.0))
    return SuitePartitions(KEY.suite, KEY.backend, 2, before, after, RunId(101))


def repository_view(**other: Any) -> RepositoryView:
    """A repository about which nothing is known yet."""
    return RepositoryView(
        **{
            "repository": REPOSITORY,
            "state": RepositoryState(),
            "server": SERVER,
            "asked": RepositoryAsked(),
            "pulls": (),
            "nights": Listed(()),
            "plotted": (),
            "edits": Listed(()),
            "tests": Listed(()),
            "outcomes": (),
            **other,
        }
    )


def full_view(**other: Any) -> RepositoryView:
    """A repository with something in every part."""
    nights = (night(2, ended()), night(1))
    return repository_view(
        **{
            "pulls": (publication(),),
            "nights": Listed(nights),
            "plotted": nights,
            "edits": Listed((PullRequestEdits(publication(), 3, 1),)),
            "outcomes": (ended(),),
            "head": HEAD,
            "off": Listed((proposal(), keep())),
            "counts": {"raise": 1, "keep": 1, "off": 2},
            "evaluation": Evaluation("zoo/engine", "main", BASE, PolicyStamp("default"), partitions=(partitions(),)),
            **other,
        }
    )
