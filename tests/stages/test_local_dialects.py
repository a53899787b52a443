"""A repository of each dialect on the command-line road: two nights in, the right literals and nothing else out."""

from __future__ import annotations

from pathlib import Path

from tests.stages.dialect_world import ROOT, World, block, log, older, world
from tests.stages.road import Outcome, git, local

NEWER = """\
from ci import register_amd_ci, register_cuda_ci

register_cuda_ci(est_time=400, stage="base-b", runner_config="1-gpu-large")  # one card
register_amd_ci(est_time=400, suite="stage-b-amd")
"""
BUNDLED = 'register_cuda_ci(est_time=90, stage="base-b", runner_config="1-gpu-large", in_process_group="fast")\n'
OTTER, NEWT, EMU = "test/zoo/test_otter.py", "test/zoo/test_newt.py", "test/zoo/test_emu.py"
SUITE = "base-b-test-1-gpu-large"
TIMES = """\
# seconds a file
estimated_times:
  test/zoo/test_otter.py: 600   # cold cache

  # beta machines below
  'test/zoo/test_newt.py': 300
  test/zoo/test_newt.py::test_egg: 200
  test/zoo/test_gone.py: 40
other: 1
"""
LISTS = """\
lane-one:
- name: test/zoo/test_otter.py
  estimated_time: 66  # warm
lane-two:
- {name: test/zoo/test_otter.py, estimated_time: 66}
- {name: test/zoo/test_newt.py, estimated_time: 0, is_skipped: true}
"""


def strict(here: World, nights: list[Path], tmp_path: Path, *more: str) -> Outcome:
    done = local(here.repository, "main", nights, tmp_path / "out", "--policy", "strict", *more)
    assert done.status == 0, done.stderr
    return done


def patched(here: World, done: Outcome, path: str) -> bytes:
    """The file after `git apply` of the patch."""
    git(here.repository, "apply", str(done.out / "changes.patch"))
    return (here.repository / path).read_bytes()


def test_newer_calls_and_the_older_runner(tmp_path: Path) -> None:
    here = world(tmp_path, {OTTER: NEWER, NEWT: BUNDLED, EMU: 'register_xpu_ci(5, "lane-x")\n'})
    files = {f"{ROOT}/{OTTER}": (400.0, 520), f"{ROOT}/{NEWT}": (90.0, 50)}
    cuda = log(*here.checkout(), *older("CUDA", SUITE, files))
    nights = [here.night(n, {"base-b / run": cuda}) for n in (1, 2)]
    done = strict(here, nights, tmp_path)
    assert done.proposed() == {OTTER: ("400", "700")}
    assert patched(here, done, OTTER).decode() == NEWER.replace("400, stage", "700, stage")
    assert f"`{NEWT}:1`: measured as a bundle" in done.report
    assert "unmatched: 2 of 4 active ones" in done.report
    assert "Unmatched: 2 of 4 active registrations" in done.stdout


def test_evidence_from_a_stage_that_is_not_the_home_suite_is_not_used(tmp_path: Path) -> None:
    call = 'register_cuda_ci(est_time=400, suite="lane-h200", labels=["a"], hardware=["hopper", "blackwell"])\n'
    here = world(tmp_path, {OTTER: call})
    away = log(*here.checkout(), *older("CUDA", "lane-b200", {OTTER: (400.0, 100)}))
    done = strict(here, [here.night(1, {"lane-b200 / run": away})], tmp_path)
    assert [(row["action"], row["note"]) for row in done.rows] == [("skip", "unused:away_from_home")]
    assert "ran on other hardware than its home suite: 1" in done.report.lower()
    assert done.patched == []


def test_a_structured_block_wins_over_the_records_around_it(tmp_path: Path) -> None:
    here = world(tmp_path, {OTTER: NEWER})
    lines = [*here.checkout(), *older("CUDA", SUITE, {OTTER: (400.0, 999)}), *block({OTTER: 520})]
    done = strict(here, [here.night(n, {"base-b / run": log(*lines)}) for n in (1, 2)], tmp_path)
    assert done.proposed() == {OTTER: ("400", "700")}
    cut = [*lines[:-1]]
    broken = strict(here, [here.night(3, {"base-b / run": log(*cut)})], tmp_path)
    assert (broken.proposed(), [row["status"] for row in broken.rows]) == ({}, ["unknown"])
    assert "markers of a timing block without a block that can be read" in broken.report


