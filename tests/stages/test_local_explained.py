"""Partitions, limits and matrices on the measured nights: every figure a person may hold us to."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from bot.__main__ import main
from tests.stages.conftest import LookAlike
from tests.stages.road import Outcome, git, local

GLM51 = "tests/e2e/megatron/model_scripts/test_glm5_1_744b_a40b_6layer_lora_ci.py"
GLM52 = "tests/e2e/megatron/model_scripts/test_glm5_2_744b_a40b_5layer_lora_ci.py"
FSDP = "tests/e2e/short/test_qwen3_0.6B_fsdp_colocated_2xGPU.py"
LORA_RULE = """\
version: 1
partitions: {budget_s: 6200}
labels:
  rules:
    - paths: ["tests/e2e/**/*_lora_ci.py"]
      require: [megatron, model-scripts, lora]
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "recalibrate.yml"
    path.write_text(LORA_RULE, encoding="utf-8")
    return path


def command(*words: str) -> tuple[int, str, str]:
    stdout, stderr = io.StringIO(), io.StringIO()
    with redirect_stdout(stdout), redirect_stderr(stderr):
        status = main(words)
    return status, stdout.getvalue(), stderr.getvalue()


def sources(look: LookAlike, base: str, *runs: str) -> list[str]:
    artifacts = [word for attempt in look.attempts(*runs) for word in ("--artifacts", str(attempt))]
    return ["--repo", str(look.repository), "--base", f"facts-{base}", *artifacts]


# --------------------------------------------------------------------------- partitions


@pytest.fixture(scope="module")
def partitions(look: LookAlike, config: Path) -> str:
    asked = sources(look, "98eec31", "A", "B")
    status, told, stderr = command("partitions", *asked, "--policy", "strict", "--config", str(config))
    assert status == 0, stderr
    return told


def test_partitions_are_explained_suite_by_suite(partitions: str) -> None:
    assert (
        "| `stage-c-8-gpu-h100` `cuda` | 2 | 5091, 7223 → 6150, 6164 | 7223 → 6164 s | 1.17 → 1.00 | 2132 → 14 s "
        "| 17056 → 112 | `tests/e2e/megatron/test_qwen3_5_35B_A3B_mtp/test_mtp0_spec_v2.py` 1225 s | 21 | 0 |"
    ) in partitions
    assert 2 * 7223 - (5091 + 7223) == 2132
    assert 2132 * 8 == 17056


def test_ranks_over_the_budget_are_named_and_the_number_that_would_do(partitions: str) -> None:
    assert "- `stage-c-8-gpu-h100`: over the budget of 6200 s: rank 1 → none (ranks from 0).\n" in partitions
    assert "- `stage-c-8-gpu-h200`: over the budget of 6200 s: rank 0, 1" in partitions
    assert re.search(
        r"`stage-c-8-gpu-h200`: 4 ranks would do instead of 2: .* takes [0-9]+ s, within the budget", partitions
    )
    assert (
        "`stage-c-2-gpu-h200`: 1 rank would do instead of 2: at the proposed literals the fullest takes 3555 s"
        in partitions
    )


def test_the_lora_tests_take_8600_s_instead_of_12200_by_five_literals(partitions: str) -> None:
    assert "| `lora` `cuda` | 6 | 5 | 12200 → 8600 s |" in partitions


def test_the_report_and_the_command_say_the_same(
    look: LookAlike, config: Path, partitions: str, tmp_path: Path
) -> None:
    outcome = local(
        look.repository,
        "facts-98eec31",
        look.attempts("A", "B"),
        tmp_path,
        "--policy",
        "strict",
        "--config",
        str(config),
    )
    assert partitions.strip() in outcome.report


# -------------------------------------------------------------------------------- limits


