"""Promises for every module: nothing but the literal changes, and no bytes make reading fail."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import BlobSha, LiteralChange, TestPath
from bot.edit.apply import apply
from bot.edit.edit_check import mask
from bot.edit.registrations import register_call
from bot.edit.registry_reader import read_registry
from bot.edit.source_text import SourceText, decode

PATH = TestPath("tests/test_otter.py")
BLOB = BlobSha("b" * 40)
QUICK = settings(max_examples=120, deadline=None, derandomize=True)

# statements that have confused editors: text that looks like a call, odd layout, wide characters
STATEMENTS = (
    "import os",
    '"""\nregister_cuda_ci(est_time=1, suite="s")\n"""',
    "x = 1; y = 2  # register_cuda_ci(1, 's')",
    "def f(a,\n      b):\n\treturn a  \n",
    "if x:\n    pass\nelse:\n    y = [1,\n         2]\n",
    'caf\xe9 = "\xd7 \xfc"  # \xe9',
    "z = (\n    # inside\n    60\n)",
    "\n\n# a comment",
    "class A:\n    '''doc'''\n\n    est_time = 60\n",
    'w = "a" \\\n    "b"',
    "t = '\\d'",
)
NEWER = ("type P = tuple[int, int]", 'n = f"{d["k"]}"')
LITERALS = ("60", "(60)", "6_0", "0x3c", "6e1", "60.5", "( # why\n 60 )")
GAPS = ("", " ", "\n    ", "  # note, 5s\n    ", "\t")
LISTS = (
    '["a"]',
    "['a', 'b']",
    '[\n    "a",\n    "b",  # b\n]',
    '["a", # a\n "b"]',
    "[]",
    '["a",\n  "b"\n  ,\n]',
    "[ 'a' , ]",
)


@dataclass(frozen=True)
class Module:
    """A file, and the pieces of it around one est_time literal."""

    before: bytes
    literal: bytes
    after: bytes

    @property
    def raw(self) -> bytes:
        return self.before + self.literal + self.after


@st.composite
def modules(draw: st.DrawFn) -> Module:
    some = st.lists(st.sampled_from(STATEMENTS), max_size=4)
    head = draw(st.sampled_from(["", "# -*- coding: latin-1 -*-\n", "\ufeff", "# top\n", "\x0c\n"]))
    newer = draw(st.sampled_from(["", "", "", "", "", "", "", "", "", *(f"{x}\n" for x in NEWER)]))
    before = head + "".join(f"{x}\n" for x in draw(some)) + newer
    before += draw(st.sampled_from(["", 'tag = "\xe9\xd7"; ']))
    gap = [draw(st.sampled_from(GAPS)) for _ in range(5)]
    labels = draw(st.sampled_from(LISTS))
    literal = draw(st.sampled_from(LITERALS))
    lpar, bare, rpar = literal.partition("60") if literal.startswith("(") else ("", literal, "")
    if draw(st.booleans()):
        call = (
            f"register_cuda_ci({gap[0]}est_time={lpar}",
            f"{rpar}{gap[1]},{gap[2]}suite='s', labels={labels}{gap[3]})",
        )
    else:
        call = (
            f'register_cuda_ci({gap[0]}suite="s",{gap[1]}labels={labels},{gap[2]}est_time={lpar}',
            f"{rpar},{gap[3]})",
        )
    after = call[1] + draw(st.sampled_from(["\n", "", "  # 48s\n", "; q = 60\n"]))
    after += "".join(f"{x}\n" for x in draw(some)) if after.endswith("\n") else ""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    encoding = "latin-1" if "latin-1" in head else "utf-8"
    first, last = ((part.replace("\n", newline)).encode(encoding) for part in (before + call[0], after))
    return Module(first, bare.encode(), last)


def change(est_time: int | None = None, labels: tuple[str, ...] | None = None) -> LiteralChange:
    return LiteralChange(PATH, BLOB, 0, est_time, labels)


@QUICK
@given(modules(), st.integers(1, 10**6).filter(lambda value: value != 60))
def test_an_edit_changes_exactly_the_literal_and_reads_back(module: Module, value: int) -> None:
    result = apply(PATH, module.raw, [change(value)])
    assert result.refused == ()
    assert result.edit is not None
    assert result.edit.after == module.before + str(value).encode() + module.after
    assert register_call.read(PATH, BLOB, result.edit.after).registrations[0].est_time == value
    assert mask(result.edit.after) == mask(module.raw)


@QUICK
@given(modules())
def test_rewriting_nothing_gives_the_same_bytes(module: Module) -> None:
    (found,) = register_call.read(PATH, BLOB, module.raw).registrations
    for nothing in (change(), change(labels=found.labels)):
        rewritten = register_call.rewrite(module.raw, [nothing])
        assert (rewritten.raw, rewritten.done) == (module.raw, (nothing,))


@QUICK
@given(modules(), st.lists(st.sampled_from(["a0", "b0", "c", "d\xe9"]), unique=True, max_size=3), st.integers(0, 2))
def test_new_labels_read_back_and_everything_else_stays(module: Module, new: list[str], place: int) -> None:
    (found,) = register_call.read(PATH, BLOB, module.raw).registrations
    present = found.labels or ()
    wanted = (*present[:place], *new, *present[place:])
    result = apply(PATH, module.raw, [change(labels=wanted)])
    assert result.refused == ()
    after = result.edit.after if result.edit else module.raw
    assert register_call.read(PATH, BLOB, after).registrations[0].labels == wanted
    assert mask(after) == mask(module.raw)


@QUICK
@given(modules(), st.binary(max_size=6), st.floats(0, 1), st.integers(0, 12))
def test_a_damaged_file_is_read_edited_and_masked_without_raising(
    module: Module, junk: bytes, where: float, length: int
) -> None:
    at = int(where * len(module.raw))
    raw = module.raw[:at] + junk + module.raw[at + length :]
    found = register_call.read(PATH, BLOB, raw)
    assert all(r.est_text for r in found.registrations)
    result = apply(PATH, raw, [change(90, ("zz",))])
    assert result.edit is None or result.edit.after != raw
    assert isinstance(mask(raw), bytes)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_make_reading_fail(raw: bytes) -> None:
    for content in (raw, b"register_cuda_ci(1, 's')\n" + raw, raw + b"\nregister_cuda_ci(1, 's', labels=['a'])"):
        found = register_call.read(PATH, BLOB, content)
        assert found.path == PATH
        assert isinstance(apply(PATH, content, [change(7)]).refused, tuple)
    read_registry(raw, "KNOWN")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.text(max_size=60),
    st.sampled_from(["utf-8", "latin-1", "cp1252", "gbk", "shift_jis", "utf-16", "utf-7", "raw_unicode_escape"]),
)
def test_decoded_text_always_gives_its_bytes_back(text: str, encoding: str) -> None:
    raw = f"# coding: {encoding}\n{text}".encode(encoding, "replace")
    for content in (raw, codecs.BOM_UTF8 + raw):
        source = decode(content)
        if isinstance(source, SourceText):
            assert source.encode(source.text) == content


DEEP = {
    "strings": b"x = " + b"'a' " * 900,
    "attributes": b"x = a" + b".a" * 700,
    "operators": b"x = 1" + b" + 1" * 700,
    "signs": b"x = " + b"-" * 800 + b"1",
    "branches": b"if a:\n    pass\n" + b"elif a:\n    pass\n" * 600,
    "calls": b"x = a" + b"()" * 600,
    "brackets": b"x = " + b"[" * 3000 + b"]" * 3000,
    "newer": b"type A = " + b"a | " * 900 + b"a",
    "aliases": b"".join(b"from a import register_cuda_ci as a%d\n" % n for n in range(400)) + b"type A = int",
}


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_what_nests_too_deeply_is_refused_and_raises_nothing(deep: bytes) -> None:
    raw = b'register_cuda_ci(est_time=60, suite="s")\n' + deep + b"\n"
    applied = apply(PATH, raw, [LiteralChange(PATH, BLOB, 0, est_time=90)])
    assert applied.edit is None
    assert [refused.reason.value for refused in applied.refused] == ["unknown_grammar"]
    assert mask(raw).endswith(deep + b"\n")
