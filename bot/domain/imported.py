"""What a test file imports or launches inside its repository, as far as it was read, and how that differs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import TestPath


class ImportRefusal(StrEnum):
    """Why what a file imports or launches is not known, in whole or in part."""

    NOT_PYTHON = "not_python"  # the test file itself; launched files of other languages are only compared
    NOT_A_REGULAR_FILE = "not_a_regular_file"  # symlink or submodule: what is behind it is not compared
    FILE_TOO_LARGE = "file_too_large"
    UNDECODABLE = "undecodable"
    UNKNOWN_GRAMMAR = "unknown_grammar"
    TOO_MANY = "too_many"  # more than is read of one file, of one test or of one repository
    LEAVES_REPOSITORY = "leaves_repository"  # a relative import or a path that goes above the root


@dataclass(frozen=True, slots=True)
class UnreadImport:
    """One file (or one name in it, as `detail`) that was not followed."""

    path: TestPath
    reason: ImportRefusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Imports:
    """The files that one test reaches, among those that the configuration counts, by path."""

    path: TestPath
    files: tuple[TestPath, ...] = ()
    refused: tuple[UnreadImport, ...] = ()


class ImportChange(StrEnum):
    """How a file that a test imports or launches differs between a run's head and the base."""

    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"  # at the base
    ADDED = "added"  # since the run


@dataclass(frozen=True, slots=True)
class ImportDifference:
    """One such file. `moved_to` is its place at the base, where it moved."""

    path: TestPath
    change: ImportChange
    moved_to: TestPath | None = None

    def __str__(self) -> str:
        return f"{self.path} {self.change}" + (f" to {self.moved_to}" if self.moved_to else "")
