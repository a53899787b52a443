"""Where the four stages meet: evidence, calibration, edit, and what publishing is given. Pure.

`evaluate` takes values and gives a value, so that it runs in any process, and twice gives the
same. Reading a repository is `bot.tasks.gather`'s part, publishing `bot.publish`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bot.calibration.decide import HeadLiteral, Surroundings
from bot.calibration.history import newest_sample
from bot.calibration.label_totals import label_totals
from bot.calibration.own_history import Terms, own_history
from bot.calibration.partition import partition_sizes, plan_partitions
from bot.calibration.policies import Policy
from bot.calibration.window import inside, nights_of
from bot.domain import (
    BlobSha,
    CommitSha,
    Decision,
    Evaluation,
    FileEdit,
    IdentityCheck,
    Keep,
    KeepReason,
    KeyHistory,
    LabelChange,
    LabelRefusal,
    LabelSelection,
    LiteralChange,
    MergedLower,
    OwnHistory,
    PolicyStamp,
    Proposal,
    RefusedEdit,
    RefusedLabels,
    Registration,
    RegistrationKey,
    Rejection,
    RunEvidence,
    Sample,
    TestPath,
)
from bot.edit.apply import apply
from bot.edit.identity import TwoVersions, check_identity, paths_by_blob
from bot.edit.labels import LabelPlan, plan_labels
from bot.edit.ports import TreeEntry
from bot.edit.registrations import AUTOMATIC, Dialects
from bot.edit.registry_reader import read_registry, split_location
from bot.edit.siblings import suggest_from_siblings
from bot.edit.tree_reader import file_of, refused_calls
from bot.evidence.anchoring import same_literal, with_backends, with_homes
from bot.evidence.carried import mark_carried
from bot.evidence.histories import histories
from bot.evidence.registry import registry
from bot.evidence.samples import Base, judge, pairs_to_check
from bot.repo_config import RepoConfig
from bot.tasks.deciding import Ground, decide, settle_doubts
from bot.tasks.explaining import Settings, Told, explain
from bot.tasks.gather import Gathered
from bot.tasks.matrix_pairs import sweeping_pairs
from bot.tasks.selection import EVERYTHING, Selection

NOTHING_SELECTED = "No registration fits what the evaluation was narrowed to."
NO_REGISTRATIONS = "No register_*_ci call was found under the configured paths."


@dataclass(frozen=True, slots=True)
class Question:
    """Everything one evaluation depends on.

    `published` holds the value that our last merged pull request wrote, by key: a literal that differs
    from the one that was measured and is that value is ours and not a person's. `declined` holds the slowest
    passes that pull requests which a person closed rested on, `lowered` what merged ones lowered.
    `most_edits` None: no cap.
    `told` holds the telling lines of `bot.tasks.explaining.jobs_to_explain`.
    """

    repository: str
    gathered: Gathered
    runs: tuple[RunEvidence, ...]
    config: RepoConfig
    policy: Policy
    published: Mapping[RegistrationKey, float] = field(default_factory=dict)
    declined: Mapping[RegistrationKey, tuple[float, ...]] = field(default_factory=dict)
    lowered: Mapping[RegistrationKey, tuple[MergedLower, ...]] = field(default_factory=dict)
    most_edits: int | None = None
    selection: Selection = EVERYTHING
    report_only: str = ""
    told: Told = field(default_factory=dict)


def evaluate(question: Question) -> Evaluation:
    """The whole road from evidence to proven edits; one paragraph a stage."""
    at, dialects = question.gathered, Dialects(question.config.registrations)
    runs = with_backends(mark_carried(question.runs), at.sources)
    sources = with_homes(at.sources, runs)
    known = registry(sources)
    calls = [call for source in sources for call in source.registrations if question.selection.wants(call)]

    identities = _identities(at, pairs_to_check(runs, known), dialects)
    in_base = {head.sha for head in at.heads.values() if head.in_base}
    judged = judge(runs, Base(known, {(check.path, check.head_sha): check for check in identities}, in_base))

    judged, history = settle_doubts(judged, histories(judged), question.policy)
    heads = {key: _head_literal(question, known.active[key], history[key]) for key in history if key in known.active}
    beside = Surroundings(
        {key: head for key, head in heads.items() if head}, question.declined, lowered=question.lowered
    )
    ground = Ground(runs, question.policy, question.config.timeout.rule, beside)
    decisions, questions = decide(calls, history, ground)
    decisions, labels = _capped(decisions, _labels(question, calls), question.most_edits)
    counted = inside(nights_of(history.values()), question.policy.window)
    night_runs = [run for run in runs if run.run.run_id in counted]
    partitions, not_packed = plan_partitions(night_runs, decisions, question.config.partitions.budget_s)
    limits = explain(runs, judged, at, question.told, Settings(question.config, question.policy))

    strangers = unmatched(calls, runs)
    changes = _changes(decisions, labels.changes)
    edits, refused_edits = _edits(changes, at.base_files, at.contents, dialects)

    return Evaluation(
        repository=question.repository,
        base=at.base,
        base_sha=at.base_sha,
        policy=_stamp(question),
        runs=runs,
        samples=tuple(one for one in judged if isinstance(one, Sample)),
        rejections=tuple(one for one in judged if isinstance(one, Rejection)),
        identities=identities,
        decisions=decisions,
        label_changes=labels.changes,
        label_selections=_selections(labels.changes, decisions),
        label_suggestions=suggest_from_siblings(calls) if question.config.labels.siblings == "suggest" else (),
        refused_labels=labels.refused,
        refused_calls=refused_calls(at.sources),
        edits=edits,
        refused_edits=refused_edits,
        partitions=partitions,
        not_packed=not_packed,
        report_only=question.report_only,
        narrowed=question.selection.narrowed,
        registrations=len(calls),
        unmatched=strangers,
        notes=(NOTHING_SELECTED,) if question.selection.narrowed and not calls else _notes(calls, strangers, runs),
        questions=questions,
        own_history=_own_history(question, runs),
        limits=limits,
        label_totals=label_totals(decisions, labels.changes),
        matrix_pairs=sweeping_pairs(decisions, at, question.config.timeout.floor_s),
    )


def unmatched(calls: Iterable[Registration], runs: Iterable[RunEvidence]) -> tuple[RegistrationKey, ...]:
    """The active registrations that no plan of these runs lists, in order."""
    plans = (job.plan for run in runs for job in run.jobs if job.plan is not None)
    planned = {RegistrationKey(file.path, plan.backend, plan.suite) for plan in plans for file in plan.files}
    return tuple(sorted({call.key for call in calls if call.active} - planned))


def _notes(
    calls: Sequence[Registration], strangers: Sequence[RegistrationKey], runs: Iterable[RunEvidence]
) -> tuple[str, ...]:
    """What a person must not miss: nothing to read, registrations that no log knows, files without one."""
    if not calls:
        return (NO_REGISTRATIONS,)
    active = len({call.key for call in calls if call.active})
    plans = (job.plan for run in runs for job in run.jobs if job.plan is not None)
    implicit = {file.path for plan in plans for file in plan.files if file.implicit}
    found = []
    if strangers:
        found.append(f"Unmatched: {len(strangers)} of {active} active registrations; no log of these runs plans them.")
    if implicit:
        found.append(f"Implicit: {len(implicit)} planned files without a registration of their own; nothing to edit.")
    return tuple(found)


def _identities(
    at: Gathered, pairs: Iterable[tuple[TestPath, CommitSha]], dialects: Dialects
) -> tuple[IdentityCheck, ...]:
    by_blob = paths_by_blob(at.base_files)
    return tuple(check_identity(_versions(at, path, head), by_blob, dialects) for path, head in pairs)


def _versions(at: Gathered, path: TestPath, head: CommitSha) -> TwoVersions:
    file = file_of(path)
    measured, base = at.heads[head].files.get(file), at.base_files.get(file)
    return TwoVersions(
        path=path,
        head_sha=head,
        head=measured,
        base=base,
        head_bytes=at.contents.get(measured.blob) if measured else None,
        base_bytes=at.contents.get(base.blob) if base else None,
    )


def _head_literal(question: Question, call: Registration, history: KeyHistory) -> HeadLiteral | None:
    """The literal at the newest contributing head; None where the file is the same there."""
    newest = newest_sample(history)
    if newest is None:
        return None
    path, at = call.file, question.gathered
    measured, base = at.heads[newest.row.head_sha].files.get(path), at.base_files.get(path)
    raw = at.contents.get(measured.blob) if measured else None
    if measured is None or base is None or measured == base or raw is None:
        return None
    dialect = Dialects(question.config.registrations).of(path, raw)
    there = dialect.read(path, measured.blob, raw).registrations if dialect else ()
    value = next((one.est_time for one in there if same_literal(call.key, one.key) and one.active), None)
    return HeadLiteral(value, changed_by_us=call.est_time == question.published.get(history.key))


def _labels(question: Question, calls: Sequence[Registration]) -> LabelPlan:
    _, name = split_location(question.config.registrations.label_registry)
    return plan_labels(question.config.labels.rules, read_registry(question.gathered.label_registry, name), calls)


def _changes(decisions: Iterable[Decision], labels: Iterable[LabelChange]) -> tuple[LiteralChange, ...]:
    """One change a call: its new estimate, its labels, or both."""
    found: dict[tuple[TestPath, int], LiteralChange] = {}
    for decision in decisions:
        if isinstance(decision, Proposal):
            call = decision.registration
            found[(call.file, call.index)] = LiteralChange(call.file, call.blob, call.index, decision.after)
    for change in labels:
        call = change.registration
        place = (call.file, call.index)
        present = found.get(place, LiteralChange(call.file, call.blob, call.index))
        found[place] = replace(present, labels=change.after)
    return tuple(found[place] for place in sorted(found))


def _capped(
    decisions: tuple[Decision, ...], labels: LabelPlan, most: int | None
) -> tuple[tuple[Decision, ...], LabelPlan]:
    """At most so many files, those with the largest change first; the others keep what they have, by name."""
    weight: dict[TestPath, float] = {change.registration.file: 0.0 for change in labels.changes}
    for one in decisions:
        if isinstance(one, Proposal):
            path = one.registration.file
            weight[path] = max(weight.get(path, 0.0), abs(one.after - one.registration.est_time))
    if most is None or len(weight) <= most:
        return decisions, labels
    over = set(sorted(weight, key=lambda path: (-weight[path], path))[most:])
    kept = tuple(one for one in labels.changes if one.registration.file not in over)
    left = tuple(
        RefusedLabels(one.registration, LabelRefusal.OVER_CAP, one.rule)
        for one in labels.changes
        if one.registration.file in over
    )
    return tuple(_held_back(one, over) for one in decisions), LabelPlan(kept, (*labels.refused, *left))


def _held_back(decision: Decision, over: set[TestPath]) -> Decision:
    if not isinstance(decision, Proposal) or decision.registration.file not in over:
        return decision
    return Keep(
        registration=decision.registration,
        reason=KeepReason.OVER_CAP,
        estimate=decision.estimate,
        held=decision.after,
        timeout_s=decision.timeout_before_s,
        samples=decision.samples,
        flags=decision.flags,
    )


def planned(evaluation: Evaluation) -> tuple[LiteralChange, ...]:
    """The literals an evaluation asks to change, whether or not its edits are at hand."""
    return _changes(evaluation.decisions, evaluation.label_changes)


def edited(
    evaluation: Evaluation,
    files: Mapping[TestPath, TreeEntry],
    contents: Mapping[BlobSha, bytes],
    dialects: Dialects = AUTOMATIC,
) -> Evaluation:
    """The evaluation with its edits made again from the base's own bytes."""
    edits, refused = _edits(planned(evaluation), files, contents, dialects)
    return replace(evaluation, edits=edits, refused_edits=refused)


