"""What merged pull requests of ours wrote: the last value of a key is ours, an older one no longer."""

from __future__ import annotations

from bot.calibration.decide import Case, decide
from bot.calibration.policies import policy_from
from bot.domain import Proposal, TimeoutRule
from bot.tasks.merged import MergedProposals, published
from tests.unit.calibration.calibration_cases import PLAIN, history, key, passes, registration


def proposal(literal: float, *elapsed_s: int) -> Proposal:
    made = decide(Case(registration(literal), history(passes(*elapsed_s)), TimeoutRule()), policy_from(PLAIN, "strict"))
    assert isinstance(made, Proposal)
    return made


def test_only_the_value_that_was_written_last_is_ours() -> None:
    lowered, raised = proposal(3600, 957), proposal(1200, 1450)
    newest_first = (MergedProposals("#2", (raised,)), MergedProposals("#1", (lowered,)))
    assert (lowered.after, raised.after) == (1200, 1900)
    assert published(newest_first) == {key(): 1900.0}
