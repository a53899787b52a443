"""Are the files that a test imports or launches the measured ones? Blob SHAs answer; pure.

A file that carries registrations itself may differ in their literals, as a test file may
(`bot.edit.identity`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.domain import BlobSha, Identity, IdentityCheck, ImportChange, ImportDifference, TestPath, blob_sha
from bot.edit.identity import TwoVersions, check_identity
from bot.edit.registrations import AUTOMATIC, Dialects

MOST_NAMED = 20  # differences of one test at one head
_EMPTY = blob_sha(b"")  # as good as every `__init__.py` has it: it is found everywhere and moved nowhere


def difference(
    versions: TwoVersions, base_by_blob: Mapping[BlobSha, tuple[TestPath, ...]], dialects: Dialects = AUTOMATIC
) -> ImportDifference | None:
    """How one file differs; None where it does not, and where neither side has it.

    Other than of a test file, symlinks and submodules count by their own entry: they are equal where
    they point to the same, and named as not followed where they are met.
    """
    head, base = versions.head, versions.base
    if head == base:
        return None
    if head is None:
        return ImportDifference(versions.path, ImportChange.ADDED)
    check = check_identity(versions, base_by_blob, dialects)
    if check.verdict.usable:
        return None
    if base is not None:
        return ImportDifference(versions.path, ImportChange.CHANGED)
    if check.moved_to is None or head.blob == _EMPTY:
        return ImportDifference(versions.path, ImportChange.GONE)
    return ImportDifference(versions.path, ImportChange.MOVED, check.moved_to)


def with_imports(check: IdentityCheck, found: Iterable[ImportDifference | None]) -> IdentityCheck:
    """The verdict of a test file once the files it reaches are looked at, too."""
    differing = tuple(one for one in found if one is not None)
    if not differing or not check.verdict.usable:
        return check
    return replace(check, verdict=Identity.IMPORT_CHANGED, imports=differing[:MOST_NAMED])
