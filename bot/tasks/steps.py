"""Where the four stages meet: evidence, calibration, edit, and what publishing is given. Pure.

`evaluate` takes values and gives a value, so that it runs in any process, and twice gives the
same. Reading a repository is `bot.tasks.gather`'s part, publishing `bot.publish`'s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.calibration.decide import Surroundings
from bot.calibration.held import held_back
from bot.calibration.label_totals import label_totals
from bot.calibration.own_history import Terms, own_history
from bot.calibration.partition import partition_sizes, plan_partitions
from bot.calibration.window import inside, nights_of, outside
from bot.domain import (
    Decision,
    Evaluation,
    FileEdit,
    IdentityCheck,
    KeepReason,
    KeyHistory,
    OwnHistory,
    PolicyStamp,
    Proposal,
    RefusedEdit,
    Registration,
    RegistrationKey,
    Rejection,
    RunEvidence,
    RunId,
    Sample,
)
from bot.edit.labels import LabelPlan, plan_labels
from bot.edit.registrations import Dialects
from bot.edit.registry_reader import read_registry, split_location
from bot.edit.siblings import suggest_from_siblings
from bot.edit.tree_reader import refused_calls
from bot.evidence.anchoring import with_backends, with_homes
from bot.evidence.carried import mark_carried
from bot.evidence.histories import histories
from bot.evidence.registry import registry
from bot.evidence.samples import Base, judge, pairs_to_check
from bot.tasks.deciding import Ground, decide, settle_doubts
from bot.tasks.editing import capped, changes_of, edits_of, selections
from bot.tasks.explaining import Judging, explain
from bot.tasks.matrix_pairs import sweeping_pairs
from bot.tasks.question import Question
from bot.tasks.selection import EVERYTHING
from bot.tasks.unmatched import NOTHING_SELECTED, notes, unmatched
from bot.tasks.versions import head_literal, identities_of


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is known of the base, and what every measurement of it is worth."""

    runs: tuple[RunEvidence, ...]
    calls: tuple[Registration, ...]
    asked: tuple[Registration, ...]  # those of the calls that the evaluation is narrowed to
    active: Mapping[RegistrationKey, Registration]
    identities: tuple[IdentityCheck, ...]
    judged: tuple[Sample | Rejection, ...]
    history: Mapping[RegistrationKey, KeyHistory]
    window: frozenset[RunId]  # the nights that count


@dataclass(frozen=True, slots=True)
class _Decided:
    """What becomes of each registration, with its labels; and what a person is asked about whole suites.

    `beside` are the registrations that nobody asked about, each as it is written.
    """

    decisions: tuple[Decision, ...]
    labels: LabelPlan
    questions: tuple[str, ...]
    beside: tuple[Decision, ...]


def evaluate(question: Question) -> Evaluation:
    """The whole road from evidence to proven edits, one line a stage; then what a report shows beside them."""
    judged = _judge(question)
    decided = _decide(question, judged)
    edits, refused = _edit(question, decided)
    evaluation = replace(_found(question, judged, decided), edits=edits, refused_edits=refused)
    return _with_prospects(question, judged, decided, evaluation)


def _judge(question: Question) -> _Judged:
    """Evidence: pair what was measured with what is registered at the base, and judge each pass."""
    at, dialects = question.gathered, Dialects(question.config.registrations)
    runs = with_backends(mark_carried(question.runs), at.sources)
    sources = with_homes(at.sources, runs)
    known = registry(sources)
    calls = tuple(call for source in sources for call in source.registrations)
    asked = tuple(filter(question.selection.wants, calls))
    identities = identities_of(at, pairs_to_check(runs, known), dialects)
    in_base = {head.sha for head in at.heads.values() if head.in_base}
    checks = {(check.path, check.head_sha): check for check in identities}
    judged = judge(runs, Base(known, checks, in_base))
    judged, history = settle_doubts(judged, histories(judged), question.policy)
    window = inside(nights_of(history.values()), question.policy.window)
    return _Judged(runs, calls, asked, known.active, identities, tuple(judged), history, window)


