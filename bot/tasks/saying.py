"""The sentence of an answer for each way in which a command can end. Constant words, foreign ones shown inert.

No sentence begins a line with a command, so that no answer can be taken for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bot.publish.markdown import code, link, prose
from bot.publish.ports.pulls import PullRequestState
from bot.tasks.outcomes import Ending, OutcomeName

_SAID: Mapping[OutcomeName, str] = {
    OutcomeName.PUBLISHED: "The App's pull request is up to date",
    OutcomeName.REFRESHED: "The same proposals as before: the branch stays as it is, text and evidence are renewed",
    OutcomeName.WITHDRAWN: "There is nothing left to change, so the App's pull request was closed",
    OutcomeName.NOTHING_TO_CHANGE: "There is nothing to change",
    OutcomeName.REPORT_ONLY: "These runs only report: branch and pull request were left as they are",
    OutcomeName.OBSERVED: "The configuration says `mode: observe`: branch and pull request were left as they are",
    OutcomeName.PAUSED: "The App's pull request is paused, so nothing changed; `/recalibrate resume` starts it again",
    OutcomeName.DECLINED: "A person closed the pull request with these very values, so it was not opened again",
    OutcomeName.NOT_DUE: "The schedule of the pull request allows no update yet",
    OutcomeName.QUESTION_ASKED: (
        "Whole suites moved together, so nothing is proposed until a person says that it is meant: an issue of the "
        "App asks, and `/recalibrate --policy strict` takes it as it is"
    ),
    OutcomeName.BRANCH_OF_A_PERSON: (
        "The branch holds commits that are not the App's, so it was left alone. `/recalibrate rebuild` saves them "
        "under a name of their own and puts the branch back on its base"
    ),
    OutcomeName.BRANCH_OF_ANOTHER_APP: "The branch is another App's, so it was left alone",
    OutcomeName.BRANCH_PROTECTED: "A rule of this repository forbids the change of the branches; nothing was moved",
    OutcomeName.NOT_SAVED: "The branch was left as it is, because the commits on it could not be saved",
    OutcomeName.GATE_REFUSED: "The commit made is not the base with the planned literals alone, so nothing was moved",
    OutcomeName.PULL_REQUEST_FORBIDDEN: "The branch is there, and the pull request may not be opened",
    OutcomeName.BASE_KEEPS_MOVING: "The base branch moved again and again; ask once more when it is quiet",
    OutcomeName.ARCHIVED: "This repository is archived",
    OutcomeName.SUSPENDED: "The App's installation is suspended",
    OutcomeName.NO_TIMINGS: "No log of these runs carries timings",
    OutcomeName.RUN_GONE: "GitHub does not have that run, or not any more",
    OutcomeName.LOGS_FORBIDDEN: "The logs may not be read",
    OutcomeName.CONFIG_INVALID: "`.github/recalibrate.yml` at the base cannot be used; nothing was done",
    OutcomeName.CONFIG_UNREADABLE: "`.github/recalibrate.yml` at the base could not be read; nothing was done",
    OutcomeName.UNVERIFIED: "Could not verify your role in this repository, so nothing was done; ask again later",
    OutcomeName.NOTHING_MEASURED: (
        "No nightly of this repository has been measured yet; `/recalibrate run` takes the id of one"
    ),
    OutcomeName.GIVEN_UP: "GitHub gave no good answer for more than a day, so this is given up; ask again",
    OutcomeName.REFUSED: "That did not work",
    OutcomeName.INTERNAL_ERROR: "Something broke in the App itself; its operator can find this in the log",
}
_EVALUATED = frozenset({OutcomeName.NOTHING_TO_CHANGE, OutcomeName.WITHDRAWN, OutcomeName.QUESTION_ASKED})
_QUIET = frozenset({OutcomeName.INTERNAL_ERROR, OutcomeName.UNVERIFIED})  # their detail is for the operator


def sentence(ending: Ending) -> str:
    """What became of a command, in one or two sentences."""
    if ending.name is OutcomeName.DENIED:
        return f"Your role here is {code(ending.detail)}, which may not do this: see `commands` in the configuration.\n"
    said = _SAID.get(ending.name, ending.name.value.replace("_", " ").capitalize())
    detail = "" if ending.name in _QUIET else _detail(ending.detail.rstrip(". "))
    saved = f" What stood on the branch is saved as {code(ending.saved)}." if ending.saved else ""
    return f"{said}{f': {detail}' if detail else ''}.{saved}\n"


def waiting(ending: Ending, until: datetime) -> str:
    """What is said of a command that waits for GitHub, and is gone on with by itself."""
    return (
        f"Waiting for GitHub until {until:%Y-%m-%d %H:%M} UTC: {prose(ending.detail)}. "
        "This is gone on with by itself then, and this answer is replaced.\n"
    )


def of_closed(pull: PullRequestState, ending: Ending) -> str:
    """Said below an answer on a pull request of ours that is open no more: where it goes on, or the way back."""
    here, how = link(f"#{pull.number}", pull.url), "merged" if pull.merged else "closed"
    if ending.name in (OutcomeName.PUBLISHED, OutcomeName.REFRESHED):
        return f"\n{here} is {how} and stays so: its matter goes on in {_detail(ending.detail)}.\n"
    if ending.name in _EVALUATED:
        return f"\n{here} is {how}, and nothing takes its place at present.\n"
    return (
        f"\n{here} is {how} and stays so. To take its matter up again comment `/recalibrate`: where something is to "
        "be changed, a new pull request is opened.\n"
    )


def _detail(text: str) -> str:
    """An address as a link with its number, any other text inert."""
    number = text.rpartition("/")[2]
    shown = f"#{number}" if number.isdigit() else "address"
    linked = link(shown, text)
    return linked if linked != shown else prose(text)


def also(count: int) -> str:
    """A note about commands on later lines of the comment."""
    return (
        f"\nOnly the first line of a comment is read; {count} more in this one {_were(count)} not.\n" if count else ""
    )


def _were(count: int) -> str:
    return "was" if count == 1 else "were"
