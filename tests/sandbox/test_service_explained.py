"""A killed test explained by the service, which has removed the logs by the time it writes a check run."""

from __future__ import annotations

import json

import pytest

from tests.sandbox.service import Rig
from tests.stages.conftest import LookAlike, look  # noqa: F401 - the fixture

pytestmark = pytest.mark.xdist_group("engine")  # one durable engine a process

HISTORY = "/repos/{owner}/{repo}/commits"


def test_a_timeout_is_explained_from_what_was_kept_of_its_log(service_rig: Rig, look: LookAlike) -> None:  # noqa: F811 - the fixture
    """Run C, told to the service as a nightly: 44 of 60 rollouts, and who touched the file last."""
    case = service_rig.case(look.repository, "explained")
    run_id = int(json.loads((look.runs / "C" / "api" / "run.json").read_text(encoding="utf-8"))["id"])
    case.add_runs(look.runs / "C")
    case.repo.runs[run_id][1].run["event"] = "schedule"
    case.person().push("main", case.git("rev-parse", "facts-9fc8571").strip())
    mark = len(case.rig.world.journal)
    case.nightly(run_id)
    (check,) = [it for it in case.repo.checks.values() if it.name == "recalibrate / nightly"]
    summary = str(check.summary)
    assert "### At the limit (1)" in summary
    assert "reached `rollout` 44 of 60, 85.2 s each: finishing needs about 5110 s" in summary
    assert "`dynamic batching` `off`, `num_microbatches_per_rank` `128`" in summary
    assert "Commits that touched it last: `" in summary
    assert "`state of 9fc8571`" in summary
    assert case.calls(mark)[f"GET {HISTORY}"] == 1  # it never passed: one question
