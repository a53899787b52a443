"""Cited log lines as the store keeps them, and back. Bytes travel as Latin-1 text, one character a byte."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from bot.domain import JobId, RepositoryId, RunEvidence
from bot.publish.lines import LINE_LIMIT, CitedText
from bot.publish.lookup import log_name
from bot.store.open import Store

Texts = Mapping[str, Mapping[int, CitedText]]


def packed(texts: Texts) -> dict[JobId, dict[int, str]]:
    """By job and line, for `store.runs.cite`."""
    return {
        _job(source): {number: text.raw.decode("latin-1") for number, text in lines.items()}
        for source, lines in texts.items()
    }


def merged_lines(
    cited: Mapping[JobId, Mapping[int, str]], more: Mapping[JobId, Mapping[int, bytes]]
) -> dict[JobId, dict[int, str]]:
    """Cited lines and others of the same logs, as the store keeps them."""
    found = {job: dict(lines) for job, lines in cited.items()}
    for job, lines in more.items():
        for number, raw in lines.items():
            found.setdefault(job, {}).setdefault(number, raw.decode("latin-1"))
    return found


def kept_bytes(lines: Mapping[int, str]) -> dict[int, bytes]:
    """Kept lines as they were in the log; longer ones by their beginning."""
    return {int(number): text.encode("latin-1") for number, text in lines.items()}


def told_of(
    store: Store, repository_id: RepositoryId, runs: Iterable[RunEvidence], wanted: Set[JobId]
) -> dict[JobId, Mapping[int, bytes]]:
    """What was kept of the logs of some jobs, by line."""
    found: dict[JobId, Mapping[int, bytes]] = {}
    for one in runs:
        if wanted & {job.log.job.job_id for job in one.jobs}:
            kept = store.runs.cited(repository_id, one.run)
            found |= {job: kept_bytes(lines) for job, lines in kept.items() if job in wanted}
    return found


def unpacked(kept: Mapping[JobId, Mapping[int, str]]) -> dict[str, dict[int, CitedText]]:
    """By log and line, for `publish.evidence_files`. A line of the longest kept length was longer."""
    return {
        log_name(job): {number: _text(raw) for number, raw in kept_bytes(lines).items()} for job, lines in kept.items()
    }


def _text(raw: bytes) -> CitedText:
    return CitedText(raw, cut=len(raw) >= LINE_LIMIT)


def _job(source: str) -> JobId:
    """The job of `jobs/<id>/job-<id>.log`."""
    return JobId(int(source.split("/")[1]))
