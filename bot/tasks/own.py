"""Finds the evaluation that a task itself has made, among those the store keeps. Judges nothing."""

from __future__ import annotations

from bot.domain import Evaluation, TaskRequest
from bot.errors import InternalError
from bot.store.open import Store

_LOOKED_AT = 5  # newest evaluations of the repository; the tasks of one repository wait for one another


def find_own(store: Store, request: TaskRequest) -> Evaluation | None:
    """The newest evaluation of this very task; None where it made none."""
    names = store.evaluations.newest(request.repository_id, _LOOKED_AT)
    name = next((one for one in names if one.startswith(f"{request.key}:")), None)
    return store.evaluations.find(name) if name else None


def own_evaluation(store: Store, request: TaskRequest) -> Evaluation:
    """The same, of a task that has evaluated.

    Raises:
        InternalError: the evaluation was not kept.
    """
    found = find_own(store, request)
    if found is None:
        raise InternalError(f"the evaluation of {request.key} was not kept")
    return found
