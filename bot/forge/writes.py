"""The writing half's HTTP: one PyGithub instance a step, used by one thread and then closed.

PyGithub is not thread-safe, by default repeats POSTs, and takes any status below 400 for a success;
here only reads are repeated, and every failure becomes one of our two kinds. What is written is the
business of the modules beside this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

import github
import requests
from github.GithubException import BadAttributeException, GithubException
from github.Repository import Repository
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from urllib3 import Retry

from bot.forge.answers import Answer, BusyError, RefusedError, graphql_problem, problem
from bot.forge.endpoint import API_VERSION, USER_AGENT, Endpoint, RepositoryName
from bot.forge.secret import Secret
from bot.forge.transport import new_wire, no_answer

_T = TypeVar("_T")
_TIMEOUT_S = 30
_READS_ONLY = Retry(
    total=2,
    allowed_methods=frozenset({"GET"}),
    status_forcelist=(500, 502, 503, 504),
    backoff_factor=0.3,
    raise_on_status=False,
    respect_retry_after_header=False,  # a wait belongs to the task, not to a thread
)


class _Requester(Requester):
    """PyGithub's requester, except that a redirect it does not follow is no success."""

    def requestJson(self, verb: str, url: str, *arguments: Any, **options: Any) -> tuple[int, dict[str, Any], str]:  # noqa: N802 - PyGithub's name
        status, headers, output = super().requestJson(verb, url, *arguments, **options)
        if 300 <= status < 400 and status != 304:
            raise self.createException(status, headers, {"message": "redirect"})
        return status, headers, output


def _over(wire: requests.Session) -> type[_Requester]:
    """Our requester on one session of ours: PyGithub takes classes of connections, and would go by the environment."""

    class Https(HTTPSRequestsConnectionClass):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.session = wire

        def close(self) -> None:
            """The session outlives a request, and is closed with the step."""

    class Http(HTTPRequestsConnectionClass):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.session = wire

        def close(self) -> None:
            """Likewise."""

    class Over(_Requester):
        pass

    Over.injectConnectionClasses(Http, Https)
    return Over


class WriteSession:
    """A repository as one step may write it. A context manager: leaving it closes the connections."""

    def __init__(self, endpoint: Endpoint, secret: Secret, repository: str) -> None:
        self.name = RepositoryName.of(repository)
        self._wire = new_wire(endpoint.network, _READS_ONLY, endpoint.heard)
        self._requester = _over(self._wire)(
            auth=github.Auth.Token(secret.reveal()),
            base_url=endpoint.rest,
            timeout=_TIMEOUT_S,
            user_agent=USER_AGENT,
            per_page=100,
            verify=True,
            retry=_READS_ONLY,
            pool_size=None,
            seconds_between_requests=None,  # a step makes a dozen requests, one after the other
            seconds_between_writes=None,
            lazy=True,  # an object by its address alone: no request but those we mean
            api_version=API_VERSION,
        )
        self.repo = Repository(self._requester, url=self.name.path)

    def __repr__(self) -> str:
        return f"WriteSession({self.name})"

    def __enter__(self) -> WriteSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._requester.close()
        self._wire.close()

    def graphql(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Send a GraphQL query or mutation and give its `data`.

        Raises:
            RefusedError: an error GitHub documents as final.
            BusyError: any other.
        """
        with github_errors("POST /graphql"):
            _headers, answer = self._requester.graphql_query(text, dict(variables))
        data = answer.get("data")
        if not isinstance(data, dict):
            raise BusyError("POST /graphql: an answer without data")
        return data

    def repository_fields(self, fields: str, values: Mapping[str, str]) -> dict[str, Any]:
        """Ask GraphQL for fields of the repository; each of `values` is a `String!` variable of its name.

        Raises:
            RefusedError: the repository is hidden.
            BusyError: GitHub did not answer.
        """
        asked = "".join(f", ${name}: String!" for name in values)
        of = "repository(owner: $owner, name: $name)"
        data = self.graphql(
            f"query($owner: String!, $name: String!{asked}) {{ {of} {{ {fields} }} }}",
            {"owner": self.name.owner, "name": self.name.name, **values},
        )
        repository = data.get("repository")
        if not isinstance(repository, dict):
            raise BusyError("POST /graphql: an answer without the repository")
        return repository


def needed(value: _T) -> _T:
    """A field that a real answer has; PyGithub gives None for one that is missing.

    Raises:
        ValueError: it is missing; `github_errors` makes a `BusyError` of it.
    """
    if value is None:
        raise ValueError("a field is missing")
    return value


@contextmanager
def github_errors(what: str) -> Iterator[None]:
    """Turn whatever PyGithub raises into `RefusedError` or `BusyError`; `what` is `METHOD /path`."""
    try:
        yield
    except GithubException as error:
        raise _problem(what, error) from None
    except requests.RequestException as error:
        raise BusyError(f"{what}: no answer: {no_answer(error)}") from None
    except (BadAttributeException, ValueError) as error:
        raise BusyError(f"{what}: unreadable answer: {type(error).__name__}") from None
    except RuntimeError:  # PyGithub's word for a redirect to another scheme or host
        raise RefusedError(f"{what}: GitHub redirects elsewhere; use its own address", 301) from None


def _problem(what: str, error: GithubException) -> RefusedError | BusyError:
    data = error.data
    if isinstance(data, dict) and "errors" in data and what == "POST /graphql" and error.status in (400, 404):
        return graphql_problem(data)
    headers = {key.lower(): str(value) for key, value in (error.headers or {}).items()}
    return problem(what, Answer(error.status, headers, json.dumps(data).encode()), time.time())
