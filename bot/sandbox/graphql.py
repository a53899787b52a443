"""POST /api/graphql: checks a document against `graphql_schema`, then answers it: 200, with `errors` where needed.

As on github.com nothing is executed while the document or its variables are wrong, and a field
that fails is null beside an error that names its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox.answers import Answer, Call
from bot.sandbox.graphql_parse import (
    Document,
    EnumValue,
    Field,
    Fragment,
    GraphqlSyntaxError,
    Operation,
    Selection,
    Variable,
    parse,
)
from bot.sandbox.graphql_schema import INPUTS, POSSIBLE, TYPES, FieldError, type_name
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


def answer(call: Call) -> Answer:
    """Execute one request."""
    source = call.body.get("query")
    if not isinstance(source, str):
        return _errors([{"message": "A query attribute must be specified and must be a string."}])
    try:
        document = parse(source)
    except GraphqlSyntaxError as error:
        return _errors([{"message": str(error), "locations": [{"line": error.line, "column": error.column}]}])
    name = call.body.get("operationName")
    chosen = [it for it in document.operations if not name or it.name == name]
    if len(chosen) != 1:
        return _errors([{"message": f"No operation named {name!r}" if name else "An operation name is required"}])
    request = Parsed(chosen[0], document)
    root = request.operation.kind.capitalize()
    wrong = list(_check(request, root, request.operation.selections, [root.lower()]))
    if wrong:
        return _errors(wrong)
    variables, wrong = _variables(request.operation, call.body.get("variables") or {})
    return _errors(wrong) if wrong else _run(call, request, root, variables)


def field_names(source: object) -> str:
    """The top-level fields of a document, for the journal; empty where it cannot be read."""
    try:
        document = parse(source) if isinstance(source, str) else Document()
    except GraphqlSyntaxError:
        return ""
    names = {it.name for operation in document.operations for it in operation.selections if isinstance(it, Field)}
    return ",".join(sorted(names))


# -------------------------------------------------------------------------- validation


def _check(request: Parsed, on: str, selections: Sequence[Selection], path: list[str]) -> Iterator[Json]:
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
    yield from _check(request, target, fragment.selections, [*path, step])


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
        yield from _check(request, known.type, it.selections, path)


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


# --------------------------------------------------------------------------- variables


def _variables(operation: Operation, given: Any) -> tuple[dict[str, Any], list[Json]]:
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


# --------------------------------------------------------------------------- execution


@dataclass(frozen=True, slots=True)
class _Run:
    call: Call
    request: Parsed
    variables: Mapping[str, Any]
    errors: list[Json]


def _run(call: Call, request: Parsed, root: str, variables: Mapping[str, Any]) -> Answer:
    run = _Run(call, request, variables, [])
    data = _select(run, root, None, request.operation.selections, [])
    return Answer({"data": data, "errors": run.errors} if run.errors else {"data": data})


def _select(run: _Run, on: str, value: Any, selections: Sequence[Selection], path: list[str | int]) -> Json:
    out: Json = {}
    for it in selections:
        if isinstance(it, Fragment):
            fragment = run.request.document.fragments[it.spread] if it.spread else it
            if fragment.on_type in (None, on) or on in POSSIBLE.get(str(fragment.on_type), frozenset()):
                out |= _select(run, on, value, fragment.selections, path)
        elif it.name == "__typename":
            out[it.alias] = on
        else:
            out[it.alias] = _resolve(run, on, value, it, [*path, it.alias])
    return out


def _resolve(run: _Run, on: str, value: Any, it: Field, path: list[str | int]) -> Any:
    known = TYPES[on][it.name]
    arguments = {name: _fill(run.variables, given) for name, given in it.arguments.items()}
    try:
        found = known.resolve(run.call, value, arguments)
    except FieldError as error:
        where = [{"line": it.place.line, "column": it.place.column}]
        kind = {"type": error.kind} if error.kind else {}
        run.errors.append({**kind, "path": path, "locations": where, "message": error.message})
        return None
    if not known.type or found is None:
        return found
    if isinstance(found, list):
        return [
            _select(run, type_name(known.type, item), item, it.selections, [*path, at]) for at, item in enumerate(found)
        ]
    return _select(run, type_name(known.type, found), found, it.selections, path)


def _fill(variables: Mapping[str, Any], value: Any) -> Any:
    if isinstance(value, Variable):
        return variables.get(value.name)
    if isinstance(value, dict):
        return {key: _fill(variables, inner) for key, inner in value.items()}
    return [_fill(variables, inner) for inner in value] if isinstance(value, list) else value


def _errors(errors: Sequence[Json]) -> Answer:
    return Answer({"errors": list(errors)})
