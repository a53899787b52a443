"""What a registration is, how it can be refused, and whether a file is still the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.ids import Backend, BlobSha, CommitSha, Suite, TestPath
from bot.domain.imported import ImportDifference


@dataclass(frozen=True, slots=True, order=True)
class RegistrationKey:
    """What history accumulates under."""

    path: TestPath
    backend: Backend
    suite: Suite

    def __str__(self) -> str:
        return f"{self.path} [{self.backend}, {self.suite}]"


class EditRefusal(StrEnum):
    """Why a call, or one of its literals, cannot be edited safely."""

    ALIASED_IMPORT = "aliased_import"
    ATTRIBUTE_CALL = "attribute_call"
    NOT_TOP_LEVEL = "not_top_level"
    STARRED_ARGUMENTS = "starred_arguments"
    TOO_MANY_POSITIONALS = "too_many_positionals"
    DUPLICATE_ARGUMENT = "duplicate_argument"
    EST_TIME_NOT_LITERAL = "est_time_not_literal"
    EST_TIME_NOT_A_NUMBER = "est_time_not_a_number"  # True, "600", None
    EST_TIME_NOT_POSITIVE = "est_time_not_positive"
    EST_TIME_MISSING = "est_time_missing"
    SUITE_NOT_LITERAL = "suite_not_literal"
    LABELS_NOT_A_LIST = "labels_not_a_list"  # a tuple or a string: the registry rejects the file
    LABELS_NOT_LITERAL = "labels_not_literal"
    NO_LABEL_LIST = "no_label_list"  # absent or None
    AMBIGUOUS_KEY = "ambiguous_key"
    UNDECODABLE = "undecodable"
    UNKNOWN_GRAMMAR = "unknown_grammar"
    NOT_A_REGULAR_FILE = "not_a_regular_file"  # symlink or submodule
    NAME_DEFINED_HERE = "name_defined_here"  # the file itself binds the registering function's name
    LABEL_WOULD_GO = "label_would_go"  # the wanted list lacks, or moves, a present label
    LABEL_NOT_WRITABLE = "label_not_writable"  # a label that no plain string literal of the file can hold
    FILE_TOO_LARGE = "file_too_large"
    EDIT_CHECK_FAILED = "edit_check_failed"
    MEASURED_AS_BUNDLE = "measured_as_bundle"  # runs in one process with others: no time of its own
    TEST_FILE_GONE = "test_file_gone"  # an entry for a file that the base does not have
    SECTION_MISSING = "section_missing"  # the configured part of a file of estimates is not there
    PROTECTED_PATH = "protected_path"  # below .github, which is never written


@dataclass(frozen=True, slots=True)
class Registration:
    """One `register_*_ci(...)` call that could be read.

    `index` counts the calls of the file from 0 in source order and, with the blob, names the
    call for editing. `est_text` is the literal as written. `labels` is None where the call has
    no literal list. `est_refusal` and `label_refusal` say that one literal cannot be edited;
    such a registration still counts as one.
    """

    key: RegistrationKey
    blob: BlobSha
    index: int
    line: int  # of the call
    end_line: int
    est_line: int
    est_time: float
    est_text: str
    labels: tuple[str, ...] | None = ()
    nightly: bool = False
    disabled: str | None = None  # the reason; None means active
    hardware: tuple[str, ...] = ()  # what else the call says it may run on, away from its home suite
    source: TestPath = TestPath("")  # the file that holds the literal, where it is not the test file itself
    est_refusal: EditRefusal | None = None
    label_refusal: EditRefusal | None = None
    comment_mentions_seconds: bool = False  # a comment beside the call names another measurement

    @property
    def active(self) -> bool:
        """True where the suite runner schedules it."""
        return self.disabled is None

    @property
    def file(self) -> TestPath:
        """The file that an edit would change."""
        return self.source or self.key.path


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call, or (with `line` 0) a whole file, that could not be read as a registration."""

    path: TestPath
    line: int
    reason: EditRefusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SourceRegistrations:
    """All registrations of one file at one blob."""

    path: TestPath
    blob: BlobSha
    registrations: tuple[Registration, ...] = ()
    refused: tuple[RefusedCall, ...] = ()


class Identity(StrEnum):
    """Is the test file at the run's head the one at the pull request's base?"""

    IDENTICAL = "identical"
    REGISTRATION_ONLY = "registration_only"
    CHANGED = "changed"
    MOVED = "moved"
    MISSING = "missing"
    IMPORT_CHANGED = "import_changed"  # the file is the same, one that it imports or launches is not

    @property
    def usable(self) -> bool:
        """True where a measurement at the head speaks for the file at the base."""
        return self in (Identity.IDENTICAL, Identity.REGISTRATION_ONLY)


@dataclass(frozen=True, slots=True)
class IdentityCheck:
    """The verdict for one file between one head and the base, with the blobs it rests on.

    `imports` names the files that make it `import_changed`.
    """

    path: TestPath
    head_sha: CommitSha
    verdict: Identity
    blob_at_head: BlobSha | None
    blob_at_base: BlobSha | None
    moved_to: TestPath | None = None
    imports: tuple[ImportDifference, ...] = ()