def _edits(
    changes: Sequence[LiteralChange],
    files: Mapping[TestPath, TreeEntry],
    contents: Mapping[BlobSha, bytes],
    dialects: Dialects,
) -> tuple[tuple[FileEdit, ...], tuple[RefusedEdit, ...]]:
    edits: list[FileEdit] = []
    refused: list[RefusedEdit] = []
    for path in dict.fromkeys(change.path for change in changes):
        wanted = [change for change in changes if change.path == path]
        applied = apply(path, contents[files[path].blob], wanted, dialects)
        refused += applied.refused
        if applied.edit:
            edits.append(replace(applied.edit, mode=files[path].mode))
    return tuple(edits), tuple(refused)


def _selections(labels: Iterable[LabelChange], decisions: Iterable[Decision]) -> tuple[LabelSelection, ...]:
    """For each inserted label the tests it newly selects, and the seconds that adds to it."""
    seconds = {one.registration.key: _seconds(one) for one in decisions}
    keys: dict[str, list[RegistrationKey]] = {}
    for change in labels:
        for label in change.add:
            keys.setdefault(label, []).append(change.registration.key)
    return tuple(
        LabelSelection(label, tuple(sorted(found)), sum(seconds.get(key, 0.0) for key in found))
        for label, found in sorted(keys.items())
    )


def _seconds(decision: Decision) -> float:
    """The slowest accepted pass; the literal where there is none."""
    return max((float(sample.elapsed_s) for sample in decision.samples), default=decision.registration.est_time)


def _own_history(question: Question, runs: Sequence[RunEvidence]) -> OwnHistory | None:
    """Said beside the policy that it is about; `strict` and named parts of a repository need no such word."""
    if question.policy.name != "default" or question.selection != EVERYTHING:
        return None
    terms = Terms(question.config.estimate, partition_sizes(runs), question.config.timeout.rule)
    return own_history(runs, terms)


def _stamp(question: Question) -> PolicyStamp:
    policy = question.policy
    window = policy.window
    parameters: dict[str, str | int | float] = {
        "method": policy.method,
        "nights_raise": policy.nights_raise,
        "nights_lower": policy.nights_lower,
        "guards": ", ".join(guard.value for guard in policy.guards),
        "timeout_floor_s": question.config.timeout.floor_s,
        "timeout_factor": question.config.timeout.factor,
    }
    if policy.material is not None:
        parameters["material"] = "on"
    if window is not None:
        parameters |= {"window_nights": window.nights, "window_days": window.days or 0}
    return PolicyStamp(policy.name, parameters)
