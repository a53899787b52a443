"""Holds what the sandbox and the App say to GitHub's published schema, unknown keys included.

githubkit carries models generated from GitHub's OpenAPI description, and client methods whose
docstrings name the operation: which model belongs to which operation is read from there, so that
an operation added to the sandbox is held to the schema without a line here. The models ignore keys
they do not know; `problems` does not.
"""

from __future__ import annotations

import importlib
import re
import types
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from bot.sandbox.traffic import Exchange

VERSIONS = ("v2022_11_28", "v2026_03_10")
# Keys of 2022-11-28, the version the App asks for, that 2026-03-10 took away.
REMOVED_LATER = frozenset({"assignee", "has_downloads", "merge_commit_sha", "rate"})
_AREAS = ("actions", "apps", "checks", "git", "issues", "pulls", "rate_limit", "reactions", "repos", "users")
_OPERATION = re.compile(
    r'"""[\w-]+/[\w-]+\n\n +(GET|POST|PATCH|DELETE|PUT) (\S+)\n(.*?)(?=\n    (?:async )?def |\Z)', re.DOTALL
)
_RESPONSE = re.compile(r"response_model=(.*?),\n")
_REQUEST = re.compile(r"type_validate_python\(\s*(\w+|Union\[[^\]]*(?:\[[^\]]*\][^\]]*)*\]),\s*json\b", re.DOTALL)
_ERRORS = ("BasicError", "ValidationError", "ValidationErrorSimple")


@dataclass(frozen=True)
class Operation:
    """The model expressions of one operation, "" where the schema has none."""

    response: str
    request: str


@lru_cache
def version() -> str:
    """The version the App asks for; the newest where the installed schemas do not carry that one."""
    for name in VERSIONS:
        try:
            importlib.import_module(f"githubkit_schemas.{name}.models")
        except ModuleNotFoundError:
            continue
        return name
    raise ModuleNotFoundError("githubkit_schemas carries none of " + ", ".join(VERSIONS))


@lru_cache
def operations() -> dict[tuple[str, str], Operation]:
    """(method, path with empty placeholders) -> its models."""
    package = importlib.import_module(f"githubkit_schemas.{version()}")
    folder = Path(next(iter(package.__path__))) / "rest"
    found = {}
    for area in _AREAS:
        for match in _OPERATION.finditer((folder / f"{area}.py").read_text("utf-8")):
            method, path, body = match.groups()
            response, request = _RESPONSE.search(body), _REQUEST.search(body)
            found[method, _bare(path)] = Operation(
                response.group(1) if response else "", request.group(1) if request else ""
            )
    return found


@lru_cache
def model(expression: str) -> Any:
    """The type that an expression such as `list[Issue]` means."""
    models = importlib.import_module(f"githubkit_schemas.{version()}.models")
    names = {
        name: getattr(models, name)
        for name in re.findall(r"\w+", expression)
        if name[0].isupper() and hasattr(models, name)
    }
    return eval(expression, {"Union": Union, "None": None, "list": list, "str": str, **names})  # noqa: S307 - our own dependency's source


@dataclass
class Watcher:
    """Collects what does not fit; a fixture asserts that there is nothing at the end of a test."""

    found: list[str] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def __call__(self, exchange: Exchange) -> None:
        self.seen.add((exchange.method, exchange.route))
        self.found += [f"{exchange.method} {exchange.route} {exchange.status}: {text}" for text in check(exchange)]


def check(exchange: Exchange) -> list[str]:
    """What is wrong with one exchange."""
    if exchange.method == "WEBHOOK":
        return _webhook(exchange)
    if exchange.route.startswith("/graphql"):
        return _graphql(exchange.request)
    if exchange.status >= 400:
        return min((problems(model(name), exchange.response, "error") for name in _ERRORS), key=len)
    operation = operations().get((exchange.method, _bare(exchange.route)))
    if operation is None:
        return ["GitHub has no such operation"]
    wrong = []
    if exchange.request:
        wrong += (
            problems(model(operation.request), exchange.request, "request")
            if operation.request
            else ["unexpected body"]
        )
    if "contents/{path}" in exchange.route and not isinstance(exchange.response, bytes):
        expected = "list[ContentDirectoryItems]" if isinstance(exchange.response, list) else "ContentFile"
        return wrong + problems(model(expected), exchange.response, "response")
    if operation.response and not isinstance(exchange.response, bytes):
        wrong += problems(model(operation.response), exchange.response, "response")
    return wrong


_ADAPTERS: dict[int, tuple[Any, TypeAdapter[Any]]] = {}  # with the type, so that its id stays its own


def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Made once a type: making one costs more than most bodies that it validates; annotated types have no hash."""
    if id(kind) not in _ADAPTERS:
        _ADAPTERS[id(kind)] = (kind, TypeAdapter(kind))
    return _ADAPTERS[id(kind)][1]


def problems(kind: Any, data: Any, path: str) -> list[str]:
    """What pydantic finds, and the keys it would ignore."""
    try:
        _adapter(kind).validate_python(data)
    except ValidationError as error:
        return [f"{path}.{'.'.join(map(str, it['loc']))}: {it['msg']}" for it in error.errors()[:5]]
    return _unknown(kind, data, path)


def _unknown(kind: Any, data: Any, path: str) -> list[str]:
    origin = get_origin(kind)
    if origin is Annotated:
        return _unknown(get_args(kind)[0], data, path)
    if origin in (Union, types.UnionType):
        fitting = [option for option in get_args(kind) if _fits(option, data)]
        return min((_unknown(option, data, path) for option in fitting), key=len, default=[])
    if origin is list and isinstance(data, list):
        return [text for at, item in enumerate(data) for text in _unknown(get_args(kind)[0], item, f"{path}[{at}]")]
    if isinstance(kind, type) and issubclass(kind, BaseModel) and isinstance(data, dict):
        return _unknown_keys(kind, data, path)
    return []


def _unknown_keys(kind: type[BaseModel], data: dict[str, Any], path: str) -> list[str]:
    fields = {item.alias or name: item.annotation for name, item in kind.model_fields.items()}
    found = []
    for key, value in data.items():
        if key in fields:
            found += _unknown(fields[key], value, f"{path}.{key}")
        elif kind.model_config.get("extra") != "allow" and not (key in REMOVED_LATER and version() != VERSIONS[0]):
            found.append(f"{path}.{key}: not in GitHub's {kind.__name__}")
    return found


def _fits(option: Any, data: Any) -> bool:
    if get_origin(option) is Literal:
        return data in get_args(option)
    try:
        _adapter(option).validate_python(data)
    except ValidationError:
        return False
    return True


def _webhook(exchange: Exchange) -> list[str]:
    module = importlib.import_module(f"githubkit_schemas.{version()}.webhooks.{exchange.route}")
    action = exchange.request.get("action")
    kind = module.action_types[action] if hasattr(module, "action_types") else module.Event
    return problems(kind, exchange.request, exchange.route)


def _graphql(request: Any) -> list[str]:
    """The envelope; fields and inputs are checked by the sandbox against the documented ones."""
    return [
        f"request.{key}: not a GraphQL request's"
        for key in request
        if key not in ("query", "variables", "operationName")
    ]


def _bare(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)
