"""Which places in the repository a file's imports and strings name, and what is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import ImportRefusal, TestPath
from bot.edit.imports.places import LONGEST, MOST_PARTS
from bot.edit.imports.references import LONGEST_LITERAL, MOST_PLACES, read_references
from bot.edit.source_text import MAX_SOURCE_BYTES

PATH = TestPath("tests/e2e/test_otter.py")
QUICK = settings(max_examples=150, deadline=None, derandomize=True)

# every file that the cases below could mean; what else is named does not exist
TREE = {
    "run.sh",
    "train.py",
    "scripts/run.sh",
    "scripts/train otters.sh",
    "scripts/tool.py",
    "scripts/__init__.py",
    "pond/__init__.py",
    "pond/water.py",
    "pond/deep/__init__.py",
    "src/reed/__init__.py",
    "src/reed/bank.py",
    "python/newt.py",
    "tests/__init__.py",
    "tests/shared.py",
    "tests/e2e/__init__.py",
    "tests/e2e/_common.py",
    "tests/e2e/data/small.json",
}


def named(text: str, path: TestPath = PATH) -> set[str]:
    return TREE & set(read_references(path, text.encode()).places)


def refused(raw: bytes, path: TestPath = PATH) -> list[ImportRefusal]:
    return [one.reason for one in read_references(path, raw).refused]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("import pond.water", {"pond/__init__.py", "pond/water.py"}, id="module"),
        pytest.param(
            "import pond.water as w, reed", {"pond/__init__.py", "pond/water.py", "src/reed/__init__.py"}, id="several"
        ),
        pytest.param("from pond import water", {"pond/__init__.py", "pond/water.py"}, id="module-from-a-package"),
        pytest.param("from pond import deep", {"pond/__init__.py", "pond/deep/__init__.py"}, id="package-of-a-package"),
        pytest.param("from pond.water import cold", {"pond/__init__.py", "pond/water.py"}, id="name-of-a-module"),
        pytest.param("from pond import *", {"pond/__init__.py"}, id="star"),
        pytest.param("from reed.bank import x", {"src/reed/__init__.py", "src/reed/bank.py"}, id="src-root"),
        pytest.param("import newt", {"python/newt.py"}, id="python-root"),
        pytest.param("from _common import x", {"tests/e2e/_common.py"}, id="own-directory"),
        pytest.param(
            "from . import _common", {"tests/e2e/__init__.py", "tests/e2e/_common.py"}, id="module-of-the-own-package"
        ),
        pytest.param("from . import x", {"tests/e2e/__init__.py"}, id="name-of-the-own-package"),
        pytest.param("from ..shared import x", {"tests/__init__.py", "tests/shared.py"}, id="of-the-package-above"),
        pytest.param("def f():\n    import pond", {"pond/__init__.py"}, id="inside-a-function"),
        pytest.param("if x:\n  try:\n    import newt\n  except E: pass", {"python/newt.py"}, id="under-conditions"),
        pytest.param("import numpy, torch.nn", set(), id="third-party"),
    ],
)
def test_an_import_names_the_files_that_it_runs(text: str, expected: set[str]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("call(['bash', 'scripts/run.sh'])", {"scripts/run.sh"}, id="a-whole-literal"),
        pytest.param("x('bash scripts/run.sh --steps 5')", {"scripts/run.sh"}, id="a-word"),
        pytest.param("x('cd /root && python train.py>log')", {"train.py"}, id="a-word-between-signs-of-a-shell"),
        pytest.param("x('--script=scripts/run.sh,train.py')", {"scripts/run.sh", "train.py"}, id="an-option"),
        pytest.param("x('scripts/train otters.sh')", {"scripts/train otters.sh"}, id="a-name-with-a-space"),
        pytest.param("x('./scripts/../run.sh')", {"run.sh"}, id="with-dots"),
        pytest.param("Path(__file__).parent / 'data/small.json'", {"tests/e2e/data/small.json"}, id="own-directory"),
        pytest.param("x('../shared.py')", {"tests/shared.py"}, id="above-the-own-directory"),
        pytest.param("f'{root}/scripts/run.sh {n}'", {"scripts/run.sh"}, id="behind-a-computed-directory"),
        pytest.param("x('python -m scripts.tool')", {"scripts/tool.py", "scripts/__init__.py"}, id="a-launched-module"),
        pytest.param("g(a)['scripts/run.sh']", {"scripts/run.sh"}, id="anywhere"),
        pytest.param('"""Wraps scripts/run.sh."""\nx = 1', set(), id="not-in-a-docstring"),
        pytest.param("x = 1  # scripts/run.sh", set(), id="not-in-a-comment"),
        pytest.param("x('scripts')", set(), id="no-directory"),
        pytest.param("x('scripts/' + name + '.sh')", set(), id="not-what-is-computed"),
    ],
)
def test_a_string_names_the_files_that_it_holds(text: str, expected: set[str]) -> None:
    assert named(text) == expected


def test_a_name_counts_once_however_often_it_is_said() -> None:
    places = read_references(PATH, b"import pond\nimport pond\nx('run.sh', 'run.sh')\n").places
    assert len(places) == len(set(places))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b"x" * (MAX_SOURCE_BYTES + 1), ImportRefusal.FILE_TOO_LARGE, id="huge"),
        pytest.param(b"import pond\nthis is no python\n", ImportRefusal.UNKNOWN_GRAMMAR, id="no-python"),
        pytest.param(b"x = " + b"(" * 5000 + b")" * 5000, ImportRefusal.UNKNOWN_GRAMMAR, id="nested"),
        pytest.param(b"x = " + b"-" * 200_000 + b"1", ImportRefusal.UNKNOWN_GRAMMAR, id="deep"),
        pytest.param(b"import pond\0", ImportRefusal.UNDECODABLE, id="nul"),
        pytest.param(b"# coding: rot13\nimport pond", ImportRefusal.UNDECODABLE, id="odd-encoding"),
        pytest.param(b"x = '\xff'", ImportRefusal.UNDECODABLE, id="no-utf-8"),
        pytest.param(b"from ....pond import x", ImportRefusal.LEAVES_REPOSITORY, id="relative-import-above-the-root"),
        pytest.param(b"x('../../../etc/passwd')", ImportRefusal.LEAVES_REPOSITORY, id="path-above-the-root"),
        pytest.param(b"x('" + b"a/" * LONGEST_LITERAL + b"')", ImportRefusal.TOO_MANY, id="a-long-string"),
        pytest.param(
            b"".join(b"import a%d\n" % n for n in range(MOST_PLACES)), ImportRefusal.TOO_MANY, id="import-bomb"
        ),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(raw: bytes, reason: ImportRefusal) -> None:
    found = read_references(PATH, raw)
    assert reason in [one.reason for one in found.refused]
    assert all(one.path == PATH and len(one.detail) <= 400 for one in found.refused)
    assert len(found.places) < MOST_PLACES + LONGEST_LITERAL


def test_a_bad_name_does_not_hide_the_good_ones_beside_it() -> None:
    assert named("from ....pond import x\nx('../../../etc/passwd run.sh')\nimport newt") == {"run.sh", "python/newt.py"}


@pytest.mark.parametrize("word", ["..", "../..", "a/" * (MOST_PARTS + 1) + "b.py", "x" * LONGEST + ".py", "...", "./"])
def test_a_word_that_names_no_file_is_nobodys_fault(word: str) -> None:
    assert refused(f"x({word!r})".encode()) == []


PIECES = st.sampled_from(
    [".", "..", "...", "/", "//", "a", "pond", "run.sh", "\\", " ", "\n", "'", '"', "\0", "\u202e", "é", "~", "$X", ":"]
)
LITERALS = st.lists(PIECES, max_size=30).map("".join)


@QUICK
@given(LITERALS, st.sampled_from(["test_a.py", "tests/test_a.py", "a/b/c/d/test_a.py"]))
def test_no_literal_names_a_place_outside_of_the_repository(literal: str, path: str) -> None:
    for place in read_references(TestPath(path), f"x({literal!r})".encode()).places:
        parts = place.split("/")
        assert place == place.strip("/")
        assert not {"", ".", ".."} & set(parts)


@QUICK
@given(st.lists(st.sampled_from(["from ", "import ", ".", "..", "a", " as b", ",", "\n", "*", "(", ")"]), max_size=40))
def test_no_import_makes_reading_fail_or_leave(pieces: list[str]) -> None:
    for place in read_references(PATH, "".join(pieces).encode()).places:
        assert not {"", ".", ".."} & set(place.split("/"))


@QUICK
@given(st.binary(max_size=300))
def test_no_bytes_make_reading_fail(raw: bytes) -> None:
    found = read_references(PATH, raw)
    assert found.path == PATH
    assert len(found.places) == len(set(found.places))
