"""Holds a GraphQL document and its variables to `graphql_schema`, in GitHub's words, before anything is executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox.graphql_document import Document, EnumValue, Field, Fragment, Operation, Selection, Variable
from bot.sandbox.graphql_schema import INPUTS, POSSIBLE, TYPES
from bot.sandbox.state import Json

_SCALARS: Mapping[str, tuple[type, ...]] = {
    "String": (str,),
    "ID": (str,),
    "GitRefname": (str,),
    "GitObjectID": (str,),
    "Int": (int,),
    "Boolean": (bool,),
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A request that could be read: the operation chosen, and the document for its fragments."""

    operation: Operation
    document: Document


def check(request: Parsed, on: str, selections: Sequence[Selection], path: list[str]) -> Iterator[Json]:
    """What is wrong with a selection on a type: GitHub's error objects. `path` is where it stands."""
    for it in selections:
        if isinstance(it, Fragment):
            yield from _check_fragment(request, on, it, path)
        elif it.name != "__typename":
            yield from _check_field(request, on, it, [*path, it.alias])


def _check_fragment(request: Parsed, on: str, it: Fragment, path: list[str]) -> Iterator[Json]:
    fragment = request.document.fragments.get(it.spread) if it.spread else it
    step = f"... {it.spread}" if it.spread else f"... on {it.on_type}"
    if fragment is None or (it.spread and step in path):
        yield {"message": f"Fragment {it.spread} was used, but not defined or contains itself"}
        return
    target = fragment.on_type or on
    if target not in TYPES or (target != on and target not in POSSIBLE.get(on, frozenset())):
        yield {"message": f"Fragment on {target} can't be spread inside {on}"}
        return
    yield from check(request, target, fragment.selections, [*path, step])


def _check_field(request: Parsed, on: str, it: Field, path: list[str]) -> Iterator[Json]:
    where = [{"line": it.place.line, "column": it.place.column}]
    known = TYPES[on].get(it.name)
    if known is None:
        yield {
            "path": path,
            "extensions": {"code": "undefinedField", "typeName": on, "fieldName": it.name},
            "locations": where,
            "message": f"Field '{it.name}' doesn't exist on type '{on}'",
        }
        return
    for name in it.arguments:
        if name not in known.arguments:
            yield {
                "path": [*path, name],
                "extensions": {"code": "argumentNotAccepted", "name": it.name, "argumentName": name},
                "locations": where,
                "message": f"Field '{it.name}' doesn't accept argument '{name}'",
            }
    for name in _missing(known.arguments, it.arguments):
        yield {
            "path": path,
            "extensions": {"code": "missingRequiredArguments", "className": "Field", "name": it.name},
            "locations": where,
            "message": f"Field '{it.name}' is missing required arguments: {name}",
        }
    for name, value in it.arguments.items():
        yield from _check_value(request.operation, known.arguments.get(name, ""), value, [*path, name])
    if bool(known.type) != bool(it.selections):
        problem = "must have selections" if known.type else "can't have selections"
        yield {"path": path, "locations": where, "message": f"Field '{it.name}' of type '{known.type}' {problem}"}
    elif known.type:
        yield from check(request, known.type, it.selections, path)


def _check_value(operation: Operation, wanted: str, value: Any, path: list[str]) -> Iterator[Json]:
    """A literal by its type; a variable by its declaration."""
    if isinstance(value, Variable):
        declared = operation.variables.get(value.name)
        if declared is None:
            yield {"path": path, "message": f"Variable ${value.name} is used but not declared"}
        elif wanted and declared.type.rstrip("!") != wanted.rstrip("!"):
            message = f"Type mismatch on variable ${value.name} and argument {path[-1]} ({declared.type} / {wanted})"
            yield {"path": path, "message": message}
        return
    if isinstance(value, dict):
        fields = INPUTS.get(wanted.strip("[]!"), {})
        for name, inner in value.items():
            if name not in fields:
                yield {
                    "path": [*path, name],
                    "extensions": {"code": "argumentNotAccepted", "argumentName": name},
                    "message": f"InputObject '{wanted.strip('[]!')}' doesn't accept argument '{name}'",
                }
            else:
                yield from _check_value(operation, fields[name], inner, [*path, name])
        for name in _missing(fields, value):
            yield {"path": path, "message": f"Argument '{name}' on InputObject '{wanted.strip('[]!')}' is required"}
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _check_value(operation, _inner(wanted), inner, [*path, str(number)])
    elif wanted and (problem := _scalar_problem(wanted, value)):
        yield {"path": path, "message": f"Argument '{path[-1]}' has an invalid value. {problem}"}


def _missing(wanted: Mapping[str, str], given: Mapping[str, Any]) -> list[str]:
    return [name for name, kind in wanted.items() if kind.endswith("!") and given.get(name) is None]


def variables(operation: Operation, given: Any) -> tuple[dict[str, Any], list[Json]]:
    """The values of the declared variables, and what is wrong with them."""
    if not isinstance(given, dict):
        return {}, [{"message": "Variables must be an object"}]
    values: dict[str, Any] = {}
    wrong: list[Json] = []
    for name, declared in operation.variables.items():
        value = given.get(name, declared.default)
        values[name] = value
        for where, problem in _problems(declared.type, value, ""):
            message = f"Variable ${name} of type {declared.type} was provided invalid value"
            wrong.append({"message": f"{message}{f' for {where}' if where else ''} ({problem})"})
    return values, wrong


def _problems(wanted: str, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if value is None:
        if wanted.endswith("!"):
            yield where, "Expected value to not be null"
        return
    bare = wanted.removesuffix("!")
    if bare.startswith("["):
        if not isinstance(value, list):
            yield where, "Expected a list"
            return
        for number, inner in enumerate(value):
            yield from _problems(_inner(bare), inner, f"{where}.{number}".lstrip("."))
    elif bare in INPUTS:
        yield from _object_problems(bare, value, where)
    elif problem := _scalar_problem(bare, value):
        yield where, problem


def _object_problems(name: str, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield where, f"Expected value to be a(n) {name}"
        return
    for key in value:
        if key not in INPUTS[name]:
            yield f"{where}.{key}".lstrip("."), f"Field is not defined on {name}"
    for key, kind in INPUTS[name].items():
        yield from _problems(kind, value.get(key), f"{where}.{key}".lstrip("."))


def _scalar_problem(wanted: str, value: Any) -> str:
    bare = wanted.removesuffix("!")
    if bare not in _SCALARS:
        return f"{bare} isn't a defined input type"
    right = isinstance(value, _SCALARS[bare]) and (bare == "Boolean" or not isinstance(value, bool))
    if not right or isinstance(value, EnumValue):
        return f"Could not coerce value {value!r} to {bare}"
    if bare == "GitObjectID" and (len(value) != 40 or set(value) - set("0123456789abcdef")):
        return "GitObjectIDs must be 40 hexadecimal digits"
    if bare == "GitRefname" and not value.startswith("refs/"):
        return "GitRefnames must be fully qualified"
    return ""


def _inner(wanted: str) -> str:
    return wanted.removesuffix("!").removeprefix("[").removesuffix("]")