@pytest.fixture(scope="module")
def fsdp(look: LookAlike, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the report of C and D says about the test that C killed; neither run may lead to an edit."""
    outcome = local(look.repository, "facts-2513816", look.attempts("C", "D"), tmp_path_factory.mktemp("out"))
    assert outcome.status == 0
    assert "no literal is changed" in outcome.stdout
    return said_of(outcome, FSDP)


def said_of(outcome: Outcome, path: str) -> str:
    section = outcome.report.partition("### At the limit")[2].partition("\n### ")[0]
    (found,) = [part for part in re.split(r"\n(?=- )", section) if part.startswith(f"- `{path}`")]
    return found


def test_run_c_is_explained_and_run_d_answers_it(fsdp: str) -> None:
    assert "was killed at 3750 s in run " in fsdp
    assert "(literal 3000)" in fsdp
    assert (
        "reached `rollout` 44 of 60, 85.2 s each: finishing needs about 5110 s. A literal of 4100 would allow that"
        in fsdp
    )
    assert "`actor_train` 60.5 s (74%)" in fsdp
    assert "`rollout` 17.9 s (22%)" in fsdp
    launch = "`rollouts` `60`, `global batch` `256`, `dynamic batching` `off`, `num_microbatches_per_rank` `128`"
    assert f"Launched with {launch}." in fsdp


def test_the_answer_says_before_and_after_and_names_2900(fsdp: str) -> None:
    assert "**Answered**: passed after 2295 s in run 31932513930 (3750 → 2295 s; the file changed in between)." in fsdp
    assert "The rule makes **2900** of that pass; nights that confirm it so far: 0, needed: 2." in fsdp
    assert "`dynamic batching` `off` → `on`; `num_microbatches_per_rank` `128` → `4`" in fsdp


def test_the_commits_that_touched_a_killed_test_are_named(fsdp: str) -> None:
    assert "It passed in no run known here. Commits that touched it last:" in fsdp
    assert "`state of 9fc8571`" in fsdp


def test_a_timeout_alone_is_explained_too(look: LookAlike, tmp_path: Path) -> None:
    said = said_of(local(look.repository, "facts-2513816", look.attempts("C"), tmp_path), FSDP)
    assert "needs about 5110 s" in said
    assert "Answered" not in said


def test_the_nights_own_timeouts_have_their_history(look: LookAlike, tmp_path: Path) -> None:
    runs = look.attempts("A", "B", "E", "F1", "F2", "F3")
    outcome = local(look.repository, "facts-d2e3ad9", runs, tmp_path)
    said = said_of(outcome, "tests/e2e/ft/test_trainer_ft_deterministic_dp2_cp2_real_rollout.py")
    assert (
        "Before, newest first: passed after 2278 s in run 30926155662, passed after 2287 s in run 30754322985." in said
    )
    assert "No commit is known that touched it since it last passed (run 30926155662)." in said
    assert "(4000 → 2268 s; the file is the same). The rule makes **2900** of the slowest of 4 such passes" in said


# ------------------------------------------------------------------------------ matrices


def test_the_report_names_the_pair_that_sweeps_the_same_cells(look: LookAlike, tmp_path: Path) -> None:
    report = local(look.repository, "facts-98eec31", look.attempts("B"), tmp_path).report
    assert f"- 4 cells, 1829 s and 1826 s: `recalibrate matrix {GLM51} {GLM52}`.\n" in report


def matrix(look: LookAlike, config: Path, *more: str) -> tuple[int, str, str]:
    asked = sources(look, "98eec31", "A", "B")
    return command("matrix", GLM51, GLM52, *asked, "--policy", "strict", "--config", str(config), *more)


def test_the_public_pairing_and_a_cheaper_one_are_reported(look: LookAlike, config: Path) -> None:
    status, told, stderr = matrix(look, config)
    assert status == 0, stderr
    splits = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in told.splitlines() if re.match(r"\| \d ", line)
    ]
    assert [(row[2], row[3], row[5], row[6], row[7]) for row in splits] == [
        ("837 s", "1100", "925 s", "1200", "1894 s"),
        ("985 s", "1300", "894 s", "1200", "1777 s"),
    ]
    assert splits[1][1] == "`tilelang + shared-outer + virtual-experts`, `megatron + per-expert + no-virtual-experts`"
    assert splits[1][8] == str((1829 - 985) * 8 + (1827 - 894) * 4)
    assert "Each cell then runs in one of the two files only" in told


def test_with_the_public_halves_the_lora_tests_take_6500_s(look: LookAlike, config: Path) -> None:
    assert re.search(r"- Split 2, .*`lora` 12200 → 6500 s", matrix(look, config)[1])


def test_a_patch_takes_rows_out_of_both_lists_and_nothing_else(look: LookAlike, config: Path, tmp_path: Path) -> None:
    patch = tmp_path / "halves.patch"
    assert matrix(look, config, "--patch", str(patch), "--split", "2")[0] == 0
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(look.repository), str(clone))
    git(clone, "checkout", "-q", "facts-98eec31")
    git(clone, "apply", str(patch))
    assert git(clone, "diff", "--numstat").split() == ["0", "2", GLM51, "0", "2", GLM52]
    assert "tilelang + per-expert" not in (clone / GLM51).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ((GLM51, GLM51), "the two files are one"),
        ((GLM51, FSDP), "no literal list of configurations"),
        ((GLM51, "tests/e2e/no_such_file.py"), "no file of the base that carries a registration"),
        ((GLM51, "tests/e2e/megatron/test_qwen3_5_35b_a3b_lora_ci.py"), "no accepted pass printed a time"),
    ],
)
def test_a_question_without_an_answer_is_refused_in_one_line(look: LookAlike, files: tuple[str, str], why: str) -> None:
    status, told, stderr = command("matrix", *files, *sources(look, "98eec31", "A", "B"))
    assert (status, told) == (2, "")
    assert why in stderr
    assert stderr.count("\n") == 1


def test_a_split_that_is_not_there_writes_no_patch(look: LookAlike, config: Path, tmp_path: Path) -> None:
    status, _, stderr = matrix(look, config, "--patch", str(tmp_path / "p"), "--split", "3")
    assert status == 2
    assert "there are 2 splits" in stderr
    assert not (tmp_path / "p").exists()


def test_a_patch_that_cannot_be_written_is_told(look: LookAlike, config: Path, tmp_path: Path) -> None:
    status, _, stderr = matrix(look, config, "--patch", str(tmp_path / "no" / "p"))
    assert status == 2
    assert "--patch" in stderr
