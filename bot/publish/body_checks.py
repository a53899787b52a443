"""What a report proves beside its numbers: the measured file is the edited file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.domain import CommitSha, Identity, Proposal, Sample, TestPath
from bot.publish.body_summary import short
from bot.publish.budget import Block
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, plural, row, table_head
from bot.publish.wording import IDENTITY, words

_HEADS_SHOWN = 5
_IDENTITY_COLUMNS = ("Test", "Measured at", "Blob there", "Blob at the base", "Verdict")


def identity(known: Lookup) -> tuple[Block, ...]:
    """The identity check of every changed file against every commit it was measured at."""
    pairs = _measured_at(known.changes)
    if not pairs:
        return ()
    counts = Counter(sample.identity for sample in pairs.values())
    files = len({path for path, _ in pairs})
    said = "; ".join(f"{words(IDENTITY, verdict)}: {counts[verdict]}" for verdict in Identity if counts[verdict])
    head = (
        "### Identity check\n\n"
        f"{plural(files, 'changed file')}, each at the commits it was measured at against the base "
        f"({plural(len(pairs), 'comparison')}): {said}.\n\n"
        "<details><summary>Blob SHAs</summary>\n\n" + table_head(_IDENTITY_COLUMNS)
    )
    rows = tuple(row(cells) for cells in _identity_cells(known, pairs))
    return (Block(head, rows, "\n</details>\n\n"),)


def _measured_at(changes: Sequence[Proposal]) -> dict[tuple[TestPath, CommitSha], Sample]:
    return {(sample.row.path, sample.row.head_sha): sample for change in changes for sample in change.samples}


def _identity_cells(
    known: Lookup, pairs: Mapping[tuple[TestPath, CommitSha], Sample]
) -> tuple[tuple[str, str, str, str, str], ...]:
    """One row a file and blob; the commits it was measured at with that blob side by side."""
    heads: dict[tuple[str, str, str, str], list[str]] = {}
    for (path, head_sha), sample in sorted(pairs.items(), key=lambda pair: pair[0]):
        check = known.identities.get((path, head_sha))
        there, base = (check.blob_at_head, check.blob_at_base) if check else (None, None)
        verdict = words(IDENTITY, check.verdict if check else sample.identity)
        heads.setdefault((code(path), short(there), short(base), verdict), []).append(short(head_sha))
    return tuple((path, _some(found), there, base, verdict) for (path, there, base, verdict), found in heads.items())


def _some(shas: Sequence[str]) -> str:
    left_out = len(shas) - _HEADS_SHOWN
    return ", ".join(shas[:_HEADS_SHOWN]) + (f" and {left_out} more" if left_out > 0 else "")
