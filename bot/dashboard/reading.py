"""Reads from the store what a page shows: one function a page, each with a bounded number of rows. Shows nothing."""

from __future__ import annotations

from collections.abc import Mapping

from bot.dashboard.numbers import whole_number
from bot.dashboard.views import (
    EDITS_SHOWN,
    NIGHTS_PLOTTED,
    NIGHTS_SHOWN,
    OFF_SHOWN,
    OUTCOMES_SHOWN,
    SPANS,
    TESTS_SHOWN,
    KeyView,
    LogView,
    RepositoryAsked,
    RepositoryView,
)
from bot.domain import Backend, JobId, RegistrationKey, RepositoryId, RunId, Suite, TestPath
from bot.overview import Listed, Span
from bot.records.repositories import Repository
from bot.repo_config import DEFAULT, RepoConfig
from bot.store.open import Store

MOST = 100_000  # no list is longer that anybody would leaf through
LONGEST_FIND = 200  # characters


def repository_asked(query: Mapping[str, str]) -> RepositoryAsked:
    """What a repository page's address asks for; what is no whole number is the beginning of a list."""
    return RepositoryAsked(
        nights=_offset(query, "nights"),
        off=_offset(query, "off"),
        edits=_offset(query, "edits"),
        tests=_offset(query, "tests"),
        find=query.get("find", "").strip()[:LONGEST_FIND],
    )


def key_asked(query: Mapping[str, str]) -> tuple[RegistrationKey, Span]:
    """Which test a page's address names, and which nights of it are asked for."""
    path, backend, suite = (query.get(name, "") for name in ("path", "backend", "suite"))
    key = RegistrationKey(TestPath(path), Backend(backend), Suite(suite))
    show = whole_number(query.get("show", ""))
    return key, Span(show if show in SPANS else SPANS[0], _offset(query, "nights"))


def repository_view(store: Store, repository: Repository, server: str, asked: RepositoryAsked) -> RepositoryView:
    """One repository as it stands. `server` is GitHub's web address."""
    number = repository.repository_id
    rules = _config(store, number).timeout.rule
    plotted = store.nights.newest(number, rules, Span(NIGHTS_PLOTTED))
    first = Listed(plotted.items[:NIGHTS_SHOWN], plotted.more or len(plotted.items) > NIGHTS_SHOWN)
    older = Span(NIGHTS_SHOWN, asked.nights)
    head = store.standings.newest(number)
    name = head.evaluation_id if head else ""
    return RepositoryView(
        repository=repository,
        state=store.states.find(number),
        server=server,
        asked=asked,
        pulls=store.publications.standing(number),
        nights=store.nights.newest(number, rules, older) if asked.nights else first,
        plotted=plotted.items,
        edits=store.standings.edits(number, Span(EDITS_SHOWN, asked.edits)),
        tests=store.nights.tests(number, NIGHTS_SHOWN, asked.find, Span(TESTS_SHOWN, asked.tests)),
        outcomes=store.outcomes.newest(OUTCOMES_SHOWN, number),
        head=head,
        off=store.standings.off(name, Span(OFF_SHOWN, asked.off)),
        counts=store.standings.counts(name),
        evaluation=store.standings.remainder(name),
    )


def key_view(store: Store, repository: Repository, server: str, key: RegistrationKey, nights: Span) -> KeyView | None:
    """One test, None where nothing is known of it."""
    number = repository.repository_id
    page = store.judged.of_key(number, key, nights)
    last = store.judged.last_decision(number, key)
    if not page.rows and last is None:
        return None
    rule = _config(store, number).timeout.rule(key.suite)
    return KeyView(repository, server, key, rule, nights, page, last)


def log_view(store: Store, repository: Repository, server: str, query: Mapping[str, str]) -> LogView | None:
    """The kept lines of the job that a page's address names, None where it is not known."""
    run_id, attempt, job_id = (whole_number(query.get(name, "")) for name in ("run", "attempt", "job"))
    log = store.judged.kept_log(repository.repository_id, RunId(run_id), attempt, JobId(job_id))
    return LogView(repository, server, log) if log else None


def _config(store: Store, repository_id: RepositoryId) -> RepoConfig:
    return store.states.find(repository_id).config.config or DEFAULT


def _offset(query: Mapping[str, str], name: str) -> int:
    return whole_number(query.get(name, ""), MOST)
