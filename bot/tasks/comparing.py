"""Compares the registrations that a pull request adds or changes with what the nights measured. Pure.

The nights are those that every evaluation looks at, judged the same way; only the file that a pass
must belong to is the pull request's. Whether a night's head is an ancestor of anything does not
matter here: a pass of the very same file says what it says, and nothing is edited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.calibration.decide import decide_all
from bot.calibration.history import slowest_known_pass
from bot.calibration.policies import Policy
from bot.domain import (
    BlobSha,
    CommitSha,
    Decision,
    Identity,
    IdentityCheck,
    KeyHistory,
    RefusedCall,
    Registration,
    RegistrationKey,
    RunEvidence,
    SourceRegistrations,
    Status,
    Suite,
    TestPath,
)
from bot.edit.identity import TwoVersions, check_identity
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.registry_reader import LabelRegistry, UnreadRegistry
from bot.evidence.anchoring import with_backends, with_homes
from bot.evidence.carried import mark_carried
from bot.evidence.histories import histories
from bot.evidence.registry import registry
from bot.evidence.samples import Base, judge, pairs_to_check
from bot.publish.comparison import Compared
from bot.repo_config.runner import Timeout
from bot.tasks.deciding import settle_doubts

_MODE = "100644"  # of both sides of a comparison: a mode is no measurement


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared. `head` and `base` hold the changed files alone, at the head and at the merge base.

    `written` names the blob of each touched test file at the head, `measured` the blob that it had at
    the heads of nights; `contents` holds the bytes of both where they differ.
    """

    head: tuple[SourceRegistrations, ...]
    base: tuple[SourceRegistrations, ...]
    runs: tuple[RunEvidence, ...]
    written: Mapping[TestPath, BlobSha]
    measured: Mapping[tuple[TestPath, CommitSha], BlobSha]
    contents: Mapping[BlobSha, bytes]
    labels: LabelRegistry | UnreadRegistry
    policy: Policy
    timeout: Timeout
    unread_files: int = 0
    dialects: Dialects = AUTOMATIC


@dataclass(frozen=True, slots=True)
class Touched:
    """What a pull request brings: active registrations, refused calls, and how many disabled ones."""

    active: tuple[Registration, ...]
    refused: tuple[RefusedCall, ...]
    disabled: int


def touched(head: Iterable[SourceRegistrations], base: Iterable[SourceRegistrations]) -> Touched:
    """The calls of the head that the merge base does not have in the same words, wherever they stand."""
    before = Counter(_said(call) for source in base for call in source.registrations)
    refused_before = Counter(_refused(call) for source in base for call in source.refused)
    calls: list[Registration] = []
    refused: list[RefusedCall] = []
    for source in head:
        calls += [call for call in source.registrations if _new(before, _said(call))]
        refused += [call for call in source.refused if _new(refused_before, _refused(call))]
    active = tuple(call for call in calls if call.active)
    return Touched(active, tuple(refused), len(calls) - len(active))


@dataclass(frozen=True, slots=True)
class Found:
    """What a comparison found: see `bot.publish.comparison.Comparison`."""

    compared: tuple[Compared, ...]
    refused: tuple[RefusedCall, ...]
    disabled: int


def compare(sides: Sides) -> Found:
    """What a pull request brings, each active registration with what the nights say to it."""
    runs = with_backends(mark_carried(sides.runs), sides.head)
    homed = replace(sides, head=with_homes(sides.head, runs), base=with_homes(sides.base, runs), runs=runs)
    found = touched(homed.head, homed.base)
    return Found(_compare(homed, found), found.refused, found.disabled)


def _compare(sides: Sides, found: Touched) -> tuple[Compared, ...]:
    known = registry(sides.head)
    runs = _of_paths(sides.runs, {call.key.path for call in found.active})
    identities = {(path, head): _identity(sides, path, head) for path, head in pairs_to_check(runs, known)}
    judged = judge(runs, Base(known, identities, {one.run.head_sha for one in runs}))
    _, history = settle_doubts(judged, histories(judged), sides.policy)
    decisions = decide_all(found.active, history, sides.policy, sides.timeout.rule)
    before = {call.key: call for source in sides.base for call in source.registrations if call.active}
    suites = _passed_suites(runs)
    return tuple(
        _compared(sides, decision, history.get(decision.registration.key), before, suites) for decision in decisions
    )


def _new(before: Counter[tuple[object, ...]], said: tuple[object, ...]) -> bool:
    """False where the merge base has one more call of these words; each of them counts once."""
    before[said] -= 1
    return before[said] < 0


def _said(call: Registration) -> tuple[object, ...]:
    """What a call says, whatever its line."""
    return (call.key, call.est_text, call.labels, call.nightly, call.disabled, call.est_refusal, call.label_refusal)


def _refused(call: RefusedCall) -> tuple[object, ...]:
    return (call.path, call.reason, call.detail)


def _of_paths(runs: Sequence[RunEvidence], paths: set[TestPath]) -> tuple[RunEvidence, ...]:
    """The attempts with the rows of these files alone."""
    return tuple(
        replace(one, jobs=tuple(replace(job, rows=tuple(r for r in job.rows if r.path in paths)) for job in one.jobs))
        for one in runs
    )


def _identity(sides: Sides, path: TestPath, head: CommitSha) -> IdentityCheck:
    """Is the measured file the pull request's?"""
    blob, written = sides.measured.get((path, head)), sides.written.get(path)
    if blob is None or written is None:
        return IdentityCheck(path, head, Identity.MISSING, blob, written)
    versions = TwoVersions(
        path=path,
        head_sha=head,
        head=TreeEntry(blob, _MODE),
        base=TreeEntry(written, _MODE),
        head_bytes=sides.contents.get(blob),
        base_bytes=sides.contents.get(written),
    )
    return check_identity(versions, {}, sides.dialects)


def _passed_suites(runs: Iterable[RunEvidence]) -> Mapping[TestPath, frozenset[Suite]]:
    found: dict[TestPath, set[Suite]] = {}
    for row in (row for one in runs for row in one.rows if row.status is Status.PASSED):
        found.setdefault(row.path, set()).add(row.suite)
    return {path: frozenset(suites) for path, suites in found.items()}


def _compared(
    sides: Sides,
    decision: Decision,
    history: KeyHistory | None,
    before: Mapping[RegistrationKey, Registration],
    suites: Mapping[TestPath, frozenset[Suite]],
) -> Compared:
    call = decision.registration
    known = history or KeyHistory(call.key)
    unusable = [x for x in known.rejections if x.identity is not None and not x.identity.usable]
    earlier = max((x.row.elapsed_s or 0 for x in unusable if x.row.status is Status.PASSED), default=0)
    labels = sides.labels.labels if isinstance(sides.labels, LabelRegistry) else (call.labels or ())
    return Compared(
        decision=decision,
        before=before.get(call.key),
        limit_s=sides.timeout.rule(call.key.suite).effective(call.est_time) if call.est_time > 0 else 0,
        known_pass_s=slowest_known_pass(known, sides.policy.binding),
        earlier_pass_s=earlier,
        elsewhere=tuple(sorted(suites.get(call.key.path, frozenset()) - {call.key.suite})),
        unknown_labels=tuple(label for label in call.labels or () if label not in labels),
    )
