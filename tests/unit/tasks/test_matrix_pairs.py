"""Which pairs of tests a report says may share their matrices."""

from __future__ import annotations

from collections.abc import Mapping

from bot.calibration.decide import Case, decide
from bot.calibration.policies import policy_from
from bot.domain import BlobSha, CommitSha, Decision, MatrixPair, SourceRegistrations, TestPath, TimeoutRule
from bot.edit.ports import TreeEntry
from bot.repo_config import DEFAULT
from bot.tasks.gather import Gathered
from bot.tasks.matrix_pairs import sweeping_pairs
from tests.unit.calibration.calibration_cases import history, key, passes, registration

SQUARE = b'_C = [("1", "a", 1), ("2", "b", 1), ("3", "a", 2), ("4", "b", 2)]\n'
RENAMED = b'_D = [("x", "b", 2), ("y", "a", 2), ("z", "b", 1), ("w", "a", 1)]\n'
LINE = b'_C = [("1", "a"), ("2", "b")]\n'


def decided(path: str, *seconds: int) -> Decision:
    case = Case(registration(2400, key(path)), history(passes(*seconds, of=key(path))), TimeoutRule())
    return decide(case, policy_from(DEFAULT.estimate, "strict"))


def gathered(files: Mapping[str, bytes]) -> Gathered:
    blobs = {TestPath(path): BlobSha(f"{i:040x}") for i, path in enumerate(files)}
    sources = (SourceRegistrations(path, blob, (registration(2400, key(path)),)) for path, blob in blobs.items())
    return Gathered(
        base="main",
        base_sha=CommitSha("b" * 40),
        base_files={path: TreeEntry(blob, "100644") for path, blob in blobs.items()},
        sources=tuple(sources),
        heads={},
        contents=dict(zip(blobs.values(), files.values(), strict=True)),
    )


def test_a_long_test_and_its_neighbour_with_the_same_cells_are_a_pair_once() -> None:
    at = gathered({"t/a.py": SQUARE, "t/b.py": RENAMED, "t/c.py": LINE, "u/d.py": SQUARE})
    decisions = [decided("t/a.py", 1829), decided("t/b.py", 1827)]
    assert sweeping_pairs(decisions, at, 1800) == (MatrixPair(TestPath("t/a.py"), TestPath("t/b.py"), 4, (1829, 1827)),)


def test_a_neighbour_need_not_be_measured() -> None:
    (pair,) = sweeping_pairs([decided("t/a.py", 1829)], gathered({"t/a.py": SQUARE, "t/b.py": SQUARE}), 1800)
    assert pair.slowest_s == (1829, None)


def test_cells_that_cannot_be_shared_out_are_no_pair() -> None:
    at = gathered({"t/a.py": LINE, "t/b.py": LINE})
    assert sweeping_pairs([decided("t/a.py", 1829)], at, 1800) == ()


def test_short_tests_of_a_large_suite_are_not_looked_at() -> None:
    longer = [decided(f"u/{name}.py", 900) for name in "xyz"]
    at = gathered({"t/a.py": SQUARE, "t/b.py": SQUARE})
    assert sweeping_pairs([*longer, decided("t/a.py", 100)], at, 1800) == ()
    assert sweeping_pairs([decided("t/a.py", 100)], at, 1800) != ()


def test_tests_that_were_never_measured_make_no_pair() -> None:
    assert sweeping_pairs([decided("t/a.py")], gathered({"t/a.py": SQUARE, "t/b.py": SQUARE}), 1800) == ()
