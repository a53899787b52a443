"""libcst behind one door: parse text or say why not, without taking the process down.

libcst's native parser overflows the C stack on deep nesting (measured with 1.9: 3,000
parentheses or 20,000 `not` in 8 MiB) and takes quadratic time on long chains. Text that CPython's
parser accepted is safe: that one stops near 3,000 levels (200 of brackets) by itself. Any other
text is first tried in a process of its own, unless it has too few operators to be deep.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import lru_cache

import libcst as cst

_PROBE_TIMEOUT_S = 10
_SHALLOW = 500  # each level of nesting costs at least one of the marks below
_MARK = re.compile(r"[^\w\s,#]|\b(?:not|lambda|await|if|elif|else|for|and|or|in|is|yield|from)\b")
# a smaller stack than this process has anywhere, so that what survives there survives here
_PROBE = """
import sys, threading, libcst
def parse(text):
    try:
        libcst.parse_module(text)
    except Exception:
        pass
threading.stack_size(4 << 20)
thread = threading.Thread(target=parse, args=(sys.stdin.buffer.read().decode(),))
thread.start()
thread.join()
"""


def parse_module(text: str) -> cst.Module | str:
    """The concrete tree of `text`, which CPython's parser accepted; or why there is none."""
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        return f"libcst does not read it either (line {error.raw_line})"
    except (RecursionError, MemoryError):
        return "nested too deeply"
    except (ValueError, TypeError, AssertionError, IndexError) as error:
        return f"libcst: {type(error).__name__}"
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of pyo3: not an Exception, and not importable
            raise
        return "libcst gave up on it"


def parse_untrusted(text: str) -> cst.Module | str:
    """`parse_module` for text that CPython's parser did not accept (a long one costs about 0.2 s once)."""
    if not _is_shallow(text):
        try:
            problem = _probe(text.encode())
        except UnicodeEncodeError:
            return "holds half a surrogate pair"
        if problem:
            return problem
    return parse_module(text)


@lru_cache(maxsize=16)  # one file is parsed several times: read, rewritten, checked
def _probe(text: bytes) -> str:
    """Why libcst cannot be trusted with the text; "" where a process that tried it is alive."""
    command = [sys.executable, "-I", "-c", _PROBE]
    try:
        probe = subprocess.run(  # noqa: S603 - this interpreter and a constant program; the text is only data
            command, input=text, capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "takes too long to parse"
    return "nested too deeply" if probe.returncode else ""


def _is_shallow(text: str) -> bool:
    """True where the whole text has too few operators, brackets, quotes and keywords to nest deeply."""
    return sum(1 for _ in zip(_MARK.finditer(text), range(_SHALLOW + 1), strict=False)) <= _SHALLOW
