"""Blanks are filled where the other side leaves one answer; two answers leave them as they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import (
    Backend,
    BlobSha,
    Job,
    JobEvidence,
    JobId,
    JobLog,
    LogState,
    Plan,
    PlannedFile,
    Registration,
    RegistrationKey,
    RejectionReason,
    RunEvidence,
    ScheduledFile,
    SourceRegistrations,
    Status,
    Suite,
    TestPath,
)
from bot.evidence.anchoring import same_literal, with_backends, with_homes
from bot.evidence.registry import registry
from tests.unit.evidence.tiny_logs import HEAD, OTTER, RUN

PATH = TestPath(OTTER)


def source(*places: tuple[str, str]) -> SourceRegistrations:
    calls = tuple(
        Registration(RegistrationKey(PATH, Backend(backend), Suite(suite)), BlobSha("b" * 40), n, 1, 1, 1, 60.0, "60")
        for n, (backend, suite) in enumerate(places)
    )
    return SourceRegistrations(TestPath("times.yaml"), BlobSha("b" * 40), calls)


def evidence(*places: tuple[str, str]) -> RunEvidence:
    jobs = []
    for number, (backend, suite) in enumerate(places, start=1):
        row = ScheduledFile(
            RUN.run_id, 1, HEAD, JobId(number), "j", Suite(suite), Backend(backend), 0, 1, 0, PATH,
            Status.PASSED, 5, 9.0, 1,
        )  # fmt: skip
        plan = Plan(Suite(suite), Backend(backend), 0, 1, 1, (PlannedFile(PATH, 9.0, 1),))
        log = JobLog(Job(JobId(number), "j", 1, "success"), LogState.PRESENT)
        jobs.append(JobEvidence(log, plan=plan, rows=(row,)))
    return RunEvidence(RUN, tuple(jobs))


def homes(written: tuple[str, str], *seen: tuple[str, str]) -> tuple[str, str]:
    ((one,),) = [x.registrations for x in with_homes([source(written)], [evidence(*seen)])]
    return one.key.backend, one.key.suite


@pytest.mark.parametrize(
    ("written", "seen", "home"),
    [
        (("", ""), [("npu", "one")], ("npu", "one")),
        (("", ""), [("npu", "one"), ("npu", "one")], ("npu", "one")),
        (("", ""), [("npu", "one"), ("npu", "two")], ("", "")),
        (("", ""), [], ("", "")),
        (("", "two"), [("npu", "one"), ("npu", "two")], ("npu", "two")),
        (("npu", ""), [("cuda", "one"), ("npu", "one")], ("npu", "one")),
        (("", "two"), [("npu", "one")], ("", "two")),
        (("cuda", "one"), [("npu", "two")], ("cuda", "one")),
    ],
)
def test_a_registration_is_at_home_where_all_logs_that_fit_it_agree(
    written: tuple[str, str], seen: list[tuple[str, str]], home: tuple[str, str]
) -> None:
    assert homes(written, *seen) == home


def test_a_pass_of_one_of_several_suites_is_rejected_by_name_and_told_to_the_value_it_would_change() -> None:
    known = registry(with_homes([source(("", ""))], [evidence(("npu", "one"), ("npu", "two"))]))
    key = RegistrationKey(PATH, Backend("npu"), Suite("one"))
    assert known.refusal(key) is RejectionReason.SEVERAL_SUITES
    assert known.nearest(key) == RegistrationKey(PATH, Backend(""), Suite(""))
    elsewhere = replace(key, path=TestPath("other.py"))
    assert (known.refusal(elsewhere), known.nearest(elsewhere)) == (RejectionReason.NO_REGISTRATION, None)


@pytest.mark.parametrize(
    ("calls", "backend"),
    [
        ([("cuda", "one")], "cuda"),
        ([("cuda", "one"), ("amd", "two")], "cuda"),
        ([("cuda", "one"), ("amd", "one")], ""),
        ([("npu", "")], "npu"),
        ([("cuda", "two")], ""),
        ([], ""),
    ],
)
def test_a_row_without_a_backend_has_that_of_the_one_registration_that_fits(
    calls: list[tuple[str, str]], backend: str
) -> None:
    (run,) = with_backends([evidence(("", "one"))], [source(*calls)])
    assert run.rows[0].backend == backend
    assert run.jobs[0].plan is not None
    assert run.jobs[0].plan.backend == backend


def test_evidence_that_names_everything_is_not_touched() -> None:
    held = (evidence(("cuda", "one")),)
    assert with_backends(held, [source(("amd", "one"))]) == held


def test_a_blank_in_the_file_matches_any_value_and_a_name_only_itself() -> None:
    key = RegistrationKey(PATH, Backend("npu"), Suite("one"))
    assert same_literal(key, RegistrationKey(PATH, Backend(""), Suite("")))
    assert same_literal(key, key)
    assert not same_literal(key, RegistrationKey(PATH, Backend(""), Suite("two")))
    assert not same_literal(key, RegistrationKey(TestPath(f"{OTTER}::a"), Backend(""), Suite("")))
