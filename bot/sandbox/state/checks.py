"""Check runs; their suites are only numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.sandbox.state import Json
from bot.sandbox.state.accounts import App


@dataclass(slots=True)
class CheckRun:
    """One check run; annotations only ever grow."""

    id: int
    suite_id: int
    app: App
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)
