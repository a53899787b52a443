"""Reads the registrations of a whole tree: which files, and each blob at most once.

Pure: the caller fetches the contents that `unread` names, and keeps the `known` mapping between
trees, for most blobs of two commits are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import replace

from bot.domain import BlobSha, EditRefusal, RefusedCall, Registration, SourceRegistrations, TestPath
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.globs import matches_any, never_written

Known = MutableMapping[tuple[TestPath, BlobSha], SourceRegistrations]


def in_scope(
    files: Mapping[TestPath, TreeEntry], globs: tuple[str, ...], named: frozenset[TestPath] = frozenset()
) -> dict[TestPath, TreeEntry]:
    """The files that the configured globs name, and those `named` one by one, in the order of their paths.

    Workflows and our own configuration are never read as tests, whatever a glob says.
    """
    chosen = (path for path in sorted(files) if path in named or (not never_written(path) and matches_any(globs, path)))
    return {path: files[path] for path in chosen}


def unread(files: Mapping[TestPath, TreeEntry], known: Known) -> tuple[BlobSha, ...]:
    """The blobs whose contents `read_all` needs, once each."""
    needed = (entry.blob for path, entry in files.items() if entry.regular and (path, entry.blob) not in known)
    return tuple(dict.fromkeys(needed))


def read_all(
    files: Mapping[TestPath, TreeEntry], contents: Mapping[BlobSha, bytes], known: Known
) -> tuple[SourceRegistrations, ...]:
    """What each file says, in the order of `files`; files without a registration are left out.

    `known` is read and filled. A file whose content is not given is passed over: it was not asked for.
    """
    found: list[SourceRegistrations] = []
    for path, entry in files.items():
        key = (path, entry.blob)
        if not entry.regular:
            found.append(_not_regular(path, entry))
        elif key in known:
            found.append(known[key])
        elif entry.blob in contents:
            found.append(known.setdefault(key, read_one(path, entry.blob, contents[entry.blob])))
    return tuple(source for source in found if source.registrations or source.refused)


def with_gone_files(
    sources: Iterable[SourceRegistrations], files: Mapping[TestPath, TreeEntry]
) -> tuple[SourceRegistrations, ...]:
    """The same with every entry refused whose test file the tree does not have.

    Only entries of files of estimates can outlive their test.
    """
    return tuple(
        replace(source, registrations=tuple(_marked_gone(one, files) for one in source.registrations))
        for source in sources
    )


def file_of(path: TestPath) -> TestPath:
    """The file of a test path: `tests/test_a.py` of `tests/test_a.py::test_b`."""
    return TestPath(path.partition("::")[0])


def _marked_gone(one: Registration, files: Mapping[TestPath, TreeEntry]) -> Registration:
    if not one.source or file_of(one.key.path) in files:
        return one
    return replace(one, est_refusal=EditRefusal.TEST_FILE_GONE)


def read_one(path: TestPath, blob: BlobSha, raw: bytes, dialects: Dialects = AUTOMATIC) -> SourceRegistrations:
    """What one file says; empty for a file that no dialect knows. Never raises on any bytes."""
    dialect = dialects.of(path, raw)
    return dialect.read(path, blob, raw) if dialect else SourceRegistrations(path, blob)


def refused_calls(sources: Iterable[SourceRegistrations]) -> tuple[RefusedCall, ...]:
    """Every refusal of a tree, for the report."""
    return tuple(call for source in sources for call in source.refused)


def _not_regular(path: TestPath, entry: TreeEntry) -> SourceRegistrations:
    kind = {"120000": "a symbolic link", "160000": "a submodule"}.get(entry.mode, f"mode {entry.mode}")
    refused = RefusedCall(path, 0, EditRefusal.NOT_A_REGULAR_FILE, kind)
    return SourceRegistrations(path, entry.blob, refused=(refused,))