def test_configured_markers_and_a_log_without_a_plan(tmp_path: Path) -> None:
    config = 'version: 1\nlogs: {dialects: [structured_block], block: {begin: "ci times", end: "ci end"}}\n'
    here = world(tmp_path, {OTTER: NEWER, ".github/recalibrate.yml": config})
    lines = block({OTTER: 520}, "ci times", "ci end")
    done = strict(here, [here.night(n, {f"{SUITE} / run": log(*lines)}) for n in (1, 2)], tmp_path)
    assert done.proposed() == {OTTER: ("400", "700")}
    assert {row["backend"] for row in done.rows} == {"cuda"}  # the one whose registration the suite fits


def test_a_yaml_mapping_changes_one_value_and_keeps_the_rest(tmp_path: Path) -> None:
    config = "version: 1\nregistrations: {yaml: [{file: ci/times.yaml, key: estimated_times}]}\n"
    here = world(
        tmp_path, {OTTER: "x = 1\n", NEWT: "x = 2\n", "ci/times.yaml": TIMES, ".github/recalibrate.yml": config}
    )
    ran = {OTTER: (600.0, 520), f"{NEWT}::test_egg": (200.0, 1900)}
    night = log(*here.checkout(), *older("NPU", "one-card", ran))
    done = strict(here, [here.night(n, {"one-card / run": night}) for n in (1, 2)], tmp_path)
    assert done.proposed() == {OTTER: ("600", "700"), f"{NEWT}::test_egg": ("200", "2400")}
    after = TIMES.replace("600", "700").replace("::test_egg: 200", "::test_egg: 2400")
    assert patched(here, done, "ci/times.yaml").decode() == after
    assert "`ci/times.yaml:8`: the test file is gone" in done.report
    assert {row["suite"] for row in done.rows} == {"one-card"}


def test_a_yaml_value_that_stands_for_two_suites_is_not_touched(tmp_path: Path) -> None:
    config = "version: 1\nregistrations: {yaml: [{file: ci/times.yaml, key: estimated_times}]}\n"
    here = world(tmp_path, {OTTER: "x = 1\n", "ci/times.yaml": TIMES, ".github/recalibrate.yml": config})
    jobs = {f"{suite} / run": log(*older("NPU", suite, {OTTER: (600.0, 520)})) for suite in ("one-card", "two-card")}
    done = strict(here, [here.night(1, jobs)], tmp_path)
    assert {row["note"] for row in done.rows} == {"unused:several_suites"}
    named = "version: 1\nregistrations: {yaml: [{file: ci/times.yaml, key: estimated_times, suite: two-card}]}\n"
    (tmp_path / "named.yml").write_text(named, encoding="utf-8")
    chosen = strict(here, [here.night(2, jobs)], tmp_path, "--config", str(tmp_path / "named.yml"))
    assert [(row["suite"], row["action"]) for row in chosen.rows] == [("one-card", "skip"), ("two-card", "raise")]


def test_yaml_lists_have_their_key_for_a_suite(tmp_path: Path) -> None:
    config = 'version: 1\nregistrations: {yaml: [{file: ci/config.yaml, list: "lane-*"}]}\n'
    here = world(tmp_path, {OTTER: "x = 1\n", NEWT: "x\n", "ci/config.yaml": LISTS, ".github/recalibrate.yml": config})
    night = log(*here.checkout(), *older("NPU", "lane-two", {f"{ROOT}/{OTTER}": (66.0, 160)}))
    done = strict(here, [here.night(n, {"lane-two / run": night}) for n in (1, 2)], tmp_path)
    assert done.proposed() == {OTTER: ("66", "200")}
    after = LISTS.replace("estimated_time: 66}", "estimated_time: 200}")
    assert patched(here, done, "ci/config.yaml").decode() == after
    assert "unmatched: 1 of 2 active ones" in done.report


def test_a_configured_file_below_github_is_reported_and_never_written(tmp_path: Path) -> None:
    where = ".github/workflows/scripts/times.yaml"
    config = f"version: 1\nregistrations: {{yaml: [{{file: {where}, key: estimated_times}}]}}\n"
    here = world(tmp_path, {OTTER: "x = 1\n", where: TIMES, ".github/recalibrate.yml": config})
    done = strict(here, [here.night(1, {"one / run": log(*older("NPU", "one", {OTTER: (600.0, 520)}))})], tmp_path)
    assert done.patched == []
    assert f"`{where}:3`: below .github, which is never written" in done.report


