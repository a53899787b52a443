"""libcst behind one door: parse text or say why not, without taking the process down.

libcst's native parser overflows the C stack on deep nesting (measured with 1.9: 3,000
parentheses or 20,000 `not` in 8 MiB) and takes quadratic time on long chains. Text that CPython's
parser accepted is safe: that one stops near 3,000 levels (200 of brackets) by itself. Any other
text is first tried in a process of its own.
"""

from __future__ import annotations

import subprocess
import sys

import libcst as cst

_PROBE_TIMEOUT_S = 10
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
    """`parse_module` for text that CPython's parser did not accept (about 0.2 s)."""
    command = [sys.executable, "-I", "-c", _PROBE]
    try:
        probe = subprocess.run(  # noqa: S603 - this interpreter and a constant program; the text is only data
            command, input=text.encode(), capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "takes too long to parse"
    except UnicodeEncodeError:
        return "holds half a surrogate pair"
    return "nested too deeply" if probe.returncode else parse_module(text)
