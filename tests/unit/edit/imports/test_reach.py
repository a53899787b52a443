"""From tests to the files they reach: in steps, through files that count, within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.domain import BlobSha, ImportRefusal, Imports, TestPath, UnreadImport, blob_sha
from bot.edit.imports.reach import MOST_BYTES, MOST_FILES, MOST_READ, Counting, Survey, reached
from bot.edit.imports.references import MOST_PLACES, References, read_references
from bot.edit.ports import TreeEntry
from bot.edit.source_text import MAX_SOURCE_BYTES
from bot.tasks.importing import MOST_STEPS

TEST = TestPath("tests/test_otter.py")
ALL = ("**",)


def tree(files: Mapping[str, str], **modes: str) -> dict[TestPath, TreeEntry]:
    named = {name.replace("__", "/"): mode for name, mode in modes.items()}
    return {TestPath(p): TreeEntry(blob_sha(text.encode()), named.get(p, "100644")) for p, text in files.items()}


def surveyed(files: Mapping[str, str], globs: tuple[str, ...] = ALL, **modes: str) -> tuple[Imports, int]:
    """What the test reaches, and in how many steps it was read."""
    entries, counting = tree(files, **modes), Counting(globs)
    survey, steps = Survey(entries, counting, [TEST]), 0
    while wanted := survey.wanted():
        survey.take([read_references(path, files[path].encode()) for path in wanted], 0)
        steps += 1
    return reached(TEST, survey.references, {p: 1 for p in entries if counting.counts(p)}), steps


CHAIN = {
    TEST: "from tests import one",
    "tests/one.py": "from tests import two",
    "tests/two.py": "import scripts.three; x('run.sh')",
    "scripts/three.py": "from tests import four",
    "tests/four.py": "",
    "run.sh": "",
    "other.py": "import scripts.three",
}


def test_a_test_reaches_what_its_imports_reach() -> None:
    found, steps = surveyed(CHAIN)
    assert found == Imports(
        TEST, tuple(map(TestPath, ("run.sh", "scripts/three.py", "tests/four.py", "tests/one.py", "tests/two.py")))
    )
    assert steps == 5  # the test, then one a link of the chain: a whole batch each


@pytest.mark.parametrize(
    ("globs", "files"),
    [
        (("tests/**",), ("tests/one.py", "tests/two.py")),
        (("tests/two.py",), ()),
        (("tests/one.py", "run.sh"), ("tests/one.py",)),
    ],
    ids=["one-directory", "behind-one-that-does-not-count", "behind-the-next-that-does-not-count"],
)
def test_files_that_do_not_count_end_the_way(globs: tuple[str, ...], files: tuple[str, ...]) -> None:
    assert surveyed(CHAIN, globs)[0].files == files


def test_files_that_import_one_another_are_read_once() -> None:
    files = {TEST: "import a", "a.py": "import b", "b.py": "import a, tests.test_otter"}
    found, steps = surveyed(files)
    assert found.files == ("a.py", "b.py")
    assert steps == 3


def test_a_place_that_only_a_head_has_is_reached_and_ends_the_way() -> None:
    references = {TEST: References(TEST, (TestPath("gone.py"), TestPath("nowhere.py")))}
    assert reached(TEST, references, {TestPath("gone.py"): 1}).files == ("gone.py",)


@pytest.mark.parametrize("mode", ["120000", "160000"], ids=["symlink", "submodule"])
def test_a_link_is_reached_and_named_and_not_followed(mode: str) -> None:
    found, _ = surveyed({TEST: "import link", "link.py": "target.py", "target.py": ""}, **{"link.py": mode})
    assert found.files == ("link.py",)
    assert found.refused == (UnreadImport(TestPath("link.py"), ImportRefusal.NOT_A_REGULAR_FILE),)


def test_a_link_on_the_way_to_a_file_is_named() -> None:
    found, _ = surveyed({TEST: "import pond.deep.water", "pond/deep": "../other"}, pond__deep="120000")
    assert found == Imports(TEST, (), (UnreadImport(TestPath("pond/deep"), ImportRefusal.NOT_A_REGULAR_FILE),))


def test_a_file_that_does_not_parse_is_reached_and_named_and_the_rest_goes_on() -> None:
    found, _ = surveyed({TEST: "import bad, good", "bad.py": "no python", "good.py": ""})
    assert found.files == ("bad.py", "good.py")
    assert [(one.path, one.reason) for one in found.refused] == [("bad.py", ImportRefusal.UNKNOWN_GRAMMAR)]


def test_a_test_that_is_not_python_is_named() -> None:
    survey = Survey(tree({"tests/test.sh": ""}), Counting(ALL), [TestPath("tests/test.sh")])
    assert survey.wanted() == {}
    refused = survey.references[TestPath("tests/test.sh")].refused
    assert [one.reason for one in refused] == [ImportRefusal.NOT_PYTHON]


def test_a_test_that_the_base_does_not_have_is_passed_over() -> None:
    survey = Survey({}, Counting(ALL), [TEST])
    assert (survey.wanted(), survey.references) == ({}, {})


def test_a_test_reaches_so_many_files_and_the_rest_is_named() -> None:
    places = tuple(TestPath(f"a{n}.py") for n in range(MOST_FILES + 5))
    found = reached(TEST, {TEST: References(TEST, places)}, dict.fromkeys(places, 1))
    assert len(found.files) == MOST_FILES
    assert found.refused == (UnreadImport(TEST, ImportRefusal.TOO_MANY, f"more than {MOST_FILES} files"),)


def test_so_many_files_are_read_and_the_rest_is_named() -> None:
    files = {TestPath(f"tests/test_{n:05}.py"): TreeEntry(BlobSha("a" * 40), "100644") for n in range(MOST_READ + 3)}
    survey = Survey(files, Counting(ALL), files)
    wanted = survey.wanted()
    assert len(wanted) == MOST_READ
    survey.take([References(path) for path in wanted], 0)
    assert survey.wanted() == {}
    left_out = [path for path, one in survey.references.items() if one.refused]
    assert left_out == sorted(files)[MOST_READ:]


def test_so_many_bytes_are_read_and_the_rest_is_named() -> None:
    survey = Survey(tree({TEST: "import a", "a.py": ""}), Counting(ALL), [TEST])
    survey.take([read_references(path, b"import a") for path in survey.wanted()], MOST_BYTES + 1)
    assert survey.wanted() == {}
    assert survey.references[TestPath("a.py")].refused[0].reason is ImportRefusal.TOO_MANY


def test_a_file_that_is_known_to_be_huge_is_not_even_fetched() -> None:
    huge = TreeEntry(BlobSha("b" * 40), "100644", MAX_SOURCE_BYTES + 1)
    files = tree({TEST: "import a"}) | {TestPath("a.py"): huge}
    survey = Survey(files, Counting(ALL), [TEST])
    survey.take([read_references(path, b"import a") for path in survey.wanted()], 8)
    assert survey.wanted() == {}
    assert survey.references[TestPath("a.py")].refused[0].reason is ImportRefusal.FILE_TOO_LARGE


def test_a_step_takes_no_more_bytes_than_there_is_room_for() -> None:
    names = [TestPath(f"tests/test_{n:03}.py") for n in range(100)]
    survey = Survey(
        {one: TreeEntry(BlobSha("a" * 40), "100644", MAX_SOURCE_BYTES) for one in names}, Counting(ALL), names
    )
    wanted = survey.wanted()
    assert list(wanted) == names[: MOST_BYTES // MAX_SOURCE_BYTES]
    survey.take([References(path) for path in wanted], MOST_BYTES)
    assert survey.wanted() == {}
    assert [path for path, one in survey.references.items() if one.refused] == names[len(wanted) :]


def test_a_link_that_does_not_count_is_not_named() -> None:
    found, _ = surveyed({TEST: "x('docs/link.py')", "docs/link.py": "x"}, ("tests/**",), **{"docs/link.py": "120000"})
    assert found == Imports(TEST)


def test_the_bounds_are_those_that_the_decision_names() -> None:
    page = Path(__file__).resolve().parents[4] / "docs" / "decisions" / "0018-imports.md"
    assert (
        f"{MOST_FILES} files a test, {MOST_READ:,} files, {MOST_BYTES >> 20} MB and {MOST_STEPS} steps an evaluation, "
        f"{MAX_SOURCE_BYTES >> 20} MB a file, {MOST_PLACES:,} places a file."
    ) in " ".join(page.read_text(encoding="utf-8").split())
