"""Registrations written as newer calls: `register_cuda_ci(est_time=13, stage="base-b", runner_config="1-gpu-large")`.

sgl-project/sglang writes them (python/sglang/test/ci/ci_register.py): stage and runner_config fold
into the suite `base-b-test-1-gpu-large`, a call may still name its suite, and up to four arguments
may be positional. Files that share an `in_process_group` run in one process and are measured as a
bundle, so none of them has a time of its own to write. Finding, comparing and rewriting calls is
`register_call`'s part.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from bot.domain import BlobSha, EditRefusal, SourceRegistrations, Suite, TestPath
from bot.edit.registrations import register_call
from bot.edit.registrations.call_arguments import (
    CallArguments,
    Unbound,
    bound_arguments,
    given_arguments,
    string_of,
)
from bot.edit.registrations.call_compare import same_but_literals as same_but
from bot.edit.registrations.call_rewrite import rewrite
from bot.edit.registrations.contract import CallLiterals, Example

__all__ = ["EXAMPLES", "literals", "mentions", "read", "rewrite", "same_but_literals"]

_POSITIONAL = ("est_time", "suite", "nightly", "disabled")
_NEWER_ARGUMENT = re.compile(rb"\b(?:stage|runner_config|in_process_group)[ \t]{0,8}=")


def mentions(raw: bytes) -> bool:
    """True where the bytes hold a registering name and an argument that only newer calls have."""
    return register_call.mentions(raw) and _NEWER_ARGUMENT.search(raw) is not None


def bind(call: ast.Call) -> CallArguments | Unbound:
    """Bind the arguments of a newer call; its suite is the one its stage and runner make."""
    given = given_arguments(call, _POSITIONAL)
    if isinstance(given, Unbound):
        return given
    suite = _suite(given)
    if isinstance(suite, Unbound):
        return suite
    bound = bound_arguments(given, suite)
    bundled = given.get("in_process_group")
    if isinstance(bound, CallArguments) and bundled is not None and not _is_none(bundled):
        return replace(bound, est_refusal=bound.est_refusal or EditRefusal.MEASURED_AS_BUNDLE)
    return bound


def _suite(given: dict[str, ast.expr]) -> Suite | Unbound:
    """Exactly one of a suite, and a pair of stage and runner_config; all of them string literals."""
    said = {name: string_of(given[name]) for name in ("suite", "stage", "runner_config") if name in given}
    computed = [name for name, value in said.items() if value is None]
    if computed:
        return Unbound(EditRefusal.SUITE_NOT_LITERAL, f"{computed[0]} is not a string literal")
    if said.keys() == {"suite"}:
        return Suite(said["suite"] or "")
    if said.keys() == {"stage", "runner_config"}:
        return Suite(f"{said['stage']}-test-{said['runner_config']}")
    named = ", ".join(said) or "none"
    return Unbound(EditRefusal.SUITE_NOT_LITERAL, f"needs a suite, or stage and runner_config; has {named}")


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def read(path: TestPath, blob: BlobSha, raw: bytes) -> SourceRegistrations:
    """All calls of one file, older ones too, and what was refused. Never raises."""
    return register_call.read(path, blob, raw, bind)


def literals(raw: bytes) -> tuple[CallLiterals, ...]:
    """Where the editable literals stand, as byte ranges; nothing for bytes that cannot be read."""
    return register_call.literals(raw, bind)


def same_but_literals(before: bytes, after: bytes, indices: frozenset[int]) -> bool:
    """True where both parse, and to the same tree but for est_time and labels of the calls `indices`."""
    return same_but(before, after, indices, bind)


EXAMPLES: tuple[Example, ...] = (
    Example(
        "stage and runner fold into the suite base-b-test-1-gpu-large",
        before=b'register_cuda_ci(est_time=13, stage="base-b", runner_config="1-gpu-large")\n',
        after=b'register_cuda_ci(est_time=20, stage="base-b", runner_config="1-gpu-large")\n',
        est_time=20,
    ),
    Example(
        "several stages of one file, several lines, the second one changes",
        before=(
            b'register_cuda_ci(est_time=15, stage="base-b", runner_config="4-gpu-b200")\n'
            b"register_cuda_ci(\n"
            b'    est_time=15, stage="base-c", runner_config="8-gpu-h200"  # seen 15 s\n)\n'
        ),
        after=(
            b'register_cuda_ci(est_time=15, stage="base-b", runner_config="4-gpu-b200")\n'
            b"register_cuda_ci(\n"
            b'    est_time=90, stage="base-c", runner_config="8-gpu-h200"  # seen 15 s\n)\n'
        ),
        index=1,
        est_time=90,
    ),
    Example(
        "another backend, four positional arguments, beside a newer call",
        before=b'register_cuda_ci(9, stage="a", runner_config="b")\nregister_amd_ci(60, "nightly-amd", True, None)\n',
        after=b'register_cuda_ci(9, stage="a", runner_config="b")\nregister_amd_ci(80, "nightly-amd", True, None)\n',
        index=1,
        est_time=80,
    ),
    Example(
        "hardware beside the home suite",
        before=b'register_npu_ci(est_time=70, stage="s", runner_config="1-npu", hardware=["a2", "a3"])\n',
        after=b'register_npu_ci(est_time=100, stage="s", runner_config="1-npu", hardware=["a2", "a3"])\n',
        est_time=100,
    ),
)
