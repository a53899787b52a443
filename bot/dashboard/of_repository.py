"""The pages of one repository, by what follows its address. One line a page; who may see them is asked before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.dashboard.log_page import render_log
from bot.dashboard.reading import key_asked, key_view, log_view, repository_asked, repository_view
from bot.dashboard.repository_page import render_repository
from bot.dashboard.templates import Frame
from bot.dashboard.test_page import render_test
from bot.records.repositories import Repository
from bot.store.open import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """One repository's page as a visitor asked for it, who may see it. `server` is GitHub's web address."""

    store: Store
    server: str
    repository: Repository
    query: Mapping[str, str]
    frame: Frame


Page = Callable[[Asked], str | None]  # the whole page; None where there is no such thing


def _repository(asked: Asked) -> str:
    view = repository_view(asked.store, asked.repository, asked.server, repository_asked(asked.query))
    return render_repository(view, asked.frame)


def _test(asked: Asked) -> str | None:
    view = key_view(asked.store, asked.repository, asked.server, *key_asked(asked.query))
    return render_test(view, asked.frame) if view else None


def _log(asked: Asked) -> str | None:
    view = log_view(asked.store, asked.repository, asked.server, asked.query)
    return render_log(view, asked.frame) if view else None


PAGES: Mapping[str, Page] = {"": _repository, "/test": _test, "/log": _log}
