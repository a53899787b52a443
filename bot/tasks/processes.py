"""Processes for costly, pure work: spawned, and renewed when one of them dies.

A worker that is killed (out of memory, say) breaks its whole pool; the step that waited for it is
tried again, on a new one. A worker does not outlive the service: one that was killed cannot tell
its workers to stop, and they would wait for work forever.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def end_with_parent() -> None:
    """Done by a worker when it starts: a thread that ends it as soon as the process that started it is gone."""
    threading.Thread(target=_await_parent, name="parent", daemon=True).start()


def _await_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def ready() -> bool:
    """Done by a worker when it is up: what it needs is imported then."""
    from bot.tasks import steps  # noqa: PLC0415 - imported in the worker, once, before the first task

    return steps.evaluate is not None


class Processes(Executor):
    """A pool of spawned processes that outlives the death of one."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._pool = self._new()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Hand a function to a process; a broken pool is replaced first."""
        with self._lock:
            try:
                return self._pool.submit(fn, *args, **kwargs)
            except BrokenProcessPool:
                self._pool.shutdown(wait=False)
                self._pool = self._new()
                return self._pool.submit(fn, *args, **kwargs)

    def warm(self) -> None:
        """Start the workers now rather than with the first task."""
        for future in [self.submit(ready) for _ in range(self._workers)]:
            future.result()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - Executor's own signature
        """Stop the workers."""
        self._pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def _new(self) -> ProcessPoolExecutor:
        spawn = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, mp_context=spawn, initializer=end_with_parent)
