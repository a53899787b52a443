"""POST /api/graphql: answers a document that `graphql_check` found good: 200, with `errors` where needed.

As on github.com nothing is executed while the document or its variables are wrong, and a field
that fails is null beside an error that names its path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.sandbox.answers import Answer, Call
from bot.sandbox.graphql_check import Parsed, check, variables
from bot.sandbox.graphql_document import Document, Field, Fragment, Selection, Variable
from bot.sandbox.graphql_parse import GraphqlSyntaxError, parse
from bot.sandbox.graphql_schema import POSSIBLE, TYPES, type_name
from bot.sandbox.graphql_values import FieldError
from bot.sandbox.state import Json


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
    wrong = list(check(request, root, request.operation.selections, [root.lower()]))
    if wrong:
        return _errors(wrong)
    values, wrong = variables(request.operation, call.body.get("variables") or {})
    return _errors(wrong) if wrong else _run(call, request, root, values)


def field_names(source: object) -> str:
    """The top-level fields of a document, for the journal; empty where it cannot be read."""
    try:
        document = parse(source) if isinstance(source, str) else Document()
    except GraphqlSyntaxError:
        return ""
    names = {it.name for operation in document.operations for it in operation.selections if isinstance(it, Field)}
    return ",".join(sorted(names))


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
