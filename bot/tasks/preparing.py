"""The step that decides about the rolling branch and makes the commits. No ref moves here.

A commit is remembered before any ref can name it, so that a crash leaves no stranger; what was made
passes `bot.tasks.gating` before it is handed on.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.domain import CommitSha, TaskRequest
from bot.publish.digests import proposals_digest
from bot.publish.left_alone import LeftAlone, say_left_alone
from bot.publish.names import EVIDENCE_BRANCH, rolling_branch, saved_branches
from bot.publish.notice import Report, Trouble
from bot.publish.plan import BranchFacts, PublishPlan, Standing, choose
from bot.publish.pull_request import Prepared, Target, introduced, rolling_commit
from bot.records.publications import Publication, PullRequestEnd
from bot.tasks.gating import GateCase, through_the_gate
from bot.tasks.material import Material, Published
from bot.tasks.noticing import heal, tell, tell_now
from bot.tasks.outcomes import OF_PLAN, Ending, OutcomeName
from bot.tasks.ownership import learn_tip
from bot.tasks.ports import Forge, Writes
from bot.tasks.schedule import due
from bot.tasks.stepping import Json
from bot.tasks.values import PREPARED, BaseMoved, Evaluated, PersonsTip, Pinned
from bot.tasks.workshop import Workshop

_NOT_LOOKED = (OutcomeName.REPORT_ONLY, OutcomeName.OBSERVED, OutcomeName.PAUSED)  # at whose the branch is
TO_BE_SAVED = ""  # in place of a digest: `bot.publish.plan.BranchFacts`


@dataclass(frozen=True, slots=True)
class _Case:
    """One preparation: what is published where, and who we are."""

    request: TaskRequest
    title: str
    target: Target
    tip: CommitSha | None
    evidence_tip: CommitSha | None
    standing: Standing
    app_id: int
    published: Published
    digest: str
    first: bool
    saves: PersonsTip
    due: bool


class Preparing:
    """The fourth step of a nightly task."""

    def __init__(self, workshop: Workshop, material: Material) -> None:
        self._workshop = workshop
        self._material = material

    async def prepare(self, request: TaskRequest, pinned: Pinned, evaluated: Evaluated) -> Json:
        """The commits; or the ending that the decision is; or that the base has moved."""
        forge = self._workshop.forge(request)
        target = Target(rolling_branch(pinned.base), pinned.base, evaluated.base_sha)
        names = (target.base, target.branch, EVIDENCE_BRANCH)
        tips = await forge.write(lambda writes: writes.refs.tips(names))
        base_now = tips[target.base]
        if base_now is None:
            return PREPARED.dump(Ending(OutcomeName.REFUSED, f"branch {target.base} is gone"))
        if base_now != evaluated.base_sha:
            return PREPARED.dump(BaseMoved(base_now))
        published = await self._material.load(request, evaluated)
        tip = tips[target.branch]
        if tip is not None:
            await learn_tip(forge, self._workshop.store, self._publication(request, target, tip, ""))
        case = _Case(
            request=request,
            title=pinned.config.pull_request.title,
            target=target,
            tip=tip,
            evidence_tip=tips[EVIDENCE_BRANCH],
            standing=await self._standing(request, pinned),
            app_id=forge.app_id,
            published=published,
            digest=proposals_digest(published.evaluation),
            first=await asyncio.to_thread(self._first, request),
            saves=pinned.tip,
            due=await asyncio.to_thread(self._due, request, target.branch, pinned),
        )
        await self._ask(case, forge)
        done = await forge.write(lambda writes: self._do(case, writes))
        await self._say_whose(case, forge, done)
        if isinstance(done, Prepared):
            gate = GateCase(published.evaluation, pinned.config.registrations, done)
            done = await through_the_gate(self._workshop, forge, gate)
        return PREPARED.dump(done)

    async def _standing(self, request: TaskRequest, pinned: Pinned) -> Standing:
        state = await asyncio.to_thread(self._workshop.store.states.find, request.repository_id)
        if state.paused:
            return Standing.PAUSED
        return Standing.OBSERVE if pinned.config.mode == "observe" else Standing.PROPOSE

    def _due(self, request: TaskRequest, branch: str, pinned: Pinned) -> bool:
        """True where the schedule allows an update; a person who asks need not wait for it."""
        last = self._workshop.store.publications.settled(request.repository_id, branch)
        schedule = pinned.config.pull_request.schedule
        return request.comment is not None or due(schedule, last.published_at if last else None, self._workshop.now())

    async def _ask(self, case: _Case, forge: Forge) -> None:
        """Ask once where whole suites moved together, and withdraw the question when they no longer do."""
        questions = case.published.evaluation.questions
        if questions and case.standing is Standing.PROPOSE:
            await tell(self._workshop, case.request, forge, Report(Trouble.MASS_CHANGE, questions))
        elif not questions:
            await heal(self._workshop, case.request, forge, Trouble.MASS_CHANGE)

    async def _say_whose(self, case: _Case, forge: Forge, done: Prepared | Ending) -> None:
        """Say that another App holds the branch; take back what was said of a branch that is ours again."""
        name = done.name if isinstance(done, Ending) else None
        if name is OutcomeName.BRANCH_OF_ANOTHER_APP and isinstance(done, Ending):
            told = f"{case.target.branch} carries the pull request {done.detail}, which another App opened"
            await tell(self._workshop, case.request, forge, Report(Trouble.BRANCH_OF_ANOTHER_APP, (told,)))
        elif name not in _NOT_LOOKED:
            await heal(self._workshop, case.request, forge, Trouble.BRANCH_OF_ANOTHER_APP)
            if name is not OutcomeName.BRANCH_OF_A_PERSON:
                await heal(self._workshop, case.request, forge, Trouble.BRANCH_TAKEN)

    def _first(self, request: TaskRequest) -> bool:
        """True until the installation has had a pull request of ours."""
        store = self._workshop.store
        covered = store.repositories.of_installation(request.installation_id)
        ids = {one.repository_id for one in covered} | {request.repository_id}
        return not any(store.states.find(one).first_pr_done for one in ids)

    def _do(self, case: _Case, writes: Writes) -> Prepared | Ending:
        facts = self._facts(case, writes)
        plan = choose(case.published.evaluation, case.digest, facts, case.app_id, case.standing)
        if plan is PublishPlan.BRANCH_OF_A_PERSON:
            return self._left_alone(case, facts, writes)
        if plan in OF_PLAN:
            return Ending(OF_PLAN[plan], facts.pulls[0].url if facts.pulls else "")
        if plan is PublishPlan.WITHDRAW:
            return self._withdraw(case, facts, writes)
        return self._commits(case, plan, facts, writes)

    def _facts(self, case: _Case, writes: Writes) -> BranchFacts:
        """What is known of the branch. A person who asks by a comment takes back that these values were declined."""
        own = self._workshop.store.own_commits(case.request.repository_id)
        digest = own.digest(case.target.branch, case.tip) if case.tip else None
        if case.tip and digest is None and case.saves is PersonsTip.SAVE:
            digest = TO_BE_SAVED
        return BranchFacts(
            tip=case.tip,
            tip_digest=digest,
            pulls=writes.pulls.of_branch(case.target.branch, case.target.base),
            declined=frozenset() if case.request.comment else own.declined(case.target.branch),
            due=case.due,
        )

    def _left_alone(self, case: _Case, facts: BranchFacts, writes: Writes) -> Ending:
        """Said on the open pull request; without one, in an issue."""
        pull, branch, tip = facts.open_pull, case.target.branch, case.tip
        if pull is None or tip is None:
            taken = Report(Trouble.BRANCH_TAKEN, (f"{branch} is at {tip}, which is no commit of the App",))
            issue = tell_now(self._workshop, case.request, taken, case.app_id, writes.issues)
            return Ending(OutcomeName.BRANCH_OF_A_PERSON, issue.url if issue else taken.details[0])
        known = self._workshop.store.publications.of_pull_request(case.request.repository_id, pull.number)
        left = LeftAlone(branch, tip, known.commit if known else None, case.published.evaluation)
        say_left_alone(left, case.app_id, pull.number, writes.comments)
        return Ending(OutcomeName.BRANCH_OF_A_PERSON, pull.url)

    def _withdraw(self, case: _Case, facts: BranchFacts, writes: Writes) -> Ending:
        pull = facts.open_pull
        if pull is None:
            return Ending(OutcomeName.NOTHING_TO_CHANGE)
        ended = self._workshop.store.publications.end
        ended(case.request.repository_id, pull.number, PullRequestEnd.WITHDRAWN, None)
        writes.pulls.close(pull.number)
        return Ending(OutcomeName.WITHDRAWN, pull.url)

    def _commits(self, case: _Case, plan: PublishPlan, facts: BranchFacts, writes: Writes) -> Prepared:
        known = self._made_before(case) if plan is PublishPlan.PUBLISH else case.tip
        evidence, rolling = self._made(case, known, writes)
        return Prepared(
            plan=plan,
            digest=case.digest,
            base_sha=case.target.base_sha,
            branch=case.target.branch,
            branch_before=case.tip,
            commit=rolling if plan is PublishPlan.PUBLISH else None,
            evidence_before=case.evidence_tip,
            evidence_commit=evidence,
            first=case.first or introduced(facts.open_pull),
            saved=_free_name(case.tip, writes) if case.tip and facts.tip_digest == TO_BE_SAVED else "",
            open_pull=facts.open_pull.number if facts.open_pull else None,
        )

    def _made(self, case: _Case, known: CommitSha | None, writes: Writes) -> tuple[CommitSha, CommitSha]:
        """The evidence's commit and, unless it is known, the rolling one's, which is remembered at once."""
        entry = case.published.evidence.commit(case.evidence_tip)
        if known is not None:
            return writes.commits.commit(entry), known
        new = rolling_commit(case.title, case.digest, case.published.evaluation.edits, case.target)
        evidence, commit = writes.commits.commit_all((entry, new))
        publication = self._publication(case.request, case.target, commit, case.digest)
        self._workshop.store.publications.record(replace(publication, evidence_commit=evidence))
        return evidence, commit

    def _made_before(self, case: _Case) -> CommitSha | None:
        """The rolling commit of the same proposals on the same base, from a try that did not end."""
        own = self._workshop.store.own_commits(case.request.repository_id)
        return own.made(case.target.branch, case.digest, case.target.base_sha)

    def _publication(self, request: TaskRequest, target: Target, commit: CommitSha, digest: str) -> Publication:
        return Publication(
            repository_id=request.repository_id,
            commit=commit,
            branch=target.branch,
            base=target.base,
            base_sha=target.base_sha,
            digest=digest,
            published_at=self._workshop.now(),
        )


def _free_name(tip: CommitSha, writes: Writes) -> str:
    """The branch to save a tip under; "" where one has it already."""
    names = saved_branches(tip)
    taken = writes.refs.tips(names)
    if tip in taken.values():
        return ""
    return next((name for name in names if taken[name] is None), names[-1])
