"""Comments said to the service over HTTP, and what a person sees of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from bot.commands.grammar import parse
from bot.sandbox import events
from bot.sandbox.people import Contributor
from bot.sandbox.state.issues import Comment, Issue
from tests.sandbox.service import Case, Ended


@dataclass
class Talk:
    """One comment and what came of it."""

    case: Case
    comment: Comment
    ended: Ended

    @property
    def reactions(self) -> list[str]:
        return [one.content for one in self.case.repo.reactions.get(("comment", self.comment.id), [])]

    @property
    def answer(self) -> str:
        mark = f"key=answer:{self.comment.id} -->"
        (only,) = [one for one in self.case.repo.comments.values() if mark in one.body]
        assert only.number == self.comment.number
        assert only.author.login == "recalibrate[bot]"
        assert [line for line in only.body.split("\n") if parse(line)] == []
        return only.body.partition("\n")[2]


@dataclass
class Talking:
    """One repository that people comment in."""

    case: Case

    def send(self, comment: Comment, action: str = "created", guid: str = "") -> str:
        """Deliver a comment's webhook; the receiver's verdict."""
        payload = events.issue_comment(self.case.rig.world, self.case.repo, comment, action)
        delivery = self.case.rig.sandbox.deliver("issue_comment", payload, guid)
        assert delivery.status_code == 202, delivery.response
        found = re.search(r'"verdict": "([^"]*)"', delivery.response)
        assert found
        return found[1]

    def say(self, number: int, body: str, person: Contributor | None = None) -> Talk:
        """Comment and wait for the end."""
        comment = (person or self.case.person()).comment(number, body)
        key = self.send(comment)
        return Talk(self.case, comment, self.ended(key))

    def ended(self, key: str) -> Ended:
        rig = self.case.rig
        assert rig.running
        result = cast("dict[str, str]", rig.sandbox.run(rig.running.queue.result(key)))
        return Ended(result["outcome"], result["detail"])

    def issue(self) -> int:
        """A plain issue of a person; its number."""
        world, repo = self.case.rig.world, self.case.repo
        now, number = world.clock(), max(repo.issues, default=0) + 1
        repo.issues[number] = Issue(world.next_id(), number, world.account("mona"), "Estimates", None, now, now)
        return number
