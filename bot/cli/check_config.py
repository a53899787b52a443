"""`recalibrate check-config FILE`: says what is wrong with a configuration, line by line."""

from __future__ import annotations

from pathlib import Path

from bot.config_file import Invalid
from bot.config_names import read_config
from bot.errors import UserError


def check_config(path: Path) -> str:
    """One line that says that the file is right.

    Raises:
        UserError: it cannot be read, or is wrong: every problem with its line and key.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    state = read_config(raw)
    if isinstance(state, Invalid):
        raise UserError(f"{path}: " + "; ".join(str(problem) for problem in state.problems))
    return f"{path}: right"
