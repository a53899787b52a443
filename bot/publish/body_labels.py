"""The label lists of a report: what is inserted and why, what that makes CI select, what is only suggested."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain import LabelSelection, LabelSuggestion
from bot.publish.body_changes import arrow, names, suite_cell
from bot.publish.budget import Block
from bot.publish.evidence_csv import number
from bot.publish.lookup import Lookup
from bot.publish.markdown import code, plural, row, table_head


def labels(known: Lookup) -> tuple[Block, ...]:
    """Label edits, and the selection that follows from them."""
    found = known.label_changes
    if not found:
        return ()
    head = (
        f"### Labels ({len(found)})\n\n"
        "These edits follow the configured label rules. They do not rest on the measurements above.\n\n"
        + table_head(("Test", "Suite", "Labels", "Added", "Rule"))
    )
    rows = tuple(
        row(
            (
                code(change.registration.key.path),
                suite_cell(change.registration),
                arrow(_list(change.registration.labels or ()), _list(change.after)),
                _list(change.add),
                code(change.rule),
            )
        )
        for change in found
    )
    selections = known.evaluation.label_selections
    blocks = [Block(head, rows, "\n")]
    if selections:
        shown = tuple(map(_selection, sorted(selections, key=lambda item: (-item.added_s, item.label))))
        blocks.append(Block("What CI selects by label that it did not before:\n\n", shown, "\n"))
    return tuple(blocks)


def suggestions(known: Lookup) -> tuple[Block, ...]:
    """Tests that lack what all their siblings carry. No rule asks for it, so nothing is edited."""
    found = sorted(known.evaluation.label_suggestions, key=lambda item: item.registration.key)
    if not found:
        return ()
    head = (
        f"<details><summary>Label suggestions, not edited ({len(found)})</summary>\n\n"
        "All siblings (same directory, same name pattern) carry these labels. A rule in "
        "`.github/recalibrate.yml` would make it an edit.\n\n"
    )
    return (Block(head, tuple(map(_suggestion, found)), "\n</details>\n\n"),)


def _list(values: Sequence[str]) -> str:
    shown = ", ".join(code(value, 80) for value in values[:20])
    return (f"{shown} and {len(values) - 20} more" if len(values) > 20 else shown) or "none"


def _selection(item: LabelSelection) -> str:
    tests = plural(len(item.keys), "test")
    listed = names(key.path for key in item.keys)
    return f"- {code(item.label)} newly selects {tests} and adds {number(round(item.added_s))} s: {listed}.\n"


def _suggestion(item: LabelSuggestion) -> str:
    return (
        f"- {code(item.registration.key.path)} lacks {_list(item.missing)}; "
        f"{plural(len(item.siblings), 'sibling')}: {names(item.siblings)}.\n"
    )
