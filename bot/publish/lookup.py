"""Answers about one `Evaluation` that several texts ask: which row was used, for which decision, and why not.

Built once from the evaluation, never changed. It judges nothing: the stages before did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from bot.domain import (
    CommitSha,
    Decision,
    Evaluation,
    Identity,
    IdentityCheck,
    Imports,
    JobEvidence,
    JobId,
    Keep,
    LabelChange,
    LogNote,
    Proposal,
    RefusedEdit,
    RegistrationKey,
    Rejection,
    RejectionReason,
    RunEvidence,
    RunId,
    Sample,
    ScheduledFile,
    Status,
    TestPath,
)

_Paired = TypeVar("_Paired", Sample, Rejection)
RowId = tuple[RunId, int, JobId, int, TestPath]  # run, attempt, job, plan index, path

# A run with one of these facts may be reported and never leads to an edit.
REPORT_ONLY_REASONS = frozenset(
    {RejectionReason.UNTRUSTED_RUN, RejectionReason.TESTED_SHA_DIFFERS, RejectionReason.HEAD_NOT_IN_BASE}
)


def row_id(row: ScheduledFile) -> RowId:
    """What names one row of evidence."""
    return (row.run_id, row.attempt, row.job_id, row.plan_index, row.path)


def log_name(job_id: JobId) -> str:
    """Where a job's log stands below its run's directory."""
    return f"jobs/{job_id}/job-{job_id}.log"


@dataclass(frozen=True, slots=True)
class Lookup:
    """The evaluation with its cross references."""

    evaluation: Evaluation
    samples: Mapping[RowId, Sample]
    rejections: Mapping[RowId, Rejection]
    decisions: Mapping[RegistrationKey, Decision]
    identities: Mapping[tuple[TestPath, CommitSha], IdentityCheck]
    imports: Mapping[TestPath, Imports]  # by test file
    refused: Mapping[RegistrationKey, RefusedEdit]  # est_time edits that were planned and not carried out
    refused_labels: Mapping[RegistrationKey, RefusedEdit]  # label edits likewise
    chosen: frozenset[RowId]  # rows that a decision names as its samples
    used_by_key: Mapping[RegistrationKey, tuple[Sample, ...]]
    unused_by_key: Mapping[RegistrationKey, tuple[Rejection, ...]]
    spare: Mapping[RowId, Rejection]  # samples that gave no value, each with why
    spare_by_key: Mapping[RegistrationKey, tuple[Rejection, ...]]

    @property
    def changes(self) -> tuple[Proposal, ...]:
        """Proposals that are carried out, the largest change first, equal ones by key."""
        found = [
            decision
            for key, decision in self.decisions.items()
            if isinstance(decision, Proposal) and key not in self.refused
        ]
        return tuple(sorted(found, key=lambda p: (-abs(p.after - p.registration.est_time), p.registration.key)))

    @property
    def label_changes(self) -> tuple[LabelChange, ...]:
        """Label edits that are carried out, by key."""
        found = [
            change for change in self.evaluation.label_changes if change.registration.key not in self.refused_labels
        ]
        return tuple(sorted(found, key=lambda change: change.registration.key))

    @property
    def keeps(self) -> tuple[Keep, ...]:
        """Decisions to change nothing, by key."""
        found = [decision for decision in self.decisions.values() if isinstance(decision, Keep)]
        return tuple(sorted(found, key=lambda keep: keep.registration.key))

    @property
    def in_one_session(self) -> frozenset[RegistrationKey]:
        """Files of plans that a suite executed as one session: scheduled, yet without rows."""
        jobs = [job for _, job in counted_jobs(self.evaluation) if LogNote.NO_PER_FILE_TIMING in job.notes]
        plans = [job.plan for job in jobs if job.plan]
        return frozenset(RegistrationKey(file.path, plan.backend, plan.suite) for plan in plans for file in plan.files)

    def key(self, row: ScheduledFile) -> RegistrationKey:
        """The registration key a row was paired with, or would be."""
        sample, rejection = self.samples.get(row_id(row)), self.rejections.get(row_id(row))
        paired = sample.key if sample else rejection.key if rejection else None
        return paired or RegistrationKey(row.path, row.backend, row.suite)

    def used(self, row: ScheduledFile) -> bool:
        """True where the row's pass is among the samples its decision rests on."""
        name = row_id(row)
        if name not in self.samples:
            return False
        decision = self.decisions.get(self.samples[name].key)
        return decision is not None and (not decision.samples or name in self.chosen)

    @property
    def passes_used(self) -> int:
        """How many passes the decisions rest on."""
        return sum(self.used(sample.row) for sample in self.samples.values())

    def unused_reason(self, row: ScheduledFile) -> str:
        """Why a passed row's time was not used, as one word; "" where it was used or did not pass."""
        if row.status is not Status.PASSED or self.used(row):
            return ""
        unused = self.rejections.get(row_id(row)) or self.spare.get(row_id(row))
        return (unused.reason if unused else RejectionReason.NO_REGISTRATION).value

    def identity(self, row: ScheduledFile) -> tuple[Identity | None, IdentityCheck | None]:
        """The verdict for a row's file at its head, and the check with the blobs where there was one."""
        check = self.identities.get((row.path, row.head_sha))
        if check:
            return check.verdict, check
        sample, rejection = self.samples.get(row_id(row)), self.rejections.get(row_id(row))
        return (sample.identity if sample else rejection.identity if rejection else None), None

    def reached_by(self, path: TestPath) -> Imports | None:
        """What the file of a test path imports or launches, where it was measured and any file counts."""
        return self.imports.get(TestPath(path.partition("::")[0]))

    def report_only(self, key: RegistrationKey) -> bool:
        """True where passes of this key exist and only edits being off keeps them from counting."""
        if key in self.used_by_key:
            return bool(self.evaluation.report_only) and isinstance(self.decisions.get(key), Proposal)
        return any(
            rejection.row.status is Status.PASSED and rejection.reason in REPORT_ONLY_REASONS
            for rejection in self.unused_by_key.get(key, ())
        )


