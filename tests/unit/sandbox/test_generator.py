"""The generated repository and nights: repeatable, true to their own manifest, complete by GitHub's schema."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bot.cli.local import LocalOptions, local
from bot.domain import Proposal
from bot.errors import UserError
from bot.evidence.artifacts import ArtifactSource
from bot.evidence.assemble import read_job
from bot.evidence.collect import collect
from bot.sandbox.generator import Generate, Generated, GeneratedRun, PlannedRow, generate
from bot.sandbox.generator.generate import main
from bot.sandbox.generator.job import limit_s
from bot.sandbox.generator.packing import pack
from bot.sandbox.generator.story import STORY, SUITES
from bot.sandbox.scenario import load
from tests.sandbox.github_schema import model, problems


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("made"))


def _digests(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _git(repository: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", str(repository), *args], check=True, capture_output=True, text=True).stdout


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_same_parameters_give_the_same_bytes_and_commits(made: Generated, tmp_path: Path) -> None:
    again = generate(tmp_path / "elsewhere")
    assert again.base == made.base
    assert _digests(tmp_path / "elsewhere") == _digests(made.repository.parent)


def test_another_seed_gives_other_logs_of_the_same_measurements(made: Generated, tmp_path: Path) -> None:
    other = generate(tmp_path, Generate(seed=2))
    assert other.base == made.base
    for ours, theirs in zip(made.runs, other.runs, strict=True):
        assert ours.run_id != theirs.run_id
        measured = [(row.path, row.status, row.elapsed_s) for row in ours.rows]
        assert measured == [(row.path, row.status, row.elapsed_s) for row in theirs.rows]


def test_the_machines_own_git_settings_change_nothing(
    made: Generated, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[core]\n\tautocrlf = true\n[init]\n\tdefaultBranch = trunk\n[user]\n\tname = Else\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    assert generate(tmp_path / "made").base == made.base


def test_every_head_is_an_ancestor_of_the_base_and_the_work_tree_is_clean(made: Generated) -> None:
    for run in made.runs:
        _git(made.repository, "merge-base", "--is-ancestor", run.head_sha, made.base)
    assert _git(made.repository, "status", "--porcelain") == ""
    assert _git(made.repository, "rev-parse", "main").strip() == made.base


def test_one_file_keeps_its_crlf_and_one_changes_between_the_nights(made: Generated) -> None:
    first, second = (run.head_sha for run in made.runs)
    changed = _git(made.repository, "diff", "--name-only", first, second, "--", "tests").split()
    assert changed == ["tests/e2e/train/test_optimizer_offload.py"]
    crlf = [path for path in made.repository.rglob("test_*.py") if b"\r\n" in path.read_bytes()]
    assert [path.name for path in crlf] == ["test_streaming_client.py"]


def test_every_source_is_python_and_says_what_it_registers(made: Generated) -> None:
    for test in STORY.tests:
        tree = ast.parse((made.repository / test.path).read_bytes())
        calls = [node for node in tree.body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
        assert len(calls) == 1 + bool(test.disabled), test.path


def test_the_manifest_tells_each_logs_true_size_and_lines(made: Generated) -> None:
    for run in made.runs:
        manifest = _json(run.directory / "attempt-1" / "manifest.json")
        for job in manifest["jobs"]:
            if not job["log_complete"]:
                assert (job["conclusion"], job["log_path"]) == ("skipped", None)
                continue
            inside = job["log_path"].removeprefix(manifest["artifact_dir"] + "/")
            raw = (run.directory / "attempt-1" / inside).read_bytes()
            assert (job["bytes"], job["line_count"]) == (len(raw), raw.count(b"\n"))


def test_artifact_and_rest_answers_name_the_same_run_and_jobs(made: Generated) -> None:
    for run in made.runs:
        manifest, view = (_json(run.directory / "attempt-1" / name) for name in ("manifest.json", "run.json"))
        rest, jobs = (_json(run.directory / "api" / name) for name in ("run.json", "attempt-1-jobs.json"))
        assert {manifest["head_sha"], view["headSha"], rest["head_sha"]} == {run.head_sha}
        assert {int(manifest["run_id"]), rest["id"]} == {run.run_id}
        ids = [job["id"] for job in jobs["jobs"]]
        assert ids == [job["job_id"] for job in manifest["jobs"]] == [job["databaseId"] for job in view["jobs"]]
        assert jobs["total_count"] == len(ids) == len(set(ids))
        assert rest["conclusion"] == view["conclusion"] == "failure" if run is made.runs[1] else "success"


def test_logs_open_with_a_byte_order_mark_and_stamp_every_line(made: Generated) -> None:
    for log in made.runs[0].directory.rglob("*.log"):
        raw = log.read_bytes()
        assert raw.startswith(b"\xef\xbb\xbf2026-")
        assert raw.endswith(b"\n")
        stamps = [line[:28] for line in raw.decode("utf-8-sig").splitlines()]
        assert all(len(stamp) == 28 and stamp.endswith("Z") for stamp in stamps)
        assert stamps == sorted(stamps)


def test_a_nightly_of_any_size_has_the_jobs_and_edits_that_were_asked_for(tmp_path: Path) -> None:
    made = generate(tmp_path, Generate(jobs=60, edits=40, files_per_job=1))
    jobs = _json(made.runs[0].directory / "api" / "attempt-1-jobs.json")
    assert jobs["total_count"] == 60
    assert len(made.edits) == 40
    assert all(before != after for before, after in made.edits.values())


def test_later_nights_repeat_the_last_pass(tmp_path: Path) -> None:
    made = generate(tmp_path, Generate(nights=3))
    assert len(made.runs) == 3
    assert {row.status for row in made.runs[2].rows} == {"passed"}


@pytest.mark.parametrize(
    "size",
    [{"jobs": 2}, {"edits": 0}, {"nights": 0}, {"seed": -1}, {"files_per_job": 0}, {"jobs": 7, "edits": 40}],
)
def test_a_size_that_cannot_be_is_refused_with_the_reason(size: dict[str, int]) -> None:
    with pytest.raises(UserError):
        Generate(**size)


def test_what_is_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    with pytest.raises(UserError, match="exists"):
        generate(tmp_path)
    assert main([str(tmp_path)]) == 2
    assert list((tmp_path / "repo").iterdir()) == []


def test_partitions_are_filled_by_the_longest_first(made: Generated) -> None:
    suite = SUITES[-1]
    buckets = pack(STORY.of(suite.name), suite.partitions)
    assert sorted(test.path for bucket in buckets for test in bucket) == [test.path for test in STORY.of(suite.name)]
    loads = [sum(test.est for test in bucket) for bucket in buckets]
    assert max(loads) - min(loads) <= max(test.est for test in STORY.of(suite.name))
    assert buckets[0][0].est == max(test.est for test in STORY.of(suite.name))


def test_a_killed_file_ran_for_its_effective_timeout(made: Generated) -> None:
    killed = [row for run in made.runs for row in run.rows if row.status == "timeout"]
    specs = {test.path: test for test in STORY.tests}
    assert [row.elapsed_s for row in killed] == [limit_s(specs[row.path], SUITES[-1]) for row in killed] == [3000]


def test_rest_answers_hold_githubs_schema_without_a_key_too_many(made: Generated) -> None:
    for run in made.runs:
        rest, jobs = (_json(run.directory / "api" / name) for name in ("run.json", "attempt-1-jobs.json"))
        assert problems(model("WorkflowRun"), rest, "run") == []
        assert problems(model("list[Job]"), jobs["jobs"], "jobs") == []


def _read(run: GeneratedRun) -> tuple[PlannedRow, ...]:
    """What the evidence stage makes of a written night, in the generator's own terms."""
    source = ArtifactSource((run.directory / "attempt-1",))
    (told,) = source.runs
    jobs = [read_job(told, log) for log in asyncio.run(collect(source, told, at_once=1))]
    assert {job.tested_sha for job in jobs if job.plan} == {run.head_sha}
    rows = [row for job in jobs for row in job.rows]
    return tuple(
        PlannedRow(
            job_id=row.job_id,
            path=row.path,
            suite=row.suite,
            partition_id=row.partition_id,
            partition_size=row.partition_size,
            est_s=int(row.logged_est_s),
            status=row.status,
            elapsed_s=row.elapsed_s or 0,
        )
        for row in rows
    )


