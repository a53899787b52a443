"""From tests to the files they reach: what is read next, and what each test reaches in the end. Pure.

The tree at the base is followed, through Python files that count. A place that only a measured head
has is reached too, and ends there: it is a difference whatever it holds. Reading is the caller's part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from bot.domain import BlobSha, ImportRefusal, Imports, TestPath, UnreadImport
from bot.edit.imports.references import References
from bot.edit.ports import TreeEntry
from bot.edit.source_text import MAX_SOURCE_BYTES
from bot.globs import matches_any

MOST_FILES = 500  # that one test may reach
MOST_READ = 2_000  # files that are read for one evaluation, the tests among them
MOST_BYTES = 64 * 1024 * 1024  # of them together
_MOST_REFUSED = 20  # that are named of one test


class Counting:
    """Which files of a repository count. Remembers its answers: tests name the same files over and over."""

    def __init__(self, globs: tuple[str, ...]) -> None:
        self._globs = globs
        self._known: dict[TestPath, bool] = {}

    def counts(self, path: TestPath) -> bool:
        """True where a configured glob matches."""
        if path not in self._known:
            self._known[path] = matches_any(self._globs, path)
        return self._known[path]


class Survey:
    """Reads a tree from the tests on, a step at a time: `wanted` says what to read, `take` learns what it says."""

    def __init__(self, files: Mapping[TestPath, TreeEntry], counting: Counting, tests: Iterable[TestPath]) -> None:
        self.references: dict[TestPath, References] = {}
        self._files = files
        self._counting = counting
        self._links = {path for path, entry in files.items() if not entry.regular}
        self._bytes = 0
        self._pending: dict[TestPath, None] = {}
        for test in sorted(set(tests)):
            if test.endswith(".py"):
                self._ask(test)
            else:
                self._refuse(test, ImportRefusal.NOT_PYTHON)

    def wanted(self) -> Mapping[TestPath, BlobSha]:
        """The files to read next, in order; none where all is read or may not be."""
        files, size = MOST_READ - len(self.references), MOST_BYTES - self._bytes
        chosen: dict[TestPath, BlobSha] = {}
        for path in self._pending:
            size -= self._files[path].size or 0
            if len(chosen) >= files or size < 0:
                break
            chosen[path] = self._files[path].blob
        if not chosen:
            self.stop()
        return chosen

    def take(self, read: Iterable[References], read_bytes: int) -> None:
        """Learn what wanted files say; `read_bytes` is their size together."""
        self._bytes += read_bytes
        for one in read:
            self._pending.pop(one.path, None)
            self.references[one.path] = self._with_links(one)
            for place in one.places:
                if place in self._files and place.endswith(".py") and self._counting.counts(place):
                    self._ask(place)

    def stop(self) -> None:
        """Give up on what is still wanted, by name."""
        for path in self._pending:
            self._refuse(path, ImportRefusal.TOO_MANY)
        self._pending.clear()

    def _ask(self, path: TestPath) -> None:
        if path in self.references or path not in self._files:
            return
        entry = self._files[path]
        if not entry.regular:
            self._refuse(path, ImportRefusal.NOT_A_REGULAR_FILE)
        elif (entry.size or 0) > MAX_SOURCE_BYTES:
            self._refuse(path, ImportRefusal.FILE_TOO_LARGE)  # known beforehand, so it is not even fetched
        else:
            self._pending[path] = None

    def _refuse(self, path: TestPath, reason: ImportRefusal) -> None:
        self.references[path] = References(path, refused=(UnreadImport(path, reason),))

    def _with_links(self, one: References) -> References:
        """With the symlinks and submodules on the way to what it names: git lists nothing behind them."""
        if not self._links:
            return one
        counted = (place for place in one.places if self._counting.counts(place))
        met = {link for place in counted for link in _on_the_way(place) if link in self._links}
        named = tuple(UnreadImport(link, ImportRefusal.NOT_A_REGULAR_FILE) for link in sorted(met)[:_MOST_REFUSED])
        return References(one.path, one.places, one.refused + named) if named else one


def _on_the_way(place: TestPath) -> Iterable[TestPath]:
    """The place itself and every directory above it."""
    yield place
    end = place.rfind("/")
    while end > 0:
        yield TestPath(place[:end])
        end = place.rfind("/", 0, end)


def reached(test: TestPath, references: Mapping[TestPath, References], present: Mapping[TestPath, object]) -> Imports:
    """What one test reaches among the files that are `present` at the base or at a measured head, and count."""
    found: dict[TestPath, None] = {}
    refused: dict[UnreadImport, None] = {}
    pending = deque((test,))
    while pending:
        read = references.get(pending.popleft())
        if read is None:
            continue
        refused.update(dict.fromkeys(read.refused))
        new = [place for place in read.places if place in present and place != test and place not in found]
        room = MOST_FILES - len(found)
        if len(new) > room:
            refused[UnreadImport(test, ImportRefusal.TOO_MANY, f"more than {MOST_FILES} files")] = None
        found.update(dict.fromkeys(new[:room]))
        pending.extend(new[:room])
    return Imports(test, tuple(sorted(found)), tuple(refused)[:_MOST_REFUSED])
