"""Digests that tell whether two evaluations ask for the same change, and whether a commit is ours.

SHA-256 over canonical JSON. Nothing here depends on a clock, an order of dictionaries or a run id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from bot.domain import BlobSha, Evaluation, FileEdit, TestPath, blob_sha


def proposals_digest(evaluation: Evaluation) -> str:
    """Names the proposals and the identity they rest on: which literals of which blobs become what.

    Equal digests mean that the rolling branch need not be touched, whatever else the base did.
    """
    facts = [
        [edit.path, change.blob, change.index, change.est_time, list(change.labels or ())]
        for edit in evaluation.edits
        for change in edit.changes
    ]
    return _digest([evaluation.base, sorted(facts, key=json.dumps)])


def content_digest(files: Mapping[TestPath, BlobSha]) -> str:
    """Names what a commit of ours changes: each changed path with its new blob."""
    return _digest(sorted(files.items()))


def edits_content_digest(edits: Iterable[FileEdit]) -> str:
    """The content digest that a commit of these edits must have."""
    return content_digest({edit.path: blob_sha(edit.after) for edit in edits})


def files_digest(files: Mapping[str, bytes]) -> str:
    """Names a set of evidence files by their bytes."""
    return _digest(sorted([name, hashlib.sha256(content).hexdigest()] for name, content in files.items()))


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
