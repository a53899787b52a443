"""A killed test explained by the service, whose logs are gone by then; and matrices."""

from __future__ import annotations

import json
import re

from bot.sandbox.people import Contributor
from tests.sandbox.service import Case, Rig
from tests.sandbox.talking import Talking
from tests.stages.conftest import LookAlike, look  # noqa: F401 - the fixture
from tests.stages.test_local_explained import GLM51, GLM52

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


def reader(case: Case) -> Contributor:
    """Somebody who may read and no more."""
    case.repo.roles["rita"] = "read"
    return Contributor(case.rig.world, case.repo, case.rig.world.account("rita"))


def test_matrix_answers_with_every_split_from_what_was_kept_of_the_logs(service_rig: Rig, look: LookAlike) -> None:  # noqa: F811 - the fixture
    """Two nights told to the service; a reader asks how the two GLM5 files could share their configurations."""
    case = service_rig.case(look.repository, "halves")
    case.person().push("main", case.git("rev-parse", "facts-98eec31").strip())
    for name in ("A", "B"):
        run_id = int(json.loads((look.runs / name / "api" / "run.json").read_text(encoding="utf-8"))["id"])
        case.add_runs(look.runs / name)
        for attempt in case.repo.runs[run_id].values():
            attempt.run["event"] = "schedule"
        case.nightly(run_id)
    talk = Talking(case)
    number = talk.issue()
    refs = case.git("for-each-ref")
    answered = talk.say(number, f"/recalibrate matrix {GLM51} {GLM52} --policy strict", reader(case))
    assert answered.ended.outcome == "answered"
    told = answered.answer
    rows = (line for line in told.splitlines() if re.match(r"\| \d ", line))
    splits = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rows]
    assert [(row[2], row[3], row[5], row[6], row[7]) for row in splits] == [
        ("837 s", "1100", "925 s", "1200", "1894 s"),
        ("985 s", "1300", "894 s", "1200", "1777 s"),
    ]
    assert "Each cell then runs in one of the two files only" in told
    assert case.git("for-each-ref") == refs
    refused = talk.say(number, f"/recalibrate matrix {GLM51} tests/no_such.py", reader(case))
    assert (refused.ended.outcome, refused.ended.detail) == ("misunderstood", "no_matrix")
    assert "`tests/no_such.py`: no file of the base that carries a registration." in refused.answer
