"""Where the things a text names can be opened. A place that is unknown is shown without a link.

Addresses are built from ids and from an address the run itself came with; free text never becomes
part of one (`bot.publish.markdown.link` refuses what is not a plain http(s) address).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.domain import CommitSha, Run, ScheduledFile
from bot.publish.markdown import link, plural

_RUN_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9.-]{1,253}(?::[0-9]{1,5})?/[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}/actions/runs/[0-9]{1,20}"
)
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")


@dataclass(frozen=True, slots=True)
class Links:
    """What the caller knows about places. Every field may stay empty.

    `server` is a web address such as https://github.com; `evidence_csv`, `manifest` and `lines` are
    addresses pinned to a commit, `directory` that of the page that lists them; `further` counts the
    parts that a large one has beside its first; `marker` is the invisible comment by which we find a text of ours
    (`bot.publish.names.marker`); `recompute` is the exact command that makes this report.
    """

    server: str = ""
    evidence_csv: str = ""
    manifest: str = ""
    lines: str = ""
    directory: str = ""
    further: int = 0
    marker: str = ""
    recompute: str = ""
    intro: str = ""  # our own sentence above everything else

    def run(self, run: Run) -> str:
        """The address of one run attempt, "" where it is unknown."""
        address = self._run_address(run)
        return f"{address}/attempts/{run.attempt}" if address else ""

    def job(self, run: Run | None, row: ScheduledFile) -> str:
        """The address of the job that a row comes from, "" where it is unknown."""
        address = self._run_address(run) if run else ""
        return f"{address}/job/{row.job_id}" if address else ""

    def pull(self, repository: str, number: int) -> str:
        """The address of a pull request, "" where it is unknown."""
        return self._of_repository(repository, f"pull/{number}")

    def commit(self, repository: str, commit: CommitSha) -> str:
        """The address of a commit, "" where it is unknown."""
        return self._of_repository(repository, f"commit/{commit}")

    def evidence(self) -> str:
        """The three evidence files, linked where they have an address, and the way to the parts of large ones."""
        files = (("evidence.csv", self.evidence_csv), ("manifest.json", self.manifest), ("lines.txt", self.lines))
        named = ", ".join(link(f"`{name}`", address) for name, address in files)
        more = link(f"{plural(self.further, 'more part')} of them", self.directory)
        return f"{named} and {more}" if self.further else named

    def _of_repository(self, repository: str, rest: str) -> str:
        known = self.server and _REPOSITORY.fullmatch(repository)
        return f"{self.server.rstrip('/')}/{repository}/{rest}" if known else ""

    def _run_address(self, run: Run) -> str:
        if self.server and _REPOSITORY.fullmatch(run.repository):
            return f"{self.server.rstrip('/')}/{run.repository}/actions/runs/{run.run_id}"
        found = _RUN_ADDRESS.match(run.url)
        return found.group() if found else ""
