"""Whose the rolling branch is: merges of the base by a button are nobody's work, anything else is a person's."""

from __future__ import annotations

import pytest

from bot.publish.names import rolling_branch
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Exchange
from tests.sandbox.service import ROLLING, Case, Rig, watched

pytestmark = pytest.mark.xdist_group("engine")  # one durable engine a process

ROLL = rolling_branch("main")


def again(case: Case, run: int) -> str:
    """Deliver the next attempt of a run, a copy of the first; how its task ended."""
    attempts = case.repo.runs[run]
    number = max(attempts) + 1
    attempts[number] = type(attempts[1])({**attempts[1].run, "run_attempt": number}, attempts[1].jobs)
    return case.nightly(run, number).outcome


def edited(case: Case) -> str:
    """A file that our commit changes."""
    return case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split()[0]


def test_a_merge_of_the_base_by_its_button_does_not_silence_the_app(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "button")
    assert case.nightly(runs[0]).outcome == "published"
    person = case.person()
    for note in (b"one\n", b"two\n"):  # twice, one merge on the other
        person.commit("main", {"docs/notes.md": note})
        merged = person.update_branch(case.pull.number)
    assert again(case, runs[0]) == "refreshed"
    assert case.tip() == merged
    main = case.tip("refs/heads/main")
    assert case.nightly(runs[1]).outcome == "published"
    assert case.git("rev-list", "--parents", "-1", str(case.tip())).split()[1:] == [main]
    assert len(case.pulls) == 1
    assert case.repo.comments == {}


def test_a_merge_of_a_base_that_changed_the_same_file_is_nobodys_work_either(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "samefile")
    assert case.nightly(runs[0]).outcome == "published"
    path = edited(case)
    case.person().commit("main", {path: case.file("main", path) + b"\n\n# more\n"})
    merged = case.person().update_branch(case.pull.number)
    assert b"# more" in case.file(merged, path)
    assert case.nightly(runs[1]).outcome != "branch_of_a_person"
    assert case.tip() != merged


@pytest.mark.parametrize("own", ["docs/own.md", "edited"])
def test_a_merge_that_holds_a_persons_work_as_well_is_theirs(service_rig: Rig, generated: Generated, own: str) -> None:
    case, runs = service_rig.started(generated, f"evil{own[:4]}")
    assert case.nightly(runs[0]).outcome == "published"
    path = edited(case) if own == "edited" else own
    case.person().commit("main", {"docs/notes.md": b"base\n"})
    merged = case.person().update_branch(case.pull.number)
    before = case.file(merged, path) if own == "edited" else b""
    plain = case.person().commit(ROLL, {path: before + b"# mine\n"})
    tree = case.git("rev-parse", f"{plain}^{{tree}}").strip()
    parents = case.git("rev-list", "--parents", "-1", merged).split()[1:]
    flags = [flag for parent in parents for flag in ("-p", parent)]
    who = ("-c", "user.name=mona", "-c", "user.email=mona@example.invalid")
    message = "Merge branch 'main' into recalibrate/main"
    mixed = case.git(*who, "commit-tree", tree, *flags, "-m", message).strip()
    case.person().push(ROLL, mixed)
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert case.tip() == mixed


def test_a_merge_of_another_branch_is_a_persons_work(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "other")
    assert case.nightly(runs[0]).outcome == "published"
    ours, other = str(case.tip()), case.person().commit("feature", {"docs/notes.md": b"feature\n"})
    tree = str(case.repo.git.merges_cleanly(ours, other))
    who = ("-c", "user.name=mona", "-c", "user.email=mona@example.invalid")
    merged = case.git(*who, "commit-tree", tree, "-p", ours, "-p", other, "-m", "Merge").strip()
    case.person().push(ROLL, merged)
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert case.tip() == merged


def test_an_accepted_suggestion_is_a_persons_commit(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "suggestion")
    assert case.nightly(runs[0]).outcome == "published"
    path = edited(case)
    text = "Update test\n\nCo-authored-by: recalibrate[bot] <bot@users.noreply.github.com>"
    theirs = case.person().commit(ROLL, {path: case.file(ROLLING, path).replace(b"00", b"50", 1)}, text)
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert case.tip() == theirs


def test_a_commit_that_copies_our_trailers_is_still_a_persons(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "forged")
    assert case.nightly(runs[0]).outcome == "published"
    message = case.git("log", "-1", "--format=%B", str(case.tip()))
    theirs = case.person().commit(ROLL, {"docs/notes.md": b"mine\n"}, message)
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert case.tip() == theirs


def test_a_push_between_our_reading_and_our_writing_is_not_overwritten(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "race")
    assert case.nightly(runs[0]).outcome == "published"
    pushed: list[str] = []

    def push(exchange: Exchange) -> None:
        if exchange.route.endswith("/git/commits") and not pushed:
            pushed.append(case.person().commit(ROLL, {"docs/notes.md": b"in between\n"}))

    with watched(service_rig.world, push):
        ended = case.nightly(runs[1])
    assert len(pushed) == 1
    assert ended.outcome == "branch_of_a_person"
    assert case.tip() == pushed[0]
