"""Evidence of another repository's nightly: both say so, and the own checkout is what was tested."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain import JobEvidence, RejectionReason, Run, Status
from bot.evidence.classify import classify
from bot.evidence.foreign import Disagreement, Side, disagreement, measuring
from bot.repo_config.nights import Evidence
from tests.unit.evidence import test_samples as samples
from tests.unit.evidence.tiny_logs import HEAD, OTTER, RUN, parsed, passing, plan, stamped, summary

OWN = "d" * 40
TAKING, GIVING = Evidence(from_=("zoo/CI",)), Evidence(for_=("Zoo/park",))
FOREIGN = measuring(replace(RUN, repository="zoo/ci"), "zoo/park")


@pytest.mark.parametrize(
    ("taking", "giving", "why"),
    [
        (TAKING, GIVING, None),
        (Evidence(), GIVING, Disagreement.NOT_TAKEN),
        (None, GIVING, Disagreement.NOT_TAKEN),
        (TAKING, Evidence(), Disagreement.NOT_GIVEN),
        (TAKING, Evidence(for_=("zoo/other",)), Disagreement.NOT_GIVEN),
        (TAKING, None, Disagreement.UNKNOWN),
        (Evidence(for_=("zoo/ci",)), GIVING, Disagreement.NOT_TAKEN),
    ],
)
def test_both_sides_must_name_the_other(
    taking: Evidence | None, giving: Evidence | None, why: Disagreement | None
) -> None:
    assert disagreement(Side("zoo/park", taking), Side("zoo/ci", giving)) is why


def test_only_a_run_of_another_repository_measures_one() -> None:
    assert measuring(RUN, "Zoo/Park") == RUN
    assert FOREIGN.measures == "zoo/park"


def _checkout(repository: str, sha: str) -> list[str]:
    return [
        "##[group]Run actions/checkout@v4",
        f"Syncing repository: {repository}",
        f"[command]/usr/bin/git fetch origin +{sha}:refs/remotes/origin/main",
    ]


def _job(*checkouts: list[str], run: Run = FOREIGN) -> JobEvidence:
    lines = [line for one in checkouts for line in one]
    log = stamped([*lines, "##[group]Run x", *plan((OTTER, 400.0)), *passing(0, 1, OTTER, 310), *summary([OTTER])])
    return classify(run, samples._evidence(samples._row()).jobs[0].log, parsed(log))


def test_a_row_speaks_for_the_commit_that_its_own_checkout_fetched() -> None:
    job = _job(_checkout("zoo/ci", HEAD), _checkout("zoo/park", OWN))
    assert (job.tested_sha, job.rows[0].head_sha, job.rows[0].status) == (OWN, OWN, Status.PASSED)


def test_without_a_checkout_that_names_the_repository_nothing_is_known() -> None:
    unnamed = ["##[group]Run actions/checkout@v4", f"[command]/usr/bin/git fetch origin +{OWN}:refs/heads/x"]
    for checkouts in ([], [_checkout("zoo/ci", HEAD)], [unnamed]):
        job = _job(*checkouts)
        assert (job.tested_sha, job.rows[0].head_sha) == (None, "")


def test_an_own_run_is_judged_by_its_head_as_ever() -> None:
    assert _job(_checkout("zoo/park", OWN), run=RUN).rows[0].head_sha == HEAD


def test_the_own_checkout_must_be_in_the_base_and_the_runs_head_need_not() -> None:
    row = replace(samples._row(), head_sha=HEAD)
    foreign = replace(FOREIGN, head_sha="e" * 40)
    known = samples._base(samples.ACTIVE)
    assert samples._only(samples._evidence(row, foreign, tested_sha=HEAD), known).row == row
    assert not hasattr(samples._only(samples._evidence(row, foreign, tested_sha=HEAD), known), "reason")
    none = replace(row, head_sha="")
    assert samples._reason(samples._evidence(none, foreign), known) is RejectionReason.NO_OWN_CHECKOUT
    other = replace(row, head_sha=OWN)
    assert samples._reason(samples._evidence(other, foreign), known) is RejectionReason.HEAD_NOT_IN_BASE
