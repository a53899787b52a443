"""The steps by which a person sees that they were heard: a reaction at once, one answer, a reaction at the end.

The answer is found by its marker, whose key is the comment's id, and edited in place: a repeated
step, or a task that is gone on with after a crash, never says a thing twice.
"""

from __future__ import annotations

from datetime import timedelta

from bot.domain import PersonsComment, TaskRequest
from bot.errors import InternalError
from bot.publish.names import marker
from bot.publish.ports.comments import Comments
from bot.tasks.answers import Reply
from bot.tasks.outcomes import OutcomeName
from bot.tasks.parking import wait_s
from bot.tasks.saying import waiting
from bot.tasks.stepping import Json
from bot.tasks.workshop import Workshop

SEEN, DONE, NOT_DONE = "eyes", "rocket", "confused"


def comment_of(request: TaskRequest) -> PersonsComment:
    """The comment of a command's request."""
    if request.comment is None:
        raise InternalError(f"task {request.key} has no comment")
    return request.comment


class Answering:
    """Reacts and answers."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    async def acknowledge(self, request: TaskRequest) -> Json:
        """Show that the comment was seen."""
        comment = comment_of(request)
        await self._workshop.forge(request).write(lambda writes: writes.comments.react(comment.comment_id, SEEN))
        return None

    async def answer(self, request: TaskRequest, reply: Reply) -> Json:
        """Put the answer and the last reaction, which one that is still waited for has not; the answer's address."""
        forge, comment = self._workshop.forge(request), comment_of(request)
        mark = marker(forge.app_id, f"answer:{comment.comment_id}")
        waits, text = reply.ending.name is OutcomeName.PARKED, reply.text
        if waits:
            until = self._workshop.now() + timedelta(seconds=wait_s(request, reply.ending.after_s))
            text = waiting(reply.ending, until)

        def put(comments: Comments) -> str:
            made = comments.put(request.number, mark, f"{mark}\n{text}")
            if not waits:
                comments.react(comment.comment_id, DONE if reply.well else NOT_DONE)
            return made.url

        return await forge.write(lambda writes: put(writes.comments))
