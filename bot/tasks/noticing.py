"""Says a trouble once in an issue of the App's own, and withdraws it when it is healed.

The store remembers what stands, so that a healthy repository costs no request. Where issues are turned
off, or may not be written, the trouble keeps the task's outcome and check run, and no task fails for it.
"""

from __future__ import annotations

import asyncio
import logging

from bot.domain import TaskRequest
from bot.errors import UserError
from bot.publish.notice import Report, Trouble, say, withdraw
from bot.publish.ports.issues import Issues, IssueState
from bot.records.publications import Notice
from bot.tasks.ports import Forge
from bot.tasks.workshop import Workshop

log = logging.getLogger(__name__)


async def tell(workshop: Workshop, request: TaskRequest, forge: Forge, report: Report) -> None:
    """Have one open issue about this trouble."""
    try:
        # refusals leave the writing first: there a revoked token is told from a permission that is missing
        await forge.write(lambda writes: _told(workshop, request, report, forge.app_id, writes.issues))
    except UserError as error:
        _unsaid(report, error)


def tell_now(
    workshop: Workshop, request: TaskRequest, report: Report, app_id: int, issues: Issues
) -> IssueState | None:
    """The same inside a piece of writing; None where it may not be said in an issue."""
    try:
        return _told(workshop, request, report, app_id, issues)
    except UserError as error:
        _unsaid(report, error)
        return None


def _told(workshop: Workshop, request: TaskRequest, report: Report, app_id: int, issues: Issues) -> IssueState:
    known = workshop.store.notices.find(request.repository_id, report.trouble.value)
    standing = known.issue if known is not None and known.closed_at is None else None
    issue = say(report, app_id, issues, standing)
    notice = Notice(
        repository_id=request.repository_id,
        key=report.trouble.value,
        issue=issue.number,
        digest="",
        opened_at=workshop.now(),
    )
    workshop.store.notices.save(notice)
    return issue


def _unsaid(report: Report, error: UserError) -> None:
    log.warning("a trouble has no issue", extra={"trouble": report.trouble.value, "why": str(error)})


async def heal(workshop: Workshop, request: TaskRequest, forge: Forge, trouble: Trouble) -> None:
    """Close the issue about a trouble that is gone, where one stands."""
    notices = workshop.store.notices
    standing = await asyncio.to_thread(notices.find, request.repository_id, trouble.value)
    if standing is None or standing.closed_at is not None:
        return
    try:
        await forge.write(lambda writes: withdraw(trouble, forge.app_id, writes.issues))
    except UserError as error:  # it stands, and is withdrawn when that is allowed
        log.warning("an issue was not withdrawn", extra={"trouble": trouble.value, "why": str(error)})
        return
    await asyncio.to_thread(notices.withdraw, request.repository_id, trouble.value, workshop.now())
