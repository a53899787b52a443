"""What the arguments of one registering call say, and which of its literals may be edited.

The rules are the suite runner's own (radixark/miles tests/ci/ci_register.py, `_parse_call_args`), more
lenient where that is safe: unknown keywords are tolerated. Compares no calls with one another.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.domain import EditRefusal, Suite

_POSITIONAL = ("est_time", "suite")
_MAX_HARDWARE = 20


@dataclass(frozen=True, slots=True)
class CallArguments:
    """One call, bound. `est_time` is 0.0 where it cannot be known; the nodes are those of the tree.

    `labels` is None where the call has no literal list. `disabled` is None where it is active.
    """

    suite: Suite
    est_node: ast.expr
    est_time: float
    est_refusal: EditRefusal | None
    label_node: ast.List | None
    labels: tuple[str, ...] | None
    label_refusal: EditRefusal | None
    nightly: bool
    disabled: str | None
    hardware: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unbound:
    """Why a call is no registration."""

    reason: EditRefusal
    detail: str


def bind(call: ast.Call) -> CallArguments | Unbound:
    """Bind the arguments of a registering call."""
    given = given_arguments(call, _POSITIONAL)
    if isinstance(given, Unbound):
        return given
    suite = string_of(given.get("suite"))
    if suite is None and "est_time" in given:
        return Unbound(EditRefusal.SUITE_NOT_LITERAL, "the suite is not a string literal")
    return bound_arguments(given, Suite(suite or ""))


Binder = Callable[[ast.Call], CallArguments | Unbound]


def bound_arguments(given: Mapping[str, ast.expr], suite: Suite) -> CallArguments | Unbound:
    """What a call says whose suite is known, from its arguments by name."""
    if "est_time" not in given:
        return Unbound(EditRefusal.EST_TIME_MISSING, "no est_time")
    est_time, est_refusal = _est_time(given["est_time"])
    labels, label_refusal = _labels(given.get("labels"))
    node = given.get("labels")
    return CallArguments(
        suite=suite,
        est_node=given["est_time"],
        est_time=est_time,
        est_refusal=est_refusal,
        label_node=node if isinstance(node, ast.List) and label_refusal is None else None,
        labels=labels,
        label_refusal=label_refusal,
        nightly=_is_constant(given.get("nightly"), True),  # noqa: FBT003 - the literal compared with
        disabled=_disabled(given.get("disabled")),
        hardware=_hardware(given.get("hardware")),
    )


def string_of(node: ast.expr | None) -> str | None:
    """The value of a string literal, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def given_arguments(call: ast.Call, positional: tuple[str, ...]) -> dict[str, ast.expr] | Unbound:
    """The arguments of a call by name; `positional` names those that may come without one."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords):
        return Unbound(EditRefusal.STARRED_ARGUMENTS, "starred arguments")
    if len(call.args) > len(positional):
        return Unbound(EditRefusal.TOO_MANY_POSITIONALS, f"only {', '.join(positional)} may be positional")
    given = dict(zip(positional, call.args, strict=False))
    for keyword in call.keywords:
        name = str(keyword.arg)
        if name in given:
            return Unbound(EditRefusal.DUPLICATE_ARGUMENT, f"{name} given twice")
        given[name] = keyword.value
    return given


def _est_time(node: ast.expr) -> tuple[float, EditRefusal | None]:
    """The number and why its literal cannot be edited. `-1` is an operator before a literal."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _number(node.operand) is not None:
        return -(_number(node.operand) or 0.0), EditRefusal.EST_TIME_NOT_POSITIVE
    if not isinstance(node, ast.Constant):
        return 0.0, EditRefusal.EST_TIME_NOT_LITERAL
    value = _number(node)
    return (0.0, EditRefusal.EST_TIME_NOT_A_NUMBER) if value is None else (value, None)


def _number(node: ast.expr) -> float | None:
    """A finite int or float literal; True is an int to Python and a mistake here."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return None
    try:
        value = float(node.value)  # type: ignore[arg-type]  # int or float by the line above
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


def _labels(node: ast.expr | None) -> tuple[tuple[str, ...] | None, EditRefusal | None]:
    if node is None or _is_constant(node, None):
        return None, EditRefusal.NO_LABEL_LIST
    if isinstance(node, ast.Tuple | ast.Set | ast.Dict | ast.Constant | ast.JoinedStr):
        return None, EditRefusal.LABELS_NOT_A_LIST
    if not isinstance(node, ast.List):
        return None, EditRefusal.LABELS_NOT_LITERAL
    found = [item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return (tuple(found), None) if len(found) == len(node.elts) else (None, EditRefusal.LABELS_NOT_LITERAL)


def _disabled(node: ast.expr | None) -> str | None:
    """The reason as written; a computed one counts as a reason, for nothing may be concluded from it."""
    if node is None or _is_constant(node, None):
        return None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)[:200]


def _hardware(node: ast.expr | None) -> tuple[str, ...]:
    """The literal names of a list; what is computed says nothing."""
    items = node.elts[:_MAX_HARDWARE] if isinstance(node, ast.List | ast.Tuple) else []
    return tuple(name for name in map(string_of, items) if name is not None)


def _is_constant(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