def test_an_implicit_file_has_nothing_to_edit(tmp_path: Path) -> None:
    here = world(tmp_path, {OTTER: NEWER, "tests/fast/zoo/test_newt.py": "def test_a(): pass\n"})
    path = "tests/fast/zoo/test_newt.py"
    rule = "=" * 60
    lines = [
        "Hardware: CUDA  Suite: zoo-cpu  Cadence: nightly  Partition: full",
        "Enabled 1 test(s) (est total 1s):",
        f"  - {path} (est_time=1.0s) [implicit]",
        "Begin (0/0):",
        "End (0/0):",
        f"filename='{path}', elapsed=40, _estimated_time=1.0",
        f"[1/1] {path}  PASS  elapsed=40s",
        rule,
        "Test Summary: 1/1 passed",
        rule,
        "PASSED:",
        f"  {path}",
        rule,
    ]
    done = strict(here, [here.night(1, {"zoo-cpu / run": log(*lines)})], tmp_path)
    assert [(row["status"], row["note"]) for row in done.rows] == [("passed", "unused:implicit")]
    assert "Implicit: 1 planned files without a registration of their own; nothing to edit." in done.report
    assert done.patched == []


def test_a_path_that_no_checkout_explains_is_named(tmp_path: Path) -> None:
    here = world(tmp_path, {OTTER: NEWER})
    night = log(*older("CUDA", SUITE, {f"/elsewhere/{OTTER}": (400.0, 520)}))
    done = strict(here, [here.night(1, {"base-b / run": night})], tmp_path)
    assert [row["note"] for row in done.rows] == ["unused:path_not_relative"]
    config = "version: 1\nlogs: {roots: [/elsewhere]}\n"
    (tmp_path / "roots.yml").write_text(config, encoding="utf-8")
    told = strict(here, [here.night(2, {"base-b / run": night})], tmp_path, "--config", str(tmp_path / "roots.yml"))
    assert told.proposed() == {OTTER: ("400", "700")}


def _hosted(tmp_path: Path, config: str) -> tuple[World, Path]:
    """A repository whose nightly runs in zoo/ci, and one such night: the run's head is no commit of ours."""
    here = world(tmp_path, {OTTER: NEWER, ".github/recalibrate.yml": config})
    git(here.repository, "remote", "add", "origin", "https://github.com/zoo/park")
    own = here.checkout(directory=f"{ROOT}/park")
    theirs = here.checkout("e" * 40, "zoo/ci")
    run = log(*theirs, *own, *older("CUDA", SUITE, {f"{ROOT}/park/{OTTER}": (400.0, 520)}))
    stray = log(*theirs, *older("CUDA", SUITE, {OTTER: (400.0, 900)}))
    return here, here.night(1, {"base-b (0) / run": run, "base-b (1) / run": stray}, "zoo/ci", "e" * 40)


def test_a_nightly_of_another_repository_counts_where_both_sides_say_so(tmp_path: Path) -> None:
    here, night = _hosted(tmp_path, "version: 1\nevidence: {from: [zoo/ci]}\n")
    (tmp_path / "host.yml").write_text("version: 1\nevidence: {for: [Zoo/Park]}\n", encoding="utf-8")
    done = strict(here, [night], tmp_path, "--host-config", str(tmp_path / "host.yml"))
    assert done.proposed() == {OTTER: ("400", "700")}
    assert [(row["head_sha"], row["note"]) for row in done.rows] == [(here.head, ""), ("", "unused:no_own_checkout")]
    assert f"--host-config {tmp_path / 'host.yml'}" in done.report


def test_one_word_alone_is_not_enough(tmp_path: Path) -> None:
    here, night = _hosted(tmp_path, "version: 1\nevidence: {from: [zoo/ci]}\n")
    (tmp_path / "host.yml").write_text("version: 1\n", encoding="utf-8")
    (tmp_path / "deaf.yml").write_text("version: 1\n", encoding="utf-8")
    for more, said in (
        ([], "give its .github/recalibrate.yml with --host-config"),
        (["--host-config", str(tmp_path / "host.yml")], "must list this repository under evidence.for"),
        (["--host-config", str(tmp_path / "none.yml")], "cannot be read"),
        (["--config", str(tmp_path / "deaf.yml")], "no remote of"),
    ):
        done = local(here.repository, "main", [night], tmp_path / "out", *more)
        assert done.status == 2
        assert said in done.stderr
