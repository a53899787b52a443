"""Is the test file at the run's head, byte for byte, the one at the pull request's base?

Pure: blob SHAs and, where they differ, both contents decide. What a verdict means for a
measurement is calibration's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain import BlobSha, CommitSha, Identity, IdentityCheck, TestPath
from bot.edit.edit_check import mask
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects


@dataclass(frozen=True, slots=True)
class TwoVersions:
    """One path at the run's head and at the base. An entry is None where the tree has no such file.

    `head_bytes` and `base_bytes` are needed where both entries are regular files with different
    blobs; without them such a file counts as changed.
    """

    path: TestPath
    head_sha: CommitSha
    head: TreeEntry | None
    base: TreeEntry | None
    head_bytes: bytes | None = None
    base_bytes: bytes | None = None


def paths_by_blob(files: Mapping[TestPath, TreeEntry]) -> dict[BlobSha, tuple[TestPath, ...]]:
    """A tree turned round, to find where a file went."""
    found: dict[BlobSha, tuple[TestPath, ...]] = {}
    for path in sorted(files):
        found[files[path].blob] = (*found.get(files[path].blob, ()), path)
    return found


def check_identity(
    versions: TwoVersions, base_by_blob: Mapping[BlobSha, tuple[TestPath, ...]], dialects: Dialects = AUTOMATIC
) -> IdentityCheck:
    """The verdict for one file (docs/architecture.md, "Identity check").

    `base_by_blob` is the base's tree by `paths_by_blob`. A file that was renamed and edited in one
    change is `missing`: nothing says that it is the same test.
    """
    head, base = versions.head, versions.base
    verdict, moved_to = _verdict(versions, base_by_blob, dialects)
    return IdentityCheck(
        path=versions.path,
        head_sha=versions.head_sha,
        verdict=verdict,
        blob_at_head=head.blob if head else None,
        blob_at_base=base.blob if base else None,
        moved_to=moved_to,
    )


def _verdict(
    versions: TwoVersions, base_by_blob: Mapping[BlobSha, tuple[TestPath, ...]], dialects: Dialects
) -> tuple[Identity, TestPath | None]:
    head, base = versions.head, versions.base
    if head is None:
        return Identity.MISSING, None
    if base is None:
        moved_to = next((path for path in base_by_blob.get(head.blob, ()) if path != versions.path), None)
        return (Identity.MOVED, moved_to) if moved_to else (Identity.MISSING, None)
    if not (head.regular and base.regular):
        return Identity.CHANGED, None
    if head.blob == base.blob:
        return Identity.IDENTICAL, None
    if versions.head_bytes is None or versions.base_bytes is None:
        return Identity.CHANGED, None
    sides = (versions.head_bytes, versions.base_bytes)
    masked = [mask(raw, dialects.of(versions.path, raw)) for raw in sides]
    same = masked[0] == masked[1]
    return (Identity.REGISTRATION_ONLY if same else Identity.CHANGED), None
