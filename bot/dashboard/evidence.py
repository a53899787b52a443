"""`evidence.csv` of one attempt's evaluation, made from what is stored by the writer of the published one.

The published file stays the record: it stands on the evidence branch, pinned by a commit. This one has
the same bytes as long as the stored rows are what they were then.
"""

from __future__ import annotations

from bot.domain import RepositoryId, RunId, TaskKind, TaskRequest
from bot.publish.evidence_csv import evidence_csv
from bot.store.open import Store


def read(store: Store, repository_id: RepositoryId, run_id: RunId, attempt: int) -> bytes | None:
    """The table of the last evaluation that the attempt's own task made, None where it made none."""
    task = TaskRequest(TaskKind.NIGHTLY, 0, repository_id, run_id=run_id, attempt=attempt)
    name = store.evaluations.of_task(repository_id, task.key)
    evaluation = store.evaluations.find(name) if name else None
    return evidence_csv(evaluation) if evaluation else None
