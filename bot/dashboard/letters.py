"""The letter that stands in a plot for each reason why a timing does not count: one each, so that colour is not needed.

Capitals say what the suite runner said, small letters what we say about it. What nobody has judged has no letter but
a hollow mark: it may be most of a long history.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.dashboard.plots.marks import NOT_JUDGED
from bot.domain import RejectionReason, Status
from bot.overview import JudgedTiming
from bot.publish.wording import REJECTION, words

NOT_JUDGED_WORDS = "no evaluation on record has judged it"

LETTER: Mapping[RejectionReason, str] = {
    RejectionReason.TIMEOUT: "T",
    RejectionReason.UNKNOWN: "?",
    RejectionReason.FAILED: "F",
    RejectionReason.CANCELLED: "C",
    RejectionReason.NOT_RUN: "N",
    RejectionReason.CARRIED_OVER: "o",
    RejectionReason.UNTRUSTED_RUN: "u",
    RejectionReason.TESTED_SHA_DIFFERS: "t",
    RejectionReason.HEAD_NOT_IN_BASE: "h",
    RejectionReason.CHANGED: "c",
    RejectionReason.MOVED: "m",
    RejectionReason.MISSING: "g",  # gone
    RejectionReason.IMPORT_CHANGED: "j",  # the next letter that is free
    RejectionReason.NO_REGISTRATION: "r",
    RejectionReason.SUITE_CHANGED: "s",
    RejectionReason.DISABLED: "d",
    RejectionReason.AMBIGUOUS_KEY: "a",
    RejectionReason.OUTSIDE_WINDOW: "w",
    RejectionReason.OLDER_NIGHT: "n",  # newer ones count
    RejectionReason.NOT_ASKED: "q",
    RejectionReason.IMPLICIT: "i",
    RejectionReason.BUNDLE: "b",
    RejectionReason.AWAY_FROM_HOME: "y",
    RejectionReason.SEVERAL_SUITES: "v",
    RejectionReason.PATH_NOT_RELATIVE: "p",
    RejectionReason.NO_OWN_CHECKOUT: "k",
    RejectionReason.SKIPPED_RUN: "e",  # empty
    RejectionReason.FALSE_PASS: "f",
    RejectionReason.COLLAPSED: "l",
}


def why_not(item: JudgedTiming) -> tuple[str, str]:
    """The letter and the words for a row that does not count; two empty texts for a sample."""
    reason = _reason(item)
    if reason is not None:
        return LETTER[reason], words(REJECTION, reason)
    return ("", "") if item.verdict else (NOT_JUDGED, NOT_JUDGED_WORDS)


def _reason(item: JudgedTiming) -> RejectionReason | None:
    """The verdict's reason; before there is a verdict, what the log itself says."""
    if item.verdict is not None:
        return item.verdict.reason
    if item.timing.carried_over:
        return RejectionReason.CARRIED_OVER
    status = item.timing.row.status
    return None if status is Status.PASSED else RejectionReason(status.value)
