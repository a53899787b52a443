"""Issues of the App's own: a trouble is said once, kept up to date, and withdrawn when it is healed.

One issue a kind of trouble, found by its marker. Which trouble there is, the caller knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.publish.markdown import prose
from bot.publish.names import marker
from bot.publish.ports.issues import Issues, IssueState


class Trouble(StrEnum):
    """What can be wrong in a watched repository so that a person must act."""

    CONFIG_INVALID = "config-invalid"
    BRANCH_PROTECTED = "branch-protected"
    PULL_REQUEST_FORBIDDEN = "pull-request-forbidden"
    LOGS_FORBIDDEN = "logs-forbidden"
    BRANCH_TAKEN = "branch-taken"
    BRANCH_OF_ANOTHER_APP = "branch-of-another-app"
    MASS_CHANGE = "mass-change"
    NIGHTLY_SILENT = "nightly-silent"
    WORKFLOW_UNMATCHED = "workflow-unmatched"
    PERMISSION_MISSING = "permission-missing"


TITLES = {
    Trouble.CONFIG_INVALID: "recalibrate: the configuration cannot be used",
    Trouble.BRANCH_PROTECTED: "recalibrate: a rule forbids the recalibrate/* branches",
    Trouble.PULL_REQUEST_FORBIDDEN: "recalibrate: pull requests may not be opened",
    Trouble.LOGS_FORBIDDEN: "recalibrate: job logs may not be read",
    Trouble.MASS_CHANGE: "recalibrate: most tests of a suite changed their time in one night; is that meant?",
    Trouble.BRANCH_TAKEN: "recalibrate: its branch holds commits of somebody else",
    Trouble.BRANCH_OF_ANOTHER_APP: "recalibrate: its branch is another App's",
    Trouble.NIGHTLY_SILENT: "recalibrate: no nightly has completed for a while",
    Trouble.WORKFLOW_UNMATCHED: "recalibrate: the configured workflow matches no run",
    Trouble.PERMISSION_MISSING: "recalibrate: a permission is missing",
}

REMEDIES = {
    Trouble.CONFIG_INVALID: "Nothing is proposed until `.github/recalibrate.yml` is right or gone. "
    "`recalibrate check-config FILE` checks it before you push.",
    Trouble.BRANCH_PROTECTED: "Exempt the App, or the branches `recalibrate/**`, from the rule. "
    "Nothing is published until then; the evidence is kept.",
    Trouble.PULL_REQUEST_FORBIDDEN: "Let the App open pull requests: grant it `pull_requests: write`, and allow it in "
    "the organisation's settings. The branch is there already.",
    Trouble.LOGS_FORBIDDEN: "Grant the App `actions: read` and accept it in the installation's settings. "
    "Nothing is measured until then.",
    Trouble.NIGHTLY_SILENT: "Nothing is measured until a nightly completes. See whether the workflow is disabled "
    "(GitHub does that after 60 days without a commit) or its runners are away. "
    "`nightly.silent_days` in `.github/recalibrate.yml` says how long is too long.",
    Trouble.WORKFLOW_UNMATCHED: "Workflows are told by their file, not by their name. Correct `nightly.workflows` in "
    "`.github/recalibrate.yml`, or take it out to take any workflow whose logs carry timings.",
    Trouble.PERMISSION_MISSING: "Accept the App's permissions in the installation's settings. What needs them is left "
    "undone until then.",
    Trouble.MASS_CHANGE: "A new machine, another driver or a shared cause would look like this, and so would a fault "
    "of the runner. Nothing is proposed for these suites meanwhile. If it is meant, wait: after two more nights like "
    "this it is what the suite takes. To have it at once, comment `/recalibrate --policy strict`.",
    Trouble.BRANCH_OF_ANOTHER_APP: "Two Apps of this program must not share a repository, and neither touches what "
    "is the other's. Take one of them away from here, then close and delete what it leaves: its pull request and its "
    "`recalibrate/*` branches.",
    Trouble.BRANCH_TAKEN: "Nothing is pushed there. Rename or delete the branch, and the next nightly makes it anew.",
}


@dataclass(frozen=True, slots=True)
class Report:
    """One trouble with its details, each a line of text from anywhere; they are shown inert."""

    trouble: Trouble
    details: tuple[str, ...]

    def body(self, app_id: int) -> str:
        """The issue's text."""
        lines = "".join(f"- {prose(detail)}\n" for detail in self.details[:50])
        more = f"- and {len(self.details) - 50} more\n" if len(self.details) > 50 else ""
        closing = "This issue is closed by the App when the trouble is gone."
        return f"{marker(app_id, self.trouble.value)}\n{lines}{more}\n{REMEDIES[self.trouble]}\n\n{closing}\n"


def say(report: Report, app_id: int, issues: Issues, standing: int | None = None) -> IssueState:
    """Have one open issue that says this; one that says it already is left alone.

    `standing` is the number of the issue that says it since before, None where the trouble is new:
    if a person has closed that one, it was read, and stays closed until the trouble comes anew.
    """
    body = report.body(app_id)
    found = issues.find(marker(app_id, report.trouble.value))
    if found is None:
        return issues.open(TITLES[report.trouble], body)
    if found.state != "open" and found.number == standing:
        return found
    if found.state != "open":
        issues.reopen(found.number)
    if found.body != body:
        issues.update(found.number, body)
    return found


def withdraw(trouble: Trouble, app_id: int, issues: Issues) -> IssueState | None:
    """Close the open issue about a trouble that is gone; None where there is none."""
    found = issues.find(marker(app_id, trouble.value))
    if found is None or found.state != "open":
        return None
    issues.close(found.number)
    return found
