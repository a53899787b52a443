"""Registrations that are easily edited wrongly, each with the one right result: how often a rewriter errs.

Every row asks for 900 in the CUDA call of suite `s`. Where that cannot be done safely the right result is the
file as it was. All rows are what public suites hold, or what their formatters and editors leave behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.domain import BlobSha, LiteralChange, TestPath
from bot.edit.apply import apply
from bot.edit.registrations import AUTOMATIC

PATH, BLOB = TestPath("tests/test_otter.py"), BlobSha("b" * 40)
BACKEND, SUITE, VALUE = "cuda", "s", 900
Rewriter = Callable[[bytes, str, str, int], bytes]


@dataclass(frozen=True, slots=True)
class Row:
    """`after` None: it must stay as it is."""

    what: str
    before: bytes
    after: bytes | None = None

    @property
    def right(self) -> bytes:
        return self.before if self.after is None else self.after


ROWS = (
    Row("a plain call", b'register_cuda_ci(est_time=60, suite="s")\n', b'register_cuda_ci(est_time=900, suite="s")\n'),
    Row("positional", b'register_cuda_ci(60, "s")\n', b'register_cuda_ci(900, "s")\n'),
    Row(
        "the suite first",
        b'register_cuda_ci(suite="s", est_time=60)\n',
        b'register_cuda_ci(suite="s", est_time=900)\n',
    ),
    Row(
        "underscores",
        b'register_cuda_ci(est_time=1_000, suite="s")\n',
        b'register_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row("a fraction", b'register_cuda_ci(est_time=60.5, suite="s")\n', b'register_cuda_ci(est_time=900, suite="s")\n'),
    Row(
        "a bracket in a comment",
        b'register_cuda_ci(  # 4 GPUs (or 8)\n    est_time=60,\n    suite="s",\n)\n',
        b'register_cuda_ci(  # 4 GPUs (or 8)\n    est_time=900,\n    suite="s",\n)\n',
    ),
    Row(
        "the name in a comment before the value",
        b'register_cuda_ci(\n    # est_time=45 was too low\n    est_time=60,\n    suite="s",\n)\n',
        b'register_cuda_ci(\n    # est_time=45 was too low\n    est_time=900,\n    suite="s",\n)\n',
    ),
    Row(
        "a call in a comment",
        b'# register_cuda_ci(est_time=45, suite="s")\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'# register_cuda_ci(est_time=45, suite="s")\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "a call in a docstring",
        b'"""As register_cuda_ci(est_time=45, suite="s")."""\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'"""As register_cuda_ci(est_time=45, suite="s")."""\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "another suite's call before it",
        b'register_cuda_ci(est_time=45, suite="r")\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'register_cuda_ci(est_time=45, suite="r")\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "line ends of Windows",
        b'import os\r\nregister_cuda_ci(est_time=60, suite="s")\r\n',
        b'import os\r\nregister_cuda_ci(est_time=900, suite="s")\r\n',
    ),
    Row(
        "a byte-order mark",
        b'\xef\xbb\xbfregister_cuda_ci(est_time=60, suite="s")\n',
        b'\xef\xbb\xbfregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "another encoding",
        b'# -*- coding: latin-1 -*-\n# caf\xe9\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'# -*- coding: latin-1 -*-\n# caf\xe9\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "wide characters before it",
        'tag = "水獭"; register_cuda_ci(est_time=60, suite="s")\n'.encode(),
        'tag = "水獭"; register_cuda_ci(est_time=900, suite="s")\n'.encode(),
    ),
    Row(
        "a form feed above it",
        b'import os\n\x0c\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'import os\n\x0c\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "a disabled twin",
        b'register_cuda_ci(est_time=45, suite="s", disabled="flaky")\nregister_cuda_ci(est_time=60, suite="s")\n',
        b'register_cuda_ci(est_time=45, suite="s", disabled="flaky")\nregister_cuda_ci(est_time=900, suite="s")\n',
    ),
    Row(
        "two active calls of one suite",
        b'register_cuda_ci(est_time=45, suite="s")\nregister_cuda_ci(est_time=60, suite="s")\n',
    ),
    Row("a computed value", b'register_cuda_ci(est_time=60 * 4, suite="s")\n'),
    Row("a call that the collector never sees", b'def later():\n    register_cuda_ci(est_time=60, suite="s")\n'),
    Row("starred arguments", b'register_cuda_ci(est_time=60, suite="s", **more)\n'),
)


def ours(raw: bytes, backend: str, suite: str, value: int) -> bytes:
    """What the edit stage makes of the same request."""
    dialect = AUTOMATIC.of(PATH, raw)
    found = dialect.read(PATH, BLOB, raw).registrations if dialect else ()
    wanted = [one for one in found if one.active and (one.key.backend, one.key.suite) == (backend, suite)]
    edit = apply(PATH, raw, [LiteralChange(PATH, BLOB, one.index, est_time=value) for one in wanted]).edit
    return edit.after if edit else raw


def wrong(rewriter: Rewriter) -> list[str]:
    """The rows that come out otherwise than right; a crash is one too."""
    return [row.what for row in ROWS if _result(rewriter, row.before) != row.right]


def _result(rewriter: Rewriter, raw: bytes) -> bytes | None:
    try:
        return rewriter(raw, BACKEND, SUITE, VALUE)
    except (SyntaxError, ValueError, IndexError):
        return None
