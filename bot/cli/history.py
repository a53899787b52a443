"""`recalibrate history export|import`, and a repository's own series for the backtest: the store from a shell.

The store is that of the service with this environment. How lines look is `bot.cli.history_csv`'s part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

from bot.calibration.backtest.series import Series
from bot.cli import history_csv
from bot.cli.backtest import Measured
from bot.domain import BlobSha, RepositoryId, RunEvidence, TestPath
from bot.environment import naming
from bot.errors import UserError
from bot.records.measurements import MeasuredPass
from bot.records.repositories import Repository
from bot.repo_config import DEFAULT
from bot.settings import database_url, databases_of
from bot.store.open import Store

URL = "RECALIBRATE_DATABASE_URL"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """`file` None: standard output. `repository` empty: the one the store knows, or all of a file."""

    file: Path | None
    repository: str = ""


@contextmanager
def the_store(environment: Mapping[str, str]) -> Iterator[Store]:
    """The store that the environment names, or the file that a service with it has; none is made.

    Raises:
        UserError: there is none, or it cannot be opened.
    """
    url, named = databases_of(environment).store_url, database_url(environment)
    default = Path(url.removeprefix("sqlite:///"))
    if not named and not default.is_file():
        remedy = "write sqlite:///FILE or postgresql://HOST/DATABASE, or name the service's RECALIBRATE_WORK_DIR"
        raise UserError(f"{URL}: not set, and there is no {default}; {remedy}")
    with naming("DATABASE_URL"):
        store = Store.open(url)
    try:
        yield store
    finally:
        store.close()


def export(options: HistoryOptions, environment: Mapping[str, str], tell: Say) -> None:
    """Write a repository's history; a file is complete or is not there."""
    with the_store(environment) as store:
        repository = _repository(store, options.repository)
        if options.file is None:
            count = _write(store, repository, sys.stdout)
        else:
            count = _write_file(store, repository, options.file)
    tell(f"{repository.full_name}: {count} lines")


def take_in(options: HistoryOptions, environment: Mapping[str, str], tell: Say) -> None:
    """Take in a file's attempts. One that the store knows already is left as it is there."""
    if options.file is None:
        raise UserError("history import: name the file")
    found = _read(options.file)
    known = taken = 0
    with the_store(environment) as store:
        chosen = [(key, run, blobs) for key, run, blobs in found.runs if _wanted(found, key, options.repository)]
        for repository_id, run, blobs in chosen:
            _remember(store, found.repositories[repository_id])
            if run.run.attempt in store.history.runs(repository_id).get(run.run.run_id, frozenset()):
                known += 1
                continue
            _record(store, repository_id, run, blobs)
            taken += 1
    for line, reason in found.refused[:20]:
        tell(f"{options.file}: line {line}: not taken ({reason.value})")
    tell(f"{taken} attempts taken in, {known} known already, {len(found.refused)} lines not taken")


def own_series(environment: Mapping[str, str], name: str) -> Measured:
    """The passes of a repository's nights by suite and date, with its own configuration."""
    with the_store(environment) as store:
        repository = _repository(store, name)
        config = store.states.find(repository.repository_id).config.config or DEFAULT
        series = series_of(store.history.passes(repository.repository_id))
    if not series:
        raise UserError(f"{repository.full_name}: nothing was measured yet")
    return Measured(series, config)


def series_of(passes: tuple[MeasuredPass, ...]) -> tuple[Series, ...]:
    """One series a suite and backend, by name; of two passes of a file on one date the slower counts."""
    backends: dict[str, set[str]] = {}
    for one in passes:
        backends.setdefault(one.suite, set()).add(one.backend)
    suites: dict[str, dict[date, dict[TestPath, float]]] = {}
    for one in passes:
        name = one.suite if len(backends[one.suite]) == 1 else f"{one.suite} [{one.backend}]"
        night = suites.setdefault(name, {}).setdefault(one.night_at.date(), {})
        night[one.path] = max(float(one.elapsed_s), night.get(one.path, 0.0))
    return tuple(
        Series(name, tuple(sorted(dates)), tuple(dates[day] for day in sorted(dates)))
        for name, dates in sorted(suites.items())
    )


def _repository(store: Store, name: str) -> Repository:
    if name:
        found = store.repositories.named(name)
        if found is None:
            raise UserError(f"{name}: not known to this store")
        return found
    every = store.repositories.every()
    if len(every) != 1:
        named = ", ".join(one.full_name for one in every[:5]) or "none"
        raise UserError(f"--repo: the store knows {len(every)} repositories ({named}); name one")
    return every[0]


def _write(store: Store, repository: Repository, out: TextIO) -> int:
    out.write(history_csv.head())
    count = 0
    for run_id in store.history.runs(repository.repository_id):
        facts = store.history.facts(repository.repository_id, run_id)
        for evidence in store.runs.find(repository.repository_id, run_id):
            for line in history_csv.lines(repository, evidence, facts):
                out.write(line)
                count += 1
    return count


def _write_file(store: Store, repository: Repository, path: Path) -> int:
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", errors="surrogateescape", newline="") as out:
            count = _write(store, repository, out)
        partial.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        partial.unlink(missing_ok=True)
    return count


def _read(path: Path) -> history_csv.Imported:
    try:
        with path.open(encoding="utf-8", errors="surrogateescape", newline="") as text:
            return history_csv.read(text)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def _wanted(found: history_csv.Imported, repository_id: RepositoryId, name: str) -> bool:
    return not name or found.repositories[repository_id].full_name == name


def _remember(store: Store, repository: Repository) -> None:
    if store.repositories.find(repository.repository_id) is None:
        store.repositories.save(repository)


def _record(store: Store, repository_id: RepositoryId, run: RunEvidence, blobs: Mapping[TestPath, str]) -> None:
    store.runs.record(repository_id, run)
    store.timings.note_blobs(repository_id, run.run.head_sha, {path: BlobSha(blob) for path, blob in blobs.items()})