def _decide(question: Question, judged: _Judged) -> _Decided:
    """Calibration: a proposal or a keep for each registration, and its labels, at most as many as may change.

    What matters is a question about a whole suite, so all are decided, also where few are asked about.
    """
    active, history = judged.active, judged.history
    heads = {key: head_literal(question, active[key], history[key]) for key in history if key in active}
    known = Surroundings(
        {key: head for key, head in heads.items() if head}, question.declined, lowered=question.lowered
    )
    ground = Ground(judged.runs, question.policy, question.config.timeout.rule, known)
    decided, questions = decide(judged.calls, history, ground)
    asked = tuple(one for one in decided if question.selection.wants(one.registration))
    beside = tuple(_as_written(one) for one in decided if not question.selection.wants(one.registration))
    decisions, labels = capped(asked, _labels(question, judged.asked), question.most_edits)
    return _Decided(decisions, labels, questions, beside)


def _as_written(decision: Decision) -> Decision:
    """Without the change that nobody asked for; the reason is never shown."""
    return held_back(decision, KeepReason.OVER_CAP) if isinstance(decision, Proposal) else decision


def _edit(question: Question, decided: _Decided) -> tuple[tuple[FileEdit, ...], tuple[RefusedEdit, ...]]:
    """Edit: rewrite the literals, each file proved."""
    at, dialects = question.gathered, Dialects(question.config.registrations)
    changes = changes_of(decided.decisions, decided.labels.changes)
    return edits_of(changes, at.base_files, at.contents, dialects)


def _found(question: Question, judged: _Judged, decided: _Decided) -> Evaluation:
    """What the stages found, as one value."""
    at, calls, runs = question.gathered, judged.asked, judged.runs
    told = [outside(x) if isinstance(x, Sample) and x.row.run_id not in judged.window else x for x in judged.judged]
    nothing, strangers = question.selection.narrowed and not calls, unmatched(judged.asked, judged.runs)
    return Evaluation(
        repository=question.repository,
        base=at.base,
        base_sha=at.base_sha,
        policy=_stamp(question),
        runs=runs,
        samples=tuple(one for one in told if isinstance(one, Sample)),
        rejections=tuple(one for one in told if isinstance(one, Rejection)),
        identities=judged.identities,
        imports=tuple(at.imports.values()),
        decisions=decided.decisions,
        label_changes=decided.labels.changes,
        refused_labels=decided.labels.refused,
        refused_calls=refused_calls(at.sources),
        report_only=question.report_only,
        narrowed=question.selection.narrowed,
        registrations=len(calls),
        unmatched=strangers,
        notes=(NOTHING_SELECTED,) if nothing else notes(calls, strangers, runs),
        questions=decided.questions,
    )


def _with_prospects(question: Question, judged: _Judged, decided: _Decided, evaluation: Evaluation) -> Evaluation:
    """With what the changes would lead to, and what is explained or suggested beside them."""
    at, config, runs, decisions = question.gathered, question.config, judged.runs, decided.decisions
    every = (*decisions, *decided.beside)
    night_runs = [run for run in runs if run.run.run_id in judged.window]
    partitions, not_packed = plan_partitions(night_runs, every, config.partitions.budget_s)
    return replace(
        evaluation,
        partitions=partitions,
        not_packed=not_packed,
        label_selections=selections(decided.labels.changes, decisions),
        label_suggestions=suggest_from_siblings(judged.asked) if config.labels.siblings == "suggest" else (),
        label_totals=label_totals(every, decided.labels.changes),
        own_history=_own_history(question, runs),
        limits=explain(runs, judged.judged, at, question.told, Judging(config, question.policy)),
        matrix_pairs=sweeping_pairs(decisions, at, config.timeout.floor_s),
    )


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
        **question.config.timeout.stamped(),
    }
    if question.config.identity.imports:
        parameters["imports"] = ", ".join(question.config.identity.imports)
    if policy.material is not None:
        parameters["material"] = "on"
    if policy.recent is not None:
        parameters["newest_nights"] = policy.recent
    if policy.binding is not None:
        parameters["binding_nights"] = policy.binding
    if window is not None:
        parameters |= {"window_nights": window.nights, "window_days": window.days or 0}
    return PolicyStamp(policy.name, parameters)


def _labels(question: Question, calls: Sequence[Registration]) -> LabelPlan:
    _, name = split_location(question.config.registrations.label_registry)
    return plan_labels(question.config.labels.rules, read_registry(question.gathered.label_registry, name), calls)
