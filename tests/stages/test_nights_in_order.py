"""The measured nights one after another under `default` as it is shipped: the literals after each.

What each literal must be is worked out from the facts beside the logs: the rule over the newest two
nights in which the file passed, never below what clears a slow pass of the newest three.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.sandbox.test_service_nights import HEADS, NIGHTS, known
from tests.stages.conftest import LookAlike, Road
from tests.stages.test_local_proposals import MERGED_ON, Key, Known, literals, rule, tree

ORDER = list(HEADS)


def wanted(one: Known) -> int:
    """The value that the shipped policy writes for what a key's nights said."""
    newest_first = [one.passes[night] for night in reversed(ORDER) if night in one.passes]
    value, slow = rule(max(newest_first[:2])), max(newest_first[:3])
    while max(1800, int(value * 1.25)) <= slow:
        value += 10 if value < 200 else 100
    return value


# raised, lowered and held as immaterial after each night, on the base that radixark/miles pull 2214 was merged on
# - A alone may raise; one of its three raises would change nothing that matters.
# - B completes six lowers: two do not matter, and one by over 70 % waits for a third night, which E.1 is.
# - E.2 only re-ran three jobs. From F1 on nothing waits but what a timeout, a person's value or a second night holds;
#   from F2 on two lowers matter no longer beside the others.
AFTER = {1: (2, 0, 1), 2: (3, 3, 2), 3: (2, 10, 4), 4: (2, 10, 4), 5: (2, 10, 5), 6: (3, 9, 7), 7: (2, 9, 10)}


def changes(road: Road, base: str, upto: int) -> tuple[dict[Key, int], dict[str, int]]:
    """Changed literals, and how many rows' keys are held for each reason."""
    names = [f"{night}.{attempt}" for night, attempt in NIGHTS[:upto]]
    rows = road(base, "default", *names).rows
    made = {
        (row["test_file"], row["suite"]): int(row["proposed_est_s"])
        for row in rows
        if row["action"] in ("raise", "lower") and row["proposed_est_s"]
    }
    held: dict[str, set[Key]] = {}
    for row in rows:
        for note in row["note"].split("; "):
            if note.startswith("held:"):
                held.setdefault(note[5:], set()).add((row["test_file"], row["suite"]))
    return made, {reason: len(keys) for reason, keys in held.items()}


@pytest.mark.parametrize("upto", range(1, len(NIGHTS) + 1))
def test_every_changed_literal_is_the_rule_over_the_newest_nights(look: LookAlike, road: Road, upto: int) -> None:
    now = literals(tree(look, MERGED_ON))
    facts = known(look, MERGED_ON, NIGHTS[:upto])
    made, held = changes(road, MERGED_ON, upto)
    assert {key: wanted(facts[key]) for key in made} == made
    raised = sum(value > now[key] for key, value in made.items())
    assert (raised, len(made) - raised, held.get("immaterial", 0)) == AFTER[upto]


@pytest.mark.parametrize("upto", range(1, len(NIGHTS) + 1))
def test_every_pass_is_used_or_not_for_a_named_reason_and_the_report_counts_them_as_the_table_does(
    road: Road, upto: int
) -> None:
    found = road(MERGED_ON, "default", *(f"{night}.{attempt}" for night, attempt in NIGHTS[:upto]))
    passed = [row for row in found.rows if row["status"] == "passed"]
    unused = Counter(note[0] for row in passed if (note := re.findall(r"unused:(\w+)", row["note"])))
    (used,) = re.findall(r"(\d+) pass(?:es)? used\.", found.report)
    (said, reasons) = re.findall(r"Passes not used \((\d+)\)</summary>\n\n(.*)\.\n", found.report)[0]
    assert int(used) + int(said) == len(passed)
    assert int(said) == sum(unused.values()) == sum(map(int, re.findall(r": (\d+)", reasons)))
    assert "outside_window" not in unused  # fourteen nights hold these six