def test_the_evidence_stage_reads_exactly_what_was_planned(made: Generated) -> None:
    for run in made.runs:
        assert _read(run) == run.rows


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_it_reads_what_was_planned_whatever_the_noise(tmp_path: Path, seed: int) -> None:
    for run in generate(tmp_path, Generate(seed=seed, jobs=9, files_per_job=4)).runs:
        assert _read(run) == run.rows


@pytest.mark.parametrize("size", [Generate(), Generate(jobs=60, edits=40, files_per_job=1)], ids=["story", "fleet"])
def test_the_default_policy_makes_the_edits_that_were_planned(tmp_path: Path, size: Generate) -> None:
    made = generate(tmp_path, size)
    artifacts = tuple(run.directory / "attempt-1" for run in made.runs)
    asked = LocalOptions(made.repository, "main", artifacts, tmp_path / "out")
    evaluation = asyncio.run(local(asked, lambda _line: None))
    proposed = {
        one.registration.key.path: (one.registration.est_time, one.after)
        for one in evaluation.decisions
        if isinstance(one, Proposal)
    }
    assert proposed == made.edits
    assert {edit.path for edit in evaluation.edits} == set(made.edits)
    assert evaluation.base_sha == made.base


def test_the_local_github_takes_the_scenario(made: Generated, tmp_path: Path) -> None:
    scenario = load(made.repository.parent / "scenario.json", tmp_path)
    repository = scenario.world.repo("heron-lab/heron")
    assert repository is not None
    assert repository.git.commit_of("main") == made.base
    assert [plan.run_id for plan in scenario.deliver] == list(repository.runs) == [run.run_id for run in made.runs]
    jobs = [job for attempts in repository.runs.values() for job in attempts[1].jobs]
    assert set(repository.logs) == {job["id"] for job in jobs if job["conclusion"] != "skipped"}
