"""Promises of pull requests, issues and comments: found before made, and never somebody else's."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.forge.answers import BusyError, RefusedError
from bot.forge.issues import OwnComments, OwnIssues
from bot.forge.pulls import Pulls
from bot.publish.ports.pulls import NewPullRequest
from bot.sandbox.traffic import Fault
from tests.sandbox.forge_world import Scene, git, scene

HEAD = "recalibrate/main"
NEW = NewPullRequest(HEAD, "main", "ci: recalibrate est_time", "body\n<!-- marker -->", draft=True)
PULLS = "/repos/{owner}/{repo}/pulls"
MARKER = "<!-- recalibrate app=1 key=config -->"


def push_branch(here: Scene, branch: str = HEAD) -> str:
    commit = git(here.repo.git.path, "commit-tree", f"{here.base}^{{tree}}", "-p", here.base, "-m", branch)
    here.git("update-ref", f"refs/heads/{branch}", commit)
    return commit


def test_a_pull_request_is_opened_found_changed_and_closed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            tip = push_branch(here)
            opened = await here.write(lambda session: Pulls(session).open(NEW))
            assert (opened.draft, opened.state, opened.merged, opened.author) == (True, "open", False, here.login)
            assert (opened.head, opened.head_sha, opened.base, opened.body) == (HEAD, tip, "main", NEW.body)
            await here.write(lambda session: Pulls(session).update(opened.number, "t", "b"))
            await here.write(lambda session: Pulls(session).close(opened.number))
            found = await here.write(lambda session: Pulls(session).of_branch(HEAD, "main"))
            assert found == (replace(opened, title="t", body="b", state="closed"),)

    asyncio.run(scenario())


def test_one_that_is_open_already_is_given_as_it_is(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            first = await here.write(lambda session: Pulls(session).open(NEW))
            assert await here.write(lambda session: Pulls(session).open(replace(NEW, body="other"))) == first
            assert len(here.repo.pulls()) == 1

    asyncio.run(scenario())


def test_only_pull_requests_of_the_two_branches_are_found_newest_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            for branch in (HEAD, f"{HEAD}-x"):
                push_branch(here, branch)
            first = (await here.write(lambda session: Pulls(session).open(NEW))).number
            await here.write(lambda session: Pulls(session).open(replace(NEW, head=f"{HEAD}-x")))
            await here.write(lambda session: Pulls(session).close(first))
            again = await here.write(lambda session: Pulls(session).open(NEW))
            found = await here.write(lambda session: Pulls(session).of_branch(HEAD, "main"))
            assert [pull.number for pull in found] == [again.number, first]

    asyncio.run(scenario())


def test_a_branch_without_a_difference_is_refused_in_githubs_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.git("update-ref", f"refs/heads/{HEAD}", here.base)
            with pytest.raises(RefusedError, match="No commits between"):
                await here.write(lambda session: Pulls(session).open(NEW))

    asyncio.run(scenario())


def test_a_plan_without_drafts_gets_it_undrafted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            words = {"message": "Draft pull requests are not supported in this repository."}
            here.world.faults.append(Fault("POST", PULLS, 422, words))
            opened = await here.write(lambda session: Pulls(session).open(NEW))
            assert opened.draft is False

    asyncio.run(scenario())


def test_an_organisation_that_forbids_pull_requests_is_heard(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            words = {"message": "GitHub Actions is not permitted to create or approve pull requests."}
            here.world.faults.append(Fault("POST", PULLS, 403, words))
            with pytest.raises(RefusedError, match="not permitted to create"):
                await here.write(lambda session: Pulls(session).open(NEW))

    asyncio.run(scenario())


def test_a_lost_answer_does_not_open_a_second_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            here.world.faults.append(Fault("POST", PULLS, 502, after=True))
            with pytest.raises(BusyError):
                await here.write(lambda session: Pulls(session).open(NEW))
            await here.write(lambda session: Pulls(session).open(NEW))
            assert len(here.repo.pulls()) == 1

    asyncio.run(scenario())


def test_reviewers_who_cannot_review_are_named_and_the_others_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            for login in ("ann", "bob", "eve"):
                here.world.account(login)
            here.repo.roles |= {"ann": "write", "bob": "write"}
            number = (await here.write(lambda session: Pulls(session).open(NEW))).number
            left = await here.write(lambda session: Pulls(session).request_reviewers(number, ["ann", "eve", "bob"]))
            assert left == ("eve",)
            assert [who.login for who in here.repo.pulls()[0].pull.reviewers] == ["ann", "bob"]
            assert await here.write(lambda session: Pulls(session).request_reviewers(number, ["ann"])) == ()
            assert await here.write(lambda session: Pulls(session).request_reviewers(number, ["eve"])) == ("eve",)
            assert await here.write(lambda session: Pulls(session).request_reviewers(number, [])) == ()

    asyncio.run(scenario())


def test_labels_are_added_to_those_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            number = (await here.write(lambda session: Pulls(session).open(NEW))).number
            await here.write(lambda session: Pulls(session).add_labels(number, ["ci", "est"]))
            await here.write(lambda session: Pulls(session).add_labels(number, ["ci"]))
            await here.write(lambda session: Pulls(session).add_labels(number, []))
            assert [label.name for label in here.repo.issues[number].labels] == ["ci", "est"]

    asyncio.run(scenario())


def test_an_issue_of_ours_is_opened_found_healed_and_reopened(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:

            def step(work: str, *args: object) -> object:
                return here.write(lambda session: getattr(OwnIssues(session, here.login), work)(*args))

            assert await step("find", MARKER) is None
            opened = await step("open", "broken", f"text\n{MARKER}")
            assert await step("find", MARKER) == opened
            await step("update", opened.number, f"other\n{MARKER}")
            await step("close", opened.number)
            closed = await step("find", MARKER)
            assert (closed.state, closed.body) == ("closed", f"other\n{MARKER}")
            assert here.repo.issues[opened.number].state_reason == "completed"
            await step("reopen", opened.number)
            assert (await step("find", MARKER)).state == "open"

    asyncio.run(scenario())


def test_neither_a_copied_marker_nor_a_pull_request_is_our_issue(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            push_branch(here)
            await here.write(lambda session: Pulls(session).open(replace(NEW, body=MARKER)))
            await here.write(lambda session: OwnIssues(session, "").open("copied", MARKER))
            here.repo.issues[2].author = here.world.account("mallory")
            assert await here.write(lambda session: OwnIssues(session, here.login).find(MARKER)) is None

    asyncio.run(scenario())


def test_a_comment_is_made_once_and_edited_in_place(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            issue = await here.write(lambda session: OwnIssues(session, here.login).open("t", "b"))
            bodies = (f"one\n{MARKER}", f"two\n{MARKER}", f"two\n{MARKER}")
            puts = [
                await here.write(lambda session, b=body: OwnComments(session, here.login).put(issue.number, MARKER, b))
                for body in bodies
            ]
            assert len({put.comment_id for put in puts}) == 1
            assert [put.body for put in puts] == list(bodies)
            writes = [
                record.method for record in here.world.journal if "comments" in record.route and record.method != "GET"
            ]
            assert writes == ["POST", "PATCH"]

    asyncio.run(scenario())


def test_a_persons_comment_with_our_marker_is_left_alone(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            issue = await here.write(lambda session: OwnIssues(session, here.login).open("t", "b"))
            theirs = await here.write(
                lambda session: OwnComments(session, here.login).put(issue.number, MARKER, MARKER)
            )
            here.repo.comments[theirs.comment_id].author = here.world.account("mallory")
            assert await here.write(lambda session: OwnComments(session, here.login).find(issue.number, MARKER)) is None
            ours = await here.write(
                lambda session: OwnComments(session, here.login).put(issue.number, MARKER, "x" + MARKER)
            )
            assert ours.comment_id != theirs.comment_id
            assert here.repo.comments[theirs.comment_id].body == MARKER

    asyncio.run(scenario())


def test_a_comment_is_found_on_a_later_page(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            issue = await here.write(lambda session: OwnIssues(session, here.login).open("t", "b"))
            ours = await here.write(lambda session: OwnComments(session, here.login).put(issue.number, MARKER, MARKER))
            last = here.repo.comments.pop(ours.comment_id)
            for number in range(120):
                here.repo.comments[number] = replace(last, id=number, body="chatter")
            here.repo.comments[ours.comment_id] = last
            found = await here.write(lambda session: OwnComments(session, here.login).find(issue.number, MARKER))
            assert found == ours

    asyncio.run(scenario())


def test_a_reaction_shows_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            issue = await here.write(lambda session: OwnIssues(session, here.login).open("t", "b"))
            comment = await here.write(
                lambda session: OwnComments(session, here.login).put(issue.number, MARKER, MARKER)
            )
            for _ in range(2):
                await here.write(lambda session: OwnComments(session, here.login).react(comment.comment_id, "eyes"))
            assert [[it.content for it in found] for found in here.repo.reactions.values()] == [["eyes"]]

    asyncio.run(scenario())
