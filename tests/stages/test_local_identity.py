"""Runs that measured something else than the base holds: they are shown, and lead to no edit."""

from __future__ import annotations

import pytest

from tests.stages.conftest import Road


@pytest.mark.parametrize("policy", ["strict", "default"])
@pytest.mark.parametrize(
    ("run", "base", "passes", "reason"),
    [
        pytest.param("C", "9fc8571", 82, "tested_sha_differs", id="release-branch-tested-under-the-head-of-main"),
        pytest.param("D", "2513816", 28, "tested_sha_differs", id="merge-commit-of-a-pull-request"),
        pytest.param("D", "aac9d62", 28, "head_not_in_base", id="head-of-a-pull-request-that-the-base-lacks"),
        pytest.param("F3", "98eec31", 73, "head_not_in_base", id="nightly-younger-than-the-base"),
    ],
)
def test_a_run_of_another_commit_is_reported_and_changes_nothing(
    road: Road, *, policy: str, run: str, base: str, passes: int, reason: str
) -> None:
    outcome = road(base, policy, run)
    passed = [row for row in outcome.rows if row["status"] == "passed"]
    assert len(passed) == passes
    for row in passed:
        assert f"unused:{reason}" in row["note"].split("; "), row
        assert row["proposed_est_s"] == ""
    assert {row["action"] for row in passed} <= {"report_only", "skip"}
    assert "report_only" in {row["action"] for row in passed}
    assert outcome.written("changes.patch") == b""
    assert outcome.report.startswith(f"**No literal is changed: none of the passes could be used ({passes}).**")
    assert "no literal is changed" in outcome.stdout


def test_such_a_run_adds_nothing_to_the_nights_it_is_given_with(road: Road) -> None:
    """Run D measured some of the same files; with it or without it the same edits follow."""
    with_it, without = road("aac9d62", "strict", "A", "B", "D"), road("aac9d62", "strict", "A", "B")
    assert with_it.written("changes.patch") == without.written("changes.patch") != b""


def test_what_the_jobs_checked_out_stands_in_the_table_of_runs(road: Road) -> None:
    assert "another commit: 10 jobs |" in road("9fc8571", "strict", "C").report
    assert "the head: 10 jobs |" in road("98eec31", "strict", "A").report
