"""A nightly where imports count: what the tests import is compared in batches, and named where it is another one."""

from __future__ import annotations

from bot.sandbox.generator import Generated
from tests.sandbox.service import CONFIG, EVIDENCE, Case, Rig
from tests.sandbox.test_service_calls import AGAIN, FIRST, SECOND, over_jobs

REGISTER = "tests/ci/ci_register.py"  # every generated test imports it
ON = f'{CONFIG}estimate: {{material: "off"}}\nidentity:\n  imports: ["tests/**"]\n'


def table(case: Case) -> str:
    """The only evidence table on the branch."""
    (path,) = [
        one for one in case.git("ls-tree", "-r", "--name-only", EVIDENCE).split() if one.endswith("evidence.csv")
    ]
    return case.file(EVIDENCE, path).decode()


def test_what_tests_import_costs_one_request_the_first_time_and_none_where_nothing_is_new(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "imports-calls")
    case.configure(ON)
    journal, cost = case.rig.world.journal, []
    for night in (lambda: case.nightly(runs[0]), lambda: case.nightly(runs[1]), lambda: case.again(runs[1])):
        mark = len(journal)
        night()
        cost.append(over_jobs(case, runs[1] if cost else runs[0], mark))
    assert cost == [FIRST + 1, SECOND, AGAIN]


def test_an_import_that_changed_since_the_nights_takes_their_passes_away_by_name(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "imports")
    case.configure(ON)
    assert case.nightly(runs[0]).outcome == "published"
    assert f": `{REGISTER}`." in str(case.pull.body)
    assert "import_changed" not in table(case)
    case.person().commit("main", {REGISTER: b"def register_cuda_ci(*a, **k): pass\n"})
    assert case.nightly(runs[1]).outcome == "withdrawn"
    (check,) = [one for one in case.repo.checks.values() if one.head_sha == case.evidence(runs[1])[0].run.head_sha]
    assert f"a file that the test imports or launches is another one: `{REGISTER}` changed" in str(check.summary)
    assert any(f"is another one: {REGISTER} changed" in note["message"] for note in check.annotations)
