"""Finds pairs of long tests that sweep the same cells, so that the report can say that a split may pay. Pure.

Looks at few files: those above the default limit or among the longest of their suite, and for one that
has a matrix at the files beside it. What a split would save is `bot.tasks.matrices`' part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from bot.calibration.matrix import can_be_shared
from bot.domain import Decision, Matrix, MatrixPair, Suite, TestPath
from bot.edit.matrix import read_matrix
from bot.tasks.gather import Gathered

LONGEST = 3  # of each suite
MOST_LONG = 60
MOST_BESIDE = 60  # files of one directory
MOST_PAIRS = 20


def sweeping_pairs(decisions: Iterable[Decision], at: Gathered, floor_s: int) -> tuple[MatrixPair, ...]:
    """Every pair once, the longest first. `floor_s` is the limit that a file has without its literal."""
    slowest = _slowest(decisions)
    reader = _Reader(at)
    found: dict[frozenset[TestPath], MatrixPair] = {}
    for path in _long(slowest, floor_s):
        mine = reader.matrix(path)
        for other in reader.beside(path) if mine else ():
            theirs = reader.matrix(other)
            if mine and theirs and _cells(mine) == _cells(theirs):
                pair = MatrixPair(path, other, len(mine.rows), (_most(slowest, path) or 0, _most(slowest, other)))
                found.setdefault(frozenset((path, other)), pair)
    return tuple(sorted(found.values(), key=lambda pair: (-sum(x or 0 for x in pair.slowest_s), pair.first)))[
        :MOST_PAIRS
    ]


_Slowest = dict[Suite, dict[TestPath, int]]


def _slowest(decisions: Iterable[Decision]) -> _Slowest:
    """The slowest accepted pass of each file, by suite."""
    found: _Slowest = defaultdict(dict)
    for one in decisions:
        key = one.registration.key
        if one.samples:
            seconds = max(sample.elapsed_s for sample in one.samples)
            found[key.suite][key.path] = max(seconds, found[key.suite].get(key.path, 0))
    return found


def _long(slowest: _Slowest, floor_s: int) -> tuple[TestPath, ...]:
    """Files above the default limit and the longest of each suite, the longest first."""
    found: dict[TestPath, int] = {}
    for files in slowest.values():
        ordered = sorted(files.items(), key=lambda item: (-item[1], item[0]))
        found |= {
            path: max(took, found.get(path, 0))
            for i, (path, took) in enumerate(ordered)
            if i < LONGEST or took > floor_s
        }
    return tuple(sorted(found, key=lambda path: (-found[path], path)))[:MOST_LONG]


def _most(slowest: _Slowest, path: TestPath) -> int | None:
    return max((files[path] for files in slowest.values() if path in files), default=None)


def _cells(matrix: Matrix) -> frozenset[tuple[object, ...]]:
    return frozenset(row[1:] for row in matrix.rows)


class _Reader:
    """Matrices of the base's files, each read once."""

    def __init__(self, at: Gathered) -> None:
        self._at = at
        self._known: dict[TestPath, Matrix | None] = {}
        self._directories: dict[str, list[TestPath]] = defaultdict(list)
        for source in at.sources:
            if source.registrations:
                self._directories[str(PurePosixPath(source.path).parent)].append(source.path)

    def beside(self, path: TestPath) -> Sequence[TestPath]:
        """The other files of the same directory that carry registrations."""
        found = self._directories[str(PurePosixPath(path).parent)]
        return [other for other in sorted(found) if other != path][:MOST_BESIDE]

    def matrix(self, path: TestPath) -> Matrix | None:
        """The file's matrix; None where it has none, or several, or one that cannot be shared out."""
        if path not in self._known:
            entry = self._at.base_files.get(path)
            raw = self._at.contents.get(entry.blob) if entry and entry.regular else None
            read = read_matrix(path, raw) if raw is not None else None
            self._known[path] = read if isinstance(read, Matrix) and can_be_shared(read) else None
        return self._known[path]
