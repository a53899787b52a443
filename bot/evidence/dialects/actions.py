"""What an Actions job log says of itself, whatever suite runner it carries: runner, job, checkouts.

Reads single lines in order; judges nothing. Which checkout is the tested one is decided where the
run's repository is known.
"""

from __future__ import annotations

import re
from typing import Final

from bot.domain import Checkout, CommitSha

MAX_CHECKOUTS: Final = 8

_RUNNER = re.compile(rb"Runner name: '(.{1,200})'$")
_JOB = re.compile(rb"Complete job name: (.{1,400})$")
_DIRECTORY = re.compile(
    rb"(?:Working directory is '|\[command\]\S{0,200}git config --global --add safe\.directory )"
    rb"(/[^'\s]{1,500})'?$"
)
_SYNCING = re.compile(rb"Syncing repository: (\S{1,200})$")
_STEP = re.compile(rb"##\[group\]Run (\S{1,200})")
_FETCH = re.compile(rb"\[command\]\S{0,200}git (?:.{0,400} )?fetch .{0,2000}?\+([0-9a-f]{40}):refs/")
_LOG = re.compile(rb"\[command\]\S{0,200}git log -1 --format='?%H'?$")
_SHA = re.compile(rb"'?([0-9a-f]{40})'?$")


class ActionsHead:
    """Collects from the lines of a job's log, in order."""

    def __init__(self) -> None:
        self.runner_name = ""
        self.job_name = ""
        self.checkouts: list[Checkout] = []
        self._in_checkout = False
        self._repository = ""
        self._directory = ""
        self._fetched = False
        self._sha_follows = False

    def take(self, line: bytes) -> None:
        """Look at one line's payload."""
        if not self.runner_name and (found := _RUNNER.match(line)):
            self.runner_name = found[1].decode("utf-8", "replace")
        elif not self.job_name and (found := _JOB.match(line)):
            self.job_name = found[1].decode("utf-8", "replace")
        elif found := _STEP.match(line):
            self._in_checkout = found[1].startswith(b"actions/checkout")
            self._repository, self._directory, self._fetched, self._sha_follows = "", "", False, False
        elif self._in_checkout:
            self._take_checkout(line)

    def _take_checkout(self, line: bytes) -> None:
        """The first `git fetch` by commit, or what `git log -1` prints after a fetch of all branches.

        The directory is named before, as the step's own and as one that git may trust.
        """
        if found := _SYNCING.match(line):
            self._repository = found[1].decode("utf-8", "replace")
        elif found := _DIRECTORY.match(line):
            self._directory = found[1].decode("utf-8", "replace").rstrip("/")
        elif (found := _FETCH.match(line)) or (self._sha_follows and (found := _SHA.match(line))):
            self._add(found[1].decode())
        self._sha_follows = _LOG.match(line) is not None

    def _add(self, sha: str) -> None:
        if not self._fetched and len(self.checkouts) < MAX_CHECKOUTS:
            self.checkouts.append(Checkout(self._repository, CommitSha(sha), self._directory))
        self._fetched = True
