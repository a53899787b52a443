"""Where evidence stands on its branch: one directory a run attempt and content, never changed again.

The branch is an orphan that only grows; its messages say `[skip ci]`. How to prune it is told in
docs/operation.md. Moving the ref is `bot.publish.pull_request`'s part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bot.domain import CommitSha, Run
from bot.publish.digests import files_digest
from bot.publish.evidence_files import EVIDENCE_FILES
from bot.publish.ports.commits import FileWrite, NewCommit


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """One evaluation's evidence files and the directory they stand in."""

    directory: str
    files: Mapping[str, bytes]

    @property
    def further(self) -> int:
        """How many parts there are beside the first of each file."""
        return len(self.files) - len(EVIDENCE_FILES)

    def commit(self, parent: CommitSha | None) -> NewCommit:
        """The commit that adds the entry."""
        writes = tuple(FileWrite(f"{self.directory}/{name}", raw) for name, raw in sorted(self.files.items()))
        return NewCommit(f"evidence: {self.directory} [skip ci]\n", writes, parent)

    def address(self, web: str, repository: str, commit: CommitSha, name: str) -> str:
        """The page of one file, pinned to the commit."""
        return f"{web}/{repository}/blob/{commit}/{quote(f'{self.directory}/{name}')}"

    def directory_address(self, web: str, repository: str, commit: CommitSha) -> str:
        """The page that lists the files, pinned to the commit."""
        return f"{web}/{repository}/tree/{commit}/{quote(self.directory)}"


def entry(newest: Run, files: Mapping[str, bytes]) -> EvidenceEntry:
    """The entry of an evaluation whose newest run is given. Equal files have an equal directory."""
    return EvidenceEntry(f"runs/{newest.run_id}-{newest.attempt}/{files_digest(files)[:16]}", files)