def lookup(evaluation: Evaluation) -> Lookup:
    """Cross references of an evaluation."""
    refused = _refused_edits(evaluation)
    chosen = frozenset(row_id(sample.row) for decision in evaluation.decisions for sample in decision.samples)
    spare = _spare(evaluation, chosen)
    return Lookup(
        evaluation=evaluation,
        samples={row_id(sample.row): sample for sample in evaluation.samples},
        rejections={row_id(rejection.row): rejection for rejection in evaluation.rejections},
        decisions={decision.registration.key: decision for decision in evaluation.decisions},
        identities={(check.path, check.head_sha): check for check in evaluation.identities},
        imports={one.path: one for one in evaluation.imports},
        refused={key: item for key, item in refused if item.change.est_time is not None},
        refused_labels={key: item for key, item in refused if item.change.labels is not None},
        chosen=chosen,
        used_by_key=_by_key(evaluation.samples),
        unused_by_key=_by_key(evaluation.rejections),
        spare={row_id(one.row): one for one in spare},
        spare_by_key=_by_key(spare),
    )


def _spare(evaluation: Evaluation, chosen: frozenset[RowId]) -> tuple[Rejection, ...]:
    """The samples that gave no value: their decision rests on newer ones, or nobody asked about their key."""
    decided = {decision.registration.key for decision in evaluation.decisions}
    without = {decision.registration.key for decision in evaluation.decisions if not decision.samples}
    spare = [x for x in evaluation.samples if x.key not in without and row_id(x.row) not in chosen]
    older = [_as_rejected(x, RejectionReason.OLDER_NIGHT) for x in spare if x.key in decided]
    other = [x for x in spare if x.key not in decided] if evaluation.narrowed else []
    return (*older, *(_as_rejected(x, RejectionReason.NOT_ASKED) for x in other))


def _as_rejected(sample: Sample, reason: RejectionReason) -> Rejection:
    return Rejection(sample.row, reason, sample.key, sample.identity, night_at=sample.night_at)


def counted_jobs(evaluation: Evaluation) -> tuple[tuple[RunEvidence, JobEvidence], ...]:
    """Every job once, by run, attempt and job: a carried-over one stands under the attempt it ran in.

    A carried-over job whose original is not part of the evaluation (its attempt was not given) has
    no other place and stays where it is.
    """
    known = {job.log.job.job_id for run in evaluation.runs for job in run.jobs}
    found = [
        (run, job)
        for run in sorted(evaluation.runs, key=lambda r: (r.run.run_id, r.run.attempt))
        for job in sorted(run.jobs, key=lambda j: j.log.job.job_id)
        if job.carried_from is None or job.carried_from == job.log.job.job_id or job.carried_from not in known
    ]
    return tuple(found)


def main_reason(rejections: tuple[Rejection, ...]) -> RejectionReason | None:
    """The one reason that says most about a key without a sample; None where it was never scheduled.

    In the order of the enum: what the suite runner said comes before what we said about it.
    """
    reasons = {rejection.reason for rejection in rejections}
    return next((reason for reason in RejectionReason if reason in reasons), None)


def _refused_edits(evaluation: Evaluation) -> tuple[tuple[RegistrationKey, RefusedEdit], ...]:
    """Planned edits that were not carried out, each with the key of its call."""
    planned = [item.registration for item in (*evaluation.decisions, *evaluation.label_changes)]
    by_call = {(call.file, call.blob, call.index): call.key for call in planned}
    found = [
        (by_call.get((item.change.path, item.change.blob, item.change.index)), item)
        for item in evaluation.refused_edits
    ]
    return tuple((key, item) for key, item in found if key is not None)


def _by_key(items: tuple[_Paired, ...]) -> Mapping[RegistrationKey, tuple[_Paired, ...]]:
    found: dict[RegistrationKey, list[_Paired]] = {}
    for item in items:
        if item.key is not None:
            found.setdefault(item.key, []).append(item)
    return {key: tuple(group) for key, group in found.items()}
