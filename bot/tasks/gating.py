"""The last gate before any ref moves: reads the new commit back and holds its tree and its parents to the base.

One request for an ordinary repository: the base's tree is remembered from the evaluation, and git names a
tree by its content, so that the commit's tree is read file by file only where its name is not the expected
one. What is right is decided by `bot.publish.gate` and, for each file, by the edit check, run again on the
very bytes that the tree names.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain import CommitSha, Evaluation, FileEdit, TreeSha
from bot.edit.edit_check import check
from bot.edit.registrations import Dialects
from bot.errors import RetryableError, UserError
from bot.publish.gate import (
    Bounds,
    GateReason,
    GateRefusal,
    edited_tree,
    refused_literals,
    refused_parents,
    refused_refs,
    refused_tree,
)
from bot.publish.pull_request import Prepared, ref_changes
from bot.publish.tree_name import Tree, tree_name
from bot.repo_config.registrations import Registrations
from bot.tasks.editing import planned
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.ports import Forge
from bot.tasks.workshop import Workshop

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GateCase:
    """What is about to be published, and what it may be."""

    evaluation: Evaluation
    settings: Registrations
    prepared: Prepared


async def through_the_gate(workshop: Workshop, forge: Forge, case: GateCase) -> Prepared | Ending:
    """What was prepared; or the ending that refuses it, with the reason's name.

    Raises:
        RetryableError: the new commit cannot be read yet, or GitHub is busy.
    """
    refusal = refused_refs(ref_changes(case.prepared), case.evaluation.base)
    if refusal is None and case.prepared.commit is not None:
        refusal = await _refused_commit(workshop, forge, case, case.prepared.commit)
    if refusal is None:
        return case.prepared
    log.error("the gate refused a commit", extra={"reason": refusal.reason.value, "place": refusal.place})
    return Ending(OutcomeName.GATE_REFUSED, str(refusal))


async def _refused_commit(workshop: Workshop, forge: Forge, case: GateCase, commit: CommitSha) -> GateRefusal | None:
    edits, dialects = case.evaluation.edits, Dialects(case.settings)
    bounds = Bounds(case.settings.paths, dialects.yaml_files)
    base = await forge.files.files(case.prepared.base_sha)
    try:
        found = await forge.files.commit_object(commit)
        made = await _tree(forge, commit, found.tree, await asyncio.to_thread(edited_tree, base, edits))
    except UserError as error:  # our own commit, made a moment ago: another replica may not have it yet
        raise RetryableError(f"the new commit cannot be read: {error}") from error
    refusal = refused_parents(found.parents, case.prepared.base_sha)
    refusal = refusal or await asyncio.to_thread(refused_tree, base, made, edits, bounds)
    refusal = refusal or refused_literals(edits, planned(case.evaluation))
    if refusal is not None:
        return refusal
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(workshop.executor, refused_proof, edits, dialects)


async def _tree(forge: Forge, commit: CommitSha, name: TreeSha, expected: Tree) -> Tree:
    """The tree of a commit: the expected one where that has its name, else as it is read."""
    if await asyncio.to_thread(tree_name, expected) == name:
        return expected
    return await forge.files.files(commit)


def refused_proof(edits: Sequence[FileEdit], dialects: Dialects) -> GateRefusal | None:
    """None where the edit check holds for every file; it shares no code with what made the edits."""
    for edit in edits:
        problem = check(edit.before, edit.after, edit.changes, dialects.of(edit.path, edit.before))
        if problem is not None:
            return GateRefusal(GateReason.NOT_PROVED, edit.path, problem)
    return None
