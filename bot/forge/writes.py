"""The writing half's HTTP: one PyGithub instance a step, used by one thread and then closed.

PyGithub is not thread-safe and by default repeats POSTs; here only reads are repeated, and every
failure becomes one of our two kinds. What is written is the business of the modules beside this one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import github
import requests
from github.GithubException import BadAttributeException, GithubException
from github.Repository import Repository
from urllib3 import Retry

from bot.forge.answers import Answer, BusyError, RefusedError, graphql_problem, problem
from bot.forge.auth import Secret
from bot.forge.endpoint import API_VERSION, USER_AGENT, Endpoint, RepositoryName

_TIMEOUT_S = 30
_READS_ONLY = Retry(
    total=2,
    allowed_methods=frozenset({"GET"}),
    status_forcelist=(500, 502, 503, 504),
    backoff_factor=0.3,
    raise_on_status=False,
    respect_retry_after_header=False,  # a wait belongs to the task, not to a thread
)


class WriteSession:
    """A repository as one step may write it. A context manager: leaving it closes the connections."""

    def __init__(self, endpoint: Endpoint, secret: Secret, repository: str) -> None:
        self.name = RepositoryName.of(repository)
        self._github = github.Github(
            auth=github.Auth.Token(secret.reveal()),
            base_url=endpoint.rest,
            timeout=_TIMEOUT_S,
            user_agent=USER_AGENT,
            per_page=100,
            retry=_READS_ONLY,
            seconds_between_requests=None,  # a step makes a dozen requests, one after the other
            seconds_between_writes=None,
            lazy=True,  # an object by its address alone: no request but those we mean
            api_version=API_VERSION,
        )
        self.repo: Repository = self._github.get_repo(str(self.name))

    def __repr__(self) -> str:
        return f"WriteSession({self.name})"

    def __enter__(self) -> WriteSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._github.close()

    def graphql(self, text: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Send a GraphQL query or mutation and give its `data`.

        Raises:
            RefusedError: an error GitHub documents as final.
            BusyError: any other.
        """
        with github_errors("POST /graphql"):
            _headers, answer = self._github.requester.graphql_query(text, dict(variables))
        data = answer.get("data")
        if not isinstance(data, dict):
            raise BusyError("POST /graphql: an answer without data")
        return data


@contextmanager
def github_errors(what: str) -> Iterator[None]:
    """Turn whatever PyGithub raises into `RefusedError` or `BusyError`; `what` is `METHOD /path`."""
    try:
        yield
    except GithubException as error:
        raise _problem(what, error) from None
    except requests.RequestException as error:
        raise BusyError(f"{what}: no answer: {type(error).__name__}") from None
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
