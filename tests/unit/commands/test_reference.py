"""The page, the configuration and the road know the commands of the table and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.commands import COMMANDS
from bot.commands.contract import Needs
from bot.commands.reference import PAGE, main, markdown
from bot.commands.texts import help_table
from bot.config_file import Valid
from bot.config_names import read_config
from bot.tasks import commanding

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_committed_page_is_the_generated_one(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / PAGE).read_text("utf-8") == (DOCS / PAGE).read_text("utf-8") == markdown()


def test_a_missing_directory_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["/no/such/directory"]) == 2
    assert "usage" in capsys.readouterr().err


def test_readers_may_be_given_what_changes_nothing_and_nothing_else() -> None:
    for name, module in COMMANDS.items():
        state = read_config(f"version: 1\ncommands: {{readers: [{name}]}}\n".encode())
        assert isinstance(state, Valid) is (module.NEEDS is Needs.READER)


def test_every_command_has_a_row_and_every_option_too() -> None:
    table = help_table(())
    rows = re.findall(r"^\| `(/recalibrate[^`]*)` \|", table, re.MULTILINE)
    assert len(rows) == len(COMMANDS)
    assert "readers" not in table
    assert help_table(["help"]).count("| readers |") == 1


def test_the_road_does_every_command_of_the_table() -> None:
    assert set(commanding.VERBS) == set(COMMANDS)
