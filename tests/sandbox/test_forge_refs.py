"""Promises of branches moved by compare-and-swap: all or none, and whose the result is."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.domain import CommitSha
from bot.forge.answers import BusyError, RefusedError
from bot.forge.commits import Commits
from bot.forge.refs import Refs
from bot.publish.ports.commits import FileWrite, NewCommit
from bot.publish.ports.refs import RefChange, RefMove, RefOutcome, RefVerdict
from bot.sandbox.traffic import Fault
from tests.sandbox.forge_world import Scene, scene
from tests.waits import PATIENCE_S

ROLLING, EVIDENCE = "recalibrate/main", "recalibrate/evidence"
GRAPHQL = "/graphql"


async def make_commit(here: Scene, text: str, parent: CommitSha | None = None) -> CommitSha:
    new = NewCommit(text, (FileWrite("notes/x", text.encode()),), parent)
    return await here.write(lambda session: Commits(session).commit(new))


async def move(here: Scene, *changes: RefChange) -> RefOutcome:
    return await here.write(lambda session: Refs(session).move(changes))


def tip(here: Scene, branch: str) -> str:
    return here.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


def test_both_branches_are_made_together(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            rolling, evidence = await make_commit(here, "r", here.base), await make_commit(here, "e")
            outcome = await move(
                here,
                RefChange(ROLLING, None, rolling, RefMove.REPLACE),
                RefChange(EVIDENCE, None, evidence),
            )
            assert outcome == RefOutcome(RefVerdict.OURS, {ROLLING: rolling, EVIDENCE: evidence})
            assert (tip(here, ROLLING), tip(here, EVIDENCE)) == (rolling, evidence)

    asyncio.run(scenario())


def test_tips_are_read_and_a_missing_branch_is_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            found = await here.write(lambda session: Refs(session).tips(["main", "mai", "no/such#branch"]))
            assert found == {"main": here.base, "mai": None, "no/such#branch": None}

    asyncio.run(scenario())


def test_a_branch_somebody_moved_keeps_theirs_and_moves_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours, theirs = await make_commit(here, "ours", here.base), await make_commit(here, "theirs", here.base)
            evidence = await make_commit(here, "e")
            here.git("update-ref", f"refs/heads/{ROLLING}", theirs)
            outcome = await move(
                here,
                RefChange(EVIDENCE, None, evidence),
                RefChange(ROLLING, here.base, ours, RefMove.REPLACE),
            )
            assert outcome == RefOutcome(RefVerdict.THEIRS, {EVIDENCE: None, ROLLING: theirs})
            assert (tip(here, ROLLING), tip(here, EVIDENCE)) == (theirs, "")

    asyncio.run(scenario())


def test_a_branch_that_appeared_meanwhile_is_theirs(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            here.git("update-ref", f"refs/heads/{ROLLING}", here.base)
            outcome = await move(here, RefChange(ROLLING, None, ours, RefMove.REPLACE))
            assert outcome == RefOutcome(RefVerdict.THEIRS, {ROLLING: here.base})

    asyncio.run(scenario())


def test_a_branch_that_was_deleted_meanwhile_is_theirs(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            outcome = await move(here, RefChange(ROLLING, here.base, ours, RefMove.REPLACE))
            assert outcome == RefOutcome(RefVerdict.THEIRS, {ROLLING: None})

    asyncio.run(scenario())


def test_a_move_made_by_an_earlier_try_is_ours(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            change = RefChange(ROLLING, None, await make_commit(here, "ours", here.base), RefMove.REPLACE)
            assert (await move(here, change)).verdict is RefVerdict.OURS
            assert (await move(here, change)).verdict is RefVerdict.OURS

    asyncio.run(scenario())


def test_an_answer_that_was_lost_after_the_move_is_ours(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            here.world.faults.append(Fault("POST", GRAPHQL, 502, after=True, skip=1))
            outcome = await move(here, RefChange(ROLLING, None, ours, RefMove.REPLACE))
            assert outcome == RefOutcome(RefVerdict.OURS, {ROLLING: ours})

    asyncio.run(scenario())


def test_a_server_that_moved_nothing_is_asked_once_more(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            here.world.faults.append(Fault("POST", GRAPHQL, 502, skip=1))
            outcome = await move(here, RefChange(ROLLING, None, ours, RefMove.REPLACE))
            assert (outcome.verdict, tip(here, ROLLING)) == (RefVerdict.OURS, ours)

    asyncio.run(scenario())


def test_nothing_moved_and_nobody_there_is_for_later(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            generic = {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]}
            here.world.faults += [
                Fault("POST", GRAPHQL, 200, generic, skip=1),
                Fault("POST", GRAPHQL, 200, generic, skip=2),
            ]
            with pytest.raises(BusyError, match="did not move"):
                await move(here, RefChange(ROLLING, None, ours, RefMove.REPLACE))
            assert tip(here, ROLLING) == ""

    asyncio.run(scenario())


def test_a_protected_branch_is_a_refusal_in_githubs_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            here.repo.protected = ("refs/heads/recalibrate/**",)
            ours, evidence = await make_commit(here, "ours", here.base), await make_commit(here, "e")
            outcome = await move(here, RefChange(ROLLING, None, ours), RefChange(EVIDENCE, None, evidence))
            assert outcome.verdict is RefVerdict.REFUSED
            assert "protected" in outcome.detail
            assert (tip(here, ROLLING), tip(here, EVIDENCE)) == ("", "")

    asyncio.run(scenario())


def test_evidence_is_never_moved_off_its_history(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            first, other = await make_commit(here, "first"), await make_commit(here, "other")
            await move(here, RefChange(EVIDENCE, None, first))
            with pytest.raises(BusyError, match="fast forward"):
                await move(here, RefChange(EVIDENCE, first, other))
            assert tip(here, EVIDENCE) == first

    asyncio.run(scenario())


def test_the_rolling_branch_may_be_replaced_and_deleted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            first, second = await make_commit(here, "1", here.base), await make_commit(here, "2", here.base)
            await move(here, RefChange(ROLLING, None, first))
            assert (await move(here, RefChange(ROLLING, first, second, RefMove.REPLACE))).verdict is RefVerdict.OURS
            assert (await move(here, RefChange(ROLLING, second, None, RefMove.REPLACE))).verdict is RefVerdict.OURS
            assert tip(here, ROLLING) == ""

    asyncio.run(scenario())


def test_of_two_writers_at_once_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            commits = [await make_commit(here, str(n), here.base) for n in range(2)]
            together = threading.Barrier(2)

            async def writer(sha: CommitSha) -> RefOutcome:
                def step(refs: Refs, changes: Sequence[RefChange]) -> RefOutcome:
                    refs.tips([ROLLING])
                    together.wait(PATIENCE_S)
                    return refs.move(changes)

                changes = [RefChange(ROLLING, None, sha, RefMove.REPLACE)]
                return await here.write(lambda session: step(Refs(session), changes))

            outcomes = await asyncio.gather(*map(writer, commits))
            assert sorted(outcome.verdict for outcome in outcomes) == [RefVerdict.OURS, RefVerdict.THEIRS]
            winner = commits[[outcome.verdict for outcome in outcomes].index(RefVerdict.OURS)]
            assert {outcome.tips[ROLLING] for outcome in outcomes} == {winner}
            assert tip(here, ROLLING) == winner

    asyncio.run(scenario())


def test_a_token_without_write_is_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as here:
            ours = await make_commit(here, "ours", here.base)
            changes = [RefChange(ROLLING, None, ours, RefMove.REPLACE)]
            outcome = await here.write(lambda session: Refs(session).move(changes), contents="read")
            assert outcome.verdict is RefVerdict.REFUSED
            with pytest.raises(RefusedError):
                await here.write(lambda session: Refs(session).tips([ROLLING]), issues="read")

    asyncio.run(scenario())
