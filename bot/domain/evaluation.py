"""One evaluation: everything a publisher renders, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.decisions import Decision
from bot.domain.edit import FileEdit, LabelChange, LabelSelection, LabelSuggestion, RefusedEdit, RefusedLabels
from bot.domain.evidence import RunEvidence
from bot.domain.explained import LimitFinding, MatrixPair
from bot.domain.ids import CommitSha
from bot.domain.imported import Imports
from bot.domain.partitions import LabelTotal, NotPacked, SuitePartitions
from bot.domain.registrations import IdentityCheck, RefusedCall, RegistrationKey
from bot.domain.samples import Rejection, Sample


@dataclass(frozen=True, slots=True)
class PolicyStamp:
    """The policy an evaluation was made under, as far as it can be written down."""

    name: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnHistory:
    """What the policy and the plain rule would have done over a repository's own nights (a backtest).

    Each pair is the policy's and the rule's: `edits` an update over all suites, `killed` as a share of
    runs and `makespan` over its lower bound as means over suites, weighted by files.
    """

    nights: int
    files: int
    policy: str
    edits: tuple[float, float]
    killed: tuple[float, float]
    makespan: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything one evaluation found out: what every publisher renders, and nothing else.

    `runs` are oldest first, attempts of one run in their order. `decisions` holds one for every
    active registration that could be read. `report_only` says in one sentence why nothing may be
    edited, "" where edits are on. `registrations` counts all calls that were read, disabled ones
    included. `notes` are constant-worded sentences about the whole evaluation.
    """

    repository: str  # owner/name
    base: str  # the branch or revision as it was named
    base_sha: CommitSha
    policy: PolicyStamp
    runs: tuple[RunEvidence, ...] = ()
    samples: tuple[Sample, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    identities: tuple[IdentityCheck, ...] = ()
    decisions: tuple[Decision, ...] = ()
    label_changes: tuple[LabelChange, ...] = ()
    label_selections: tuple[LabelSelection, ...] = ()
    label_suggestions: tuple[LabelSuggestion, ...] = ()
    refused_labels: tuple[RefusedLabels, ...] = ()
    refused_calls: tuple[RefusedCall, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    refused_edits: tuple[RefusedEdit, ...] = ()
    partitions: tuple[SuitePartitions, ...] = ()
    not_packed: tuple[NotPacked, ...] = ()
    report_only: str = ""
    narrowed: str = ""  # what a person narrowed it to, such as "suite stage-b-*"; "": all registrations
    registrations: int = 0
    unmatched: tuple[RegistrationKey, ...] = ()  # active registrations that no log of these runs schedules
    notes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()  # suites that moved together: held back until it is known why
    own_history: OwnHistory | None = None  # None: too few nights to say anything
    limits: tuple[LimitFinding, ...] = ()
    label_totals: tuple[LabelTotal, ...] = ()
    matrix_pairs: tuple[MatrixPair, ...] = ()
    imports: tuple[Imports, ...] = ()  # of measured tests, where the configuration counts any
