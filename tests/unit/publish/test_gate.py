"""Promises of the last gate: only the base with the planned literals passes, on our own branches alone."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, CommitSha, FileEdit, LiteralChange, TestPath, blob_sha
from bot.publish.gate import Bounds, GateReason, Tree, refused_literals, refused_parents, refused_refs, refused_tree
from bot.publish.names import EVIDENCE_BRANCH
from bot.publish.ports.refs import RefChange, RefMove

PATH, OTHER = TestPath("tests/test_otter.py"), TestPath("src/otter.py")
ONE, TWO = CommitSha("a" * 40), CommitSha("b" * 40)
CHANGE = LiteralChange(PATH, BlobSha("c" * 40), 0, est_time=600)
EDIT = FileEdit(PATH, b"old\n", b"new\n", (CHANGE,))
BOUNDS = Bounds(("**/test_*.py",))


@dataclass(frozen=True)
class File:
    blob: BlobSha
    mode: str = "100644"


OLD, NEW = File(blob_sha(b"old\n")), File(blob_sha(b"new\n"))
BASE: Tree = {PATH: OLD, OTHER: File(blob_sha(b"x"))}
MADE: Tree = {**BASE, PATH: NEW}


def reason(base: Tree, made: Tree, edit: FileEdit = EDIT, bounds: Bounds = BOUNDS) -> GateReason | None:
    found = refused_tree(base, made, [edit], bounds)
    return found.reason if found else None


def test_the_base_with_the_planned_edit_passes() -> None:
    assert reason(BASE, MADE) is None


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ({**MADE, OTHER: NEW}, GateReason.UNPLANNED_PATH),
        ({**MADE, TestPath(".github/workflows/x.yml"): NEW}, GateReason.UNPLANNED_PATH),
        ({**MADE, TestPath("tests/test_new.py"): NEW}, GateReason.UNPLANNED_PATH),
        ({PATH: NEW}, GateReason.UNPLANNED_PATH),
        ({**MADE, OTHER: replace(File(blob_sha(b"x")), mode="100755")}, GateReason.UNPLANNED_PATH),
        (BASE, GateReason.EDIT_MISSING),
        ({OTHER: BASE[OTHER]}, GateReason.EDIT_MISSING),
        ({**BASE, PATH: File(blob_sha(b"newer\n"))}, GateReason.OTHER_BYTES),
        ({**BASE, PATH: replace(NEW, mode="100755")}, GateReason.MODE_CHANGED),
        ({**BASE, PATH: replace(NEW, mode="120000")}, GateReason.MODE_CHANGED),
    ],
)
def test_each_other_tree_has_its_refusal(made: Tree, expected: GateReason) -> None:
    assert reason(BASE, made) is expected


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_a_symbolic_link_and_a_submodule_are_never_written(mode: str) -> None:
    base, made = {PATH: replace(OLD, mode=mode)}, {PATH: replace(NEW, mode=mode)}
    assert reason(base, made) is GateReason.NOT_A_REGULAR_FILE


def test_an_edit_of_other_bytes_than_the_bases_is_refused() -> None:
    assert reason({**BASE, PATH: File(blob_sha(b"older\n"))}, MADE) is GateReason.OTHER_BASE
    assert reason({OTHER: BASE[OTHER]}, MADE) is GateReason.OTHER_BASE


@pytest.mark.parametrize(
    "path",
    [
        ".github/test_x.py",
        ".GitHub/workflows/test_x.py",
        ".git/test_x.py",
        "a/.GIT/test_x.py",
        "../test_x.py",
        "/test_x.py",
    ],
)
def test_protected_paths_are_refused_whatever_the_configuration_names(path: str) -> None:
    name = TestPath(path)
    edit = replace(EDIT, path=name)
    assert reason({name: OLD}, {name: NEW}, edit, Bounds(("**",), frozenset({name}))) is GateReason.PROTECTED_PATH


def test_what_no_glob_matches_is_refused_unless_it_is_named() -> None:
    name = TestPath("ci/times.yaml")
    edit = replace(EDIT, path=name)
    assert reason({name: OLD}, {name: NEW}, edit) is GateReason.OUTSIDE_CONFIGURED
    assert reason({name: OLD}, {name: NEW}, edit, Bounds((), frozenset({name}))) is None


def test_only_literals_that_a_decision_asks_for_pass() -> None:
    asked = replace(CHANGE, labels=("a",))
    assert refused_literals([EDIT], [CHANGE]) is None
    assert refused_literals([EDIT], [asked]) is None
    for planned in ([], [replace(CHANGE, est_time=500)], [replace(CHANGE, index=1)], [replace(CHANGE, path=OTHER)]):
        found = refused_literals([EDIT], planned)
        assert found
        assert found.reason is GateReason.UNPLANNED_LITERAL


@pytest.mark.parametrize("parents", [(), (TWO,), (ONE, TWO), (TWO, ONE)], ids=["none", "other", "merge", "swapped"])
def test_a_commit_that_does_not_stand_on_the_base_alone_is_refused(parents: tuple[CommitSha, ...]) -> None:
    assert refused_parents((ONE,), ONE) is None
    found = refused_parents(parents, ONE)
    assert found
    assert found.reason is GateReason.OTHER_PARENT


FORWARD, REPLACE = RefMove.FAST_FORWARD, RefMove.REPLACE


@pytest.mark.parametrize(
    ("change", "passes"),
    [
        (RefChange("recalibrate/main", ONE, TWO, REPLACE), True),
        (RefChange("recalibrate/main", None, TWO), True),
        (RefChange(EVIDENCE_BRANCH, ONE, TWO), True),
        (RefChange("recalibrate/saved/bbbbbbb", None, TWO), True),
        (RefChange(EVIDENCE_BRANCH, ONE, TWO, REPLACE), False),
        (RefChange("recalibrate/main", ONE, None, REPLACE), False),
        (RefChange("main", ONE, TWO), False),
        (RefChange("recalibrate/other", ONE, TWO, REPLACE), False),
        (RefChange("recalibrate/saved/bbbbbbb", ONE, TWO), False),
        (RefChange("recalibrate/saved/aaaaaaa", None, TWO), False),
        (RefChange("recalibrate/saved/bbbbbbb", None, TWO, REPLACE), False),
    ],
)
def test_only_our_branches_move_and_only_as_they_may(change: RefChange, passes: bool) -> None:
    found = refused_refs([change], "main")
    assert (found is None) is passes


def test_a_base_named_evidence_cannot_have_the_evidence_branch_replaced() -> None:
    found = refused_refs([RefChange(EVIDENCE_BRANCH, ONE, TWO, REPLACE)], "evidence")
    assert found
    assert found.reason is GateReason.FOREIGN_REF


PATHS = st.sampled_from([PATH, OTHER, TestPath("tests/test_b.py"), TestPath(".github/w.yml")])
FILES = st.builds(File, st.sampled_from([OLD.blob, NEW.blob]), st.sampled_from(["100644", "100755", "120000"]))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.dictionaries(PATHS, FILES), st.dictionaries(PATHS, FILES))
def test_no_two_trees_pass_but_the_base_and_its_edit(base: Tree, made: Tree) -> None:
    passes = refused_tree(base, made, [EDIT], BOUNDS) is None
    wanted = PATH in base and base[PATH].mode != "120000" and base[PATH].blob == OLD.blob
    assert passes is (wanted and made == {**base, PATH: File(NEW.blob, base[PATH].mode)})
