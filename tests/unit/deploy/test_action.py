"""The Action's description: every input reaches the script, no input reaches a shell, packages are pinned by hash.

What the script does is held in tests/sandbox/test_action_script.py.
"""

from __future__ import annotations

import os
import re

from tests.unit.deploy.deployed import DEPLOY, ROOT, documents, is_setting

FOLDER = DEPLOY / "action"
(ACTION,) = documents(FOLDER / "action.yml")
STEPS = ACTION["runs"]["steps"]
SCRIPT = (FOLDER / "run.sh").read_text(encoding="utf-8")


def test_every_input_is_handed_over_and_read_and_told() -> None:
    manual = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8").partition("## As an Action")[2]
    handed = {name: value for name, value in STEPS[-1]["env"].items() if name.startswith("INPUT_")}
    assert handed == {f"INPUT_{it.upper().replace('-', '_')}": f"${{{{ inputs.{it} }}}}" for it in ACTION["inputs"]}
    assert set(re.findall(r"INPUT_[A-Z_]+", SCRIPT)) - {"INPUT_"} == set(handed)
    assert [it for it in ACTION["inputs"] if f"`{it}`" not in manual] == []


def test_no_expression_stands_in_a_shell_line_and_no_step_runs_in_the_workspace() -> None:
    shells = [step for step in STEPS if "run" in step]
    assert len(shells) == 2
    assert not any("${{" in step["run"] for step in shells)
    assert all(step["working-directory"] == "${{ github.action_path }}" for step in shells)


def test_packages_are_pinned_by_hash_and_paths_lead_somewhere() -> None:
    install, go = STEPS[-2]["run"], STEPS[-1]["run"]
    assert "--require-hashes -r ../requirements.txt" in install
    assert (FOLDER / "../requirements.txt").is_file()
    assert go == "./run.sh"
    assert os.access(FOLDER / "run.sh", os.X_OK)


def test_variables_of_the_program_are_settings() -> None:
    named = {*re.findall(r"RECALIBRATE_[A-Z_]+", SCRIPT), *(it for it in STEPS[-1]["env"] if it.startswith("RECAL"))}
    assert len(named) > 4
    assert [it for it in named if not is_setting(it)] == []


def test_a_token_is_never_taken_without_being_given() -> None:
    assert not ACTION["inputs"]["token"]["default"]
    assert not ACTION["inputs"]["private-key"]["default"]
