"""Writes file edits into a checkout: every file or none, and only files that are what the edit was made from.

Follows no symbolic link and leaves the index alone. Commits nothing.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.domain import FileEdit
from bot.errors import UserError


def check_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Look whether `write_edits` would take all of them, and write nothing.

    Raises:
        UserError: as `write_edits`.
    """
    for edit in edits:
        _checked(root, edit)


def write_edits(root: Path, edits: Sequence[FileEdit]) -> None:
    """Write the edits below `root`; a file that already is what an edit makes of it is left alone.

    Raises:
        UserError: a file is missing, is no plain file, or differs from the base; nothing is written then.
    """
    checked = [(_checked(root, edit), edit) for edit in edits]
    for path, edit in checked:
        if path.read_bytes() != edit.after:
            _replace(path, edit.after)


def _checked(root: Path, edit: FileEdit) -> Path:
    path = root
    for part in edit.path.split("/"):
        path = path / part
        if part in ("", ".", "..") or path.is_symlink():
            raise UserError(f"{edit.path}: is behind a symbolic link or leaves the work tree; not written")
    try:
        present = path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else None
    except OSError as error:
        raise UserError(f"{edit.path}: cannot be read in the work tree: {error.strerror}") from None
    if present == edit.after:
        return path
    if present != edit.before:
        raise UserError(
            f"{edit.path}: the work tree differs from the base revision (uncommitted change or line-ending "
            "conversion); check out the base, or leave --write out and apply changes.patch"
        )
    return path


def _replace(path: Path, content: bytes) -> None:
    """Replace a file's bytes in one move, keeping its mode."""
    mode = stat.S_IMODE(path.stat().st_mode)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
