"""A nightly where imports count: what the tests import is compared in batches, and named where it is another one."""

from __future__ import annotations

from bot.sandbox.generator import Generated
from tests.sandbox.service import CONFIG, EVIDENCE, Case, Rig
from tests.sandbox.test_service_calls import FIRST, over_jobs

REGISTER = "tests/ci/ci_register.py"  # every generated test imports it
ON = f'{CONFIG}estimate: {{material: "off"}}\nidentity:\n  imports: ["tests/**"]\n'


def table(case: Case) -> str:
    """The only evidence table on the branch."""
    (path,) = [
        one for one in case.git("ls-tree", "-r", "--name-only", EVIDENCE).split() if one.endswith("evidence.csv")
    ]
    return case.file(EVIDENCE, path).decode()


def test_an_import_that_changed_since_the_nights_takes_their_passes_away_by_name(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "imports")
    case.configure(ON)
    mark = len(case.rig.world.journal)
    assert case.nightly(runs[0]).outcome == "published"
    assert over_jobs(case, runs[0], mark) == FIRST + 1  # one batch holds whatever the tests import
    assert f": `{REGISTER}`." in str(case.pull.body)
    assert "import_changed" not in table(case)
    case.person().commit("main", {REGISTER: b"def register_cuda_ci(*a, **k): pass\n"})
    assert case.nightly(runs[1]).outcome == "withdrawn"
    (check,) = [one for one in case.repo.checks.values() if one.head_sha == case.evidence(runs[1])[0].run.head_sha]
    assert f"a file that the test imports or launches is another one: `{REGISTER}` changed" in str(check.summary)
    assert any(f"is another one: {REGISTER} changed" in note["message"] for note in check.annotations)
