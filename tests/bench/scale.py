"""A repository of 10,000 registrations and 400 nights: its nightly, from the delivery to the pull request, on SQLite.

`recalibrate serve` runs as a process of its own against the local GitHub. The first night is told to it as any
other; 398 nights before it are copies of that night in the store, a day apart; then the service is started again,
and the next night is delivered and measured. What is said of memory is the largest resident size of each process
(Linux's VmHWM; a page that several share counts in each).
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.generator import Generate, generate
from tests.bench.memory import high_water_mb, workers_of
from tests.chaos.process import KilledRig, killed_rig
from tests.sandbox.service import Case

SERVE = ("-m", "bot", "serve")
FILES = 10_000
PER_JOB = 100
NIGHTS = 400
PATIENCE_S = 900.0
_TABLES = ("runs", "jobs", "timings")
_OLDER = "strftime('%Y-%m-%d %H:%M:%S.000000', {}, '-' || n || ' days')"
_MOVED = {
    "run_id": "run_id - n",
    "job_id": "job_id - 100000 * n",
    **{moment: _OLDER.format(moment) for moment in ("created_at", "started_at", "completed_at", "night_at")},
}


@dataclass(frozen=True, slots=True)
class Large:
    """What came of it. `first_s` is the nightly of an empty store; sizes are MB; `load` is as in `Machine`."""

    registrations: int
    nights: int
    first_s: float
    nightly_s: float
    service_mb: float
    worker_mb: float
    store_mb: float
    load: float


def large(files: int, nights: int) -> Large:
    """Tell `files` registrations' first night, put history before it, and measure the night that follows."""
    jobs = files // PER_JOB
    with tempfile.TemporaryDirectory(prefix="recalibrate-scale-") as name:
        folder = Path(name)
        made = generate(folder / "made", Generate(jobs=6 + jobs, files_per_job=PER_JOB, edits=min(40, files)))
        store, queue = folder / "store.sqlite", folder / "queue.sqlite"
        with killed_rig(folder, f"sqlite:///{store}", f"sqlite:///{queue}", SERVE) as rig:
            case, runs = rig.started(made, "large")
            first_s = _told(case, runs[0])
            rig.stop()
            _copy_nights(store, nights - 2)
            rig.start()
            nightly_s = _told(case, runs[1])
            service, *workers = _sizes(rig)
            known = case.store.registrations.standing(case.repository_id)
            return Large(
                known,
                nights,
                first_s,
                nightly_s,
                service,
                max(workers),
                store.stat().st_size / 1e6,
                round(os.getloadavg()[1], 1),
            )


def _told(case: Case, run: int) -> float:
    """Seconds from the delivery to the task's end.

    Raises:
        TimeoutError: it did not end in good time.
    """
    started = time.perf_counter()
    assert case.deliver(run).status_code == 202
    while (ended := case.store.outcomes.find(case.key(run))) is None:
        if time.perf_counter() - started > PATIENCE_S:
            raise TimeoutError(f"run {run}")
        time.sleep(0.05)
    assert ended.name in ("published", "refreshed"), ended
    return time.perf_counter() - started


def _sizes(rig: KilledRig) -> Iterator[float]:
    assert rig.child
    for pid in (rig.child.pid, *workers_of(rig.child.pid)):
        yield high_water_mb(pid)


def _copy_nights(store: Path, nights: int) -> None:
    """Copies of the only night that is stored, each a day older, with run and job ids of their own.

    No service is running. Indices are made anew afterwards, which takes a fraction of keeping them.
    """
    with closing(sqlite3.connect(store)) as database:
        indices = "select name, sql from sqlite_master where type = 'index' and tbl_name = 'timings' and sql not null"
        kept = list(database.execute(indices))
        with database:
            for name, _ in kept:
                database.execute(f"drop index {name}")
            for table in _TABLES:
                _copy_rows(database, table, nights)
            for _, made_by in kept:
                database.execute(made_by)


def _copy_rows(database: sqlite3.Connection, table: str, nights: int) -> None:
    columns = [str(row[1]) for row in database.execute(f"pragma table_info({table})")]
    moved = ", ".join(_MOVED.get(column, column) for column in columns)
    copied = f"insert into {table} ({', '.join(columns)}) select {moved} from {table}, age"  # noqa: S608 - our own names
    many = "with recursive age(n) as (select 1 union all select n + 1 from age where n < ?) "
    database.execute(many + copied, (nights,))
