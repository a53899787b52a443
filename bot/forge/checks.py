"""Check runs, made once and completed whatever GitHub thinks of their annotations.

A PATCH appends annotations, so a repeated step goes on from the number GitHub already has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from github.CheckRun import CheckRun

from bot.domain import CommitSha
from bot.forge.answers import RefusedError
from bot.forge.writes import WriteSession, github_errors, needed
from bot.publish.check_names import NIGHTLY_CHECK, REGISTRATIONS_CHECK
from bot.publish.ports.checks import Annotation, CheckReport, CheckState

BATCH = 50  # docs.github.com/rest/checks/runs: annotations in one request
_MOST_CHECKS = 100
_REFUSED_NOTE = "\n\nGitHub refused the annotations of this check run; the table holds all of them."
_MAX_FIELD_BYTES = 65_535


class Checks:
    """The check runs of one repository."""

    def __init__(self, session: WriteSession) -> None:
        self._session = session
        self._path = f"{session.name.path}/check-runs"

    def put(self, report: CheckReport) -> CheckState:
        """Make the check run, or finish one of the same identity; a finished one is left alone.

        Annotations go in batches of at most 50; the conclusion goes with the last one. Errors are those
        of every write (`bot.publish.ports`).
        """
        found = self._find(report)
        if found is not None and found.status == "completed":
            return _state(found)
        try:
            return self._finish(report, found)
        except RefusedError as error:
            if error.status != 422 or not report.annotations:
                raise
        return self._finish(_without_annotations(report), self._find(report))

    def identities(self, head_sha: CommitSha, app_id: int) -> tuple[str, ...]:
        """The external ids of the App's newest check run of each of its names on a commit; errors as `put`."""
        found: list[str] = []
        with github_errors(f"GET {self._session.name.path}/commits/{head_sha}/check-runs"):
            commit = self._session.repo.get_commit(head_sha)
            for name in (NIGHTLY_CHECK, REGISTRATIONS_CHECK):
                runs = islice(commit.get_check_runs(check_name=name, filter="latest"), _MOST_CHECKS)
                found += [run.external_id for run in runs if run.app.id == app_id and run.external_id]
        return tuple(found)

    def _find(self, report: CheckReport) -> CheckRun | None:
        with github_errors(f"GET {self._session.name.path}/commits/{report.head_sha}/check-runs"):
            runs = self._session.repo.get_commit(report.head_sha).get_check_runs(check_name=report.name, filter="all")
            return next((run for run in islice(runs, _MOST_CHECKS) if run.external_id == report.identity), None)

    def _finish(self, report: CheckReport, check: CheckRun | None) -> CheckState:
        """Send what is missing, the conclusion with the last batch."""
        if check is None:
            check = self._create(report)
            sent = min(len(report.annotations), BATCH)
        else:
            sent = check.output.annotations_count or 0
        ended = check.status == "completed"
        while not ended:
            batch = report.annotations[sent : sent + BATCH]
            sent += len(batch)
            ended = sent >= len(report.annotations)
            with github_errors(f"PATCH {self._path}/{check.id}"):
                check.edit(output=_output(report, batch), **_buttons(report), **_ending(report, sent))
        return _state(check)

    def _create(self, report: CheckReport) -> CheckRun:
        first = report.annotations[:BATCH]
        about: dict[str, Any] = {"details_url": report.details_url} if report.details_url else {}
        with github_errors(f"POST {self._path}"):
            made = self._session.repo.create_check_run(
                name=report.name,
                head_sha=report.head_sha,
                external_id=report.identity,
                output=_output(report, first),
                **about,
                **_buttons(report),
                **_ending(report, len(first)),
            )
            needed(made.id)
        return made


def _ending(report: CheckReport, sent: int) -> dict[str, Any]:
    """`completed` with the conclusion once every annotation is on its way."""
    if sent < len(report.annotations):
        return {"status": "in_progress"}
    return {"status": "completed", "conclusion": report.conclusion.value}


def _buttons(report: CheckReport) -> dict[str, Any]:
    """With every request: what an update leaves out may be gone."""
    if not report.buttons:
        return {}
    return {
        "actions": [
            {"label": item.label, "description": item.description, "identifier": item.identifier}
            for item in report.buttons
        ]
    }


def _output(report: CheckReport, annotations: Sequence[Annotation]) -> dict[str, Any]:
    output: dict[str, Any] = {"title": report.title, "summary": report.summary}
    if report.text:
        output["text"] = report.text
    if annotations:
        output["annotations"] = [
            {
                "path": item.path,
                "start_line": item.line,
                "end_line": item.line,
                "annotation_level": item.level.value,
                "title": item.title,
                "message": item.message,
            }
            for item in annotations
        ]
    return output


def _without_annotations(report: CheckReport) -> CheckReport:
    fits = len((report.summary + _REFUSED_NOTE).encode()) <= _MAX_FIELD_BYTES
    return replace(report, annotations=(), summary=report.summary + _REFUSED_NOTE if fits else report.summary)


def _state(check: CheckRun) -> CheckState:
    count = check.output.annotations_count or 0
    return CheckState(check.id, check.external_id or "", check.status == "completed", count, check.html_url or "")
