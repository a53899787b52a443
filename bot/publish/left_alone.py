"""Says once, on the pull request, that its branch belongs to a person now, what would be proposed, and the way back.

One comment, found by its marker and edited in place. Whether the branch is a person's is
`bot.publish.plan`'s decision.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain import CommitSha, Evaluation, Proposal
from bot.publish.markdown import code
from bot.publish.names import marker
from bot.publish.ports.comments import Comments, CommentState

LEFT_ALONE_KEY = "left-alone"
SHOWN = 20  # proposals named in the comment


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A rolling branch that is not ours any more. `ours` is the commit we published last, None where none is known."""

    branch: str
    tip: CommitSha
    ours: CommitSha | None
    evaluation: Evaluation

    def body(self, app_id: int) -> str:
        """The comment's text."""
        said = (
            f"{code(self.branch)} is at {self.tip[:7]}, which is not a commit of Recalibrate. "
            "The branch and this pull request are left alone from here on: they are yours."
        )
        return "\n\n".join((marker(app_id, LEFT_ALONE_KEY), said, self._would(), self.way_back())) + "\n"

    def way_back(self) -> str:
        """What a person does to hand the branch back."""
        rebuild = "To hand the branch back, comment `/recalibrate rebuild`: what is on it is saved first."
        if self.ours is None:
            return f"{rebuild} Or delete it; the next nightly makes it anew."
        back = f"git push --force origin {self.ours}:refs/heads/{self.branch}"
        return f"{rebuild} Or put it on the last commit of Recalibrate again: {code(back)}."

    def _would(self) -> str:
        proposals = [one for one in self.evaluation.decisions if isinstance(one, Proposal)]
        if not proposals:
            return "Nothing would be proposed at present."
        lines = [
            f"- {code(str(one.registration.key))}: {one.registration.est_time:g} → {one.after}"
            for one in proposals[:SHOWN]
        ]
        more = [f"- and {len(proposals) - SHOWN} more"] if len(proposals) > SHOWN else []
        return "\n".join(("Otherwise it would propose now:\n", *lines, *more))


def say_left_alone(left: LeftAlone, app_id: int, number: int, comments: Comments) -> CommentState:
    """Have one comment on the pull request that says this."""
    return comments.put(number, marker(app_id, LEFT_ALONE_KEY), left.body(app_id))
