"""Whose the rolling branch is: merges of the base by a button are nobody's work, anything else is a person's."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import CommitSha, RunEvidence, RunId, ScheduledFile, Status
from bot.publish.names import rolling_branch
from bot.sandbox.generator import Generated
from bot.sandbox.traffic import Exchange
from tests.sandbox.service import CONFIG, ROLLING, Case, Rig, watched

ROLL = rolling_branch("main")
DAY = timedelta(days=1)


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
    assert case.again(runs[0]) == "refreshed"
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


# ------------------------------------------------------------------- a base that changed, and what we answer for


def test_a_literal_that_a_person_changed_on_the_base_is_dropped_and_the_others_are_rebuilt(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "conflict")
    assert case.nightly(runs[0]).outcome == "published"
    paths = case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split()
    assert len(paths) > 1
    before, _ = generated.edits[paths[0]]
    theirs = case.file("main", paths[0]).replace(b"est_time=%d" % before, b"est_time=1234")
    main = case.person().commit("main", {paths[0]: theirs})
    assert case.again(runs[0]) == "published"
    assert case.git("rev-list", "--parents", "-1", str(case.tip())).split()[1:] == [main]
    rebuilt = case.git("diff", "--name-only", main, str(case.tip())).split()
    assert b"est_time=1234" in case.file(str(case.tip()), paths[0])  # labels may still be added beside it
    assert set(paths[1:]) <= set(rebuilt)
    assert "1234" in (case.pull.body or "")  # held back, by name


def test_a_timeout_at_a_limit_that_our_merged_change_lowered_raises_at_once_and_names_it(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "answer")
    case.configure(CONFIG + "timeout: {floor_s: 60}\n")
    for run in runs:
        assert case.nightly(run).outcome == "published"
    lowered = [path for path, (before, after) in generated.edits.items() if after < before]
    path = next(path for path in lowered if has_changed(case, path))
    before, after = generated.edits[path]
    first = case.pull.number
    merge = case.person().merge(first)
    killed(case, runs[1], path, merge, after)
    assert case.again(runs[1]) == "published"
    pull = case.pulls[-1]
    assert pull.number != first
    assert re.search(rb"\b%d\b" % before, case.file(str(case.tip()), path))
    assert f"#{first} lowered it from {before} to {after}, and it timed out once" in (pull.body or "")


def has_changed(case: Case, path: str) -> bool:
    return path in case.git("diff", "--name-only", f"{case.tip()}^", str(case.tip())).split()


def killed(case: Case, run: int, path: str, head: str, literal: int) -> None:
    """A third night, of the merge: as the second, but for one file that was killed at the limit of its new literal."""
    night = case.evidence(run)[-1]
    at = night.run.created_at
    assert at
    later = replace(night.run, run_id=RunId(run + 7), attempt=1, head_sha=CommitSha(head), created_at=at + DAY)

    def moved(row: ScheduledFile) -> ScheduledFile:
        row = replace(row, run_id=later.run_id, attempt=1, head_sha=later.head_sha)
        if row.path != path:
            return row
        return replace(row, status=Status.TIMEOUT, elapsed_s=literal * 5 // 4, logged_est_s=float(literal))

    jobs = tuple(
        replace(job, rows=tuple(map(moved, job.rows)), tested_sha=None, carried_from=None) for job in night.jobs
    )
    case.store.runs.record(case.repository_id, RunEvidence(later, jobs, night.partial))
