"""The demo world over real HTTP: two nights become one pull request, whatever is repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from bot.sandbox.generator import Generated
from tests.sandbox.service import EVIDENCE, ROLLING, Case, Ended, Rig

LITERAL = re.compile(r"\d+")
LABELS = re.compile(r"labels=\[[^\]]*\]")


@dataclass
class Demo:
    """The world after both nights, with what stood after the first."""

    case: Case
    made: Generated
    runs: list[int]
    ends: list[Ended]
    first_tip: str
    first_body: str


@pytest.fixture(scope="module")
def demo(service_rig: Rig, generated: Generated) -> Demo:
    made = generated
    case, runs = service_rig.started(made, "demo")
    first = case.nightly(runs[0])
    tip, body = case.tip(), case.pull.body
    assert tip
    assert body
    return Demo(case, made, runs, [first, case.nightly(runs[1])], tip, body)


def test_two_nights_become_one_pull_request_updated_in_place(demo: Demo) -> None:
    assert [end.outcome for end in demo.ends] == ["published", "published"]
    assert demo.case.pull.state == "open"
    assert demo.case.pull.body != demo.first_body
    assert demo.case.pull.pull
    assert demo.case.pull.pull.head_sha == demo.case.tip()
    assert demo.ends[1].detail.endswith(f"/pull/{demo.case.pull.number}")


def test_the_first_pull_request_of_an_installation_is_a_draft_that_says_so(demo: Demo) -> None:
    assert demo.case.pull.pull
    assert demo.case.pull.pull.draft
    assert "first pull request" in demo.first_body


def test_it_says_so_for_as_long_as_it_is_the_only_one(demo: Demo) -> None:
    assert "first pull request" in (demo.case.pull.body or "")


def test_the_branch_is_one_commit_on_the_tip_of_the_base(demo: Demo) -> None:
    for tip in (demo.first_tip, demo.case.tip()):
        assert demo.case.git("rev-list", "--parents", "-1", str(tip)).split()[1:] == [demo.made.base]


def test_the_commit_leaves_author_and_committer_to_github_which_signs_it(demo: Demo) -> None:
    assert {demo.first_tip, demo.case.tip()} <= demo.case.repo.verified


def test_the_pull_request_changes_planned_literals_and_label_lists_only(demo: Demo) -> None:
    tip = demo.case.tip()
    assert tip
    lines = demo.case.changed(tip)
    removed, added = ([text for sign, text in lines if sign == wanted] for wanted in "-+")

    def masked(line: str) -> str:
        return LITERAL.sub("N", LABELS.sub("labels=[]", line), count=1)

    assert [masked(line) for line in removed] == [masked(line) for line in added]
    assert set(demo.case.git("diff", "--name-only", f"{tip}^", tip).split()) == set(demo.made.edits)
    for path, (before, after) in demo.made.edits.items():
        assert str(before).encode() in demo.case.file(demo.made.base, path)
        assert re.search(rf"\b{after}\b".encode(), demo.case.file(tip, path))


def test_one_night_raises_and_does_not_lower(demo: Demo) -> None:
    raises = {path for path, (before, after) in demo.made.edits.items() if after > before}
    first = set(demo.case.git("diff", "--name-only", f"{demo.first_tip}^", demo.first_tip).split())
    labelled = {path for path in demo.made.edits if path.endswith("_lora_ci.py")}
    assert raises <= first <= raises | labelled


def test_the_evidence_branch_grows_by_one_entry_a_night_and_holds_nothing_else(demo: Demo) -> None:
    tip = demo.case.tip(EVIDENCE)
    assert tip
    commits = demo.case.git("rev-list", "--reverse", tip).split()
    assert len(commits) == 2
    assert demo.case.git("rev-list", "--max-parents=0", tip).split() == commits[:1]
    assert "[skip ci]" in demo.case.git("log", "-1", "--format=%s", tip)
    files = demo.case.git("ls-tree", "-r", "--name-only", tip).split()
    entries = {path.rsplit("/", 1)[0] for path in files}
    assert sorted(entry.split("/")[1] for entry in entries) == [f"{run}-1" for run in demo.runs]
    assert {path.rsplit("/", 1)[1] for path in files} == {"evidence.csv", "lines.txt", "manifest.json"}


def test_the_body_links_the_evidence_by_commit(demo: Demo) -> None:
    tip = demo.case.tip(EVIDENCE)
    assert f"/blob/{tip}/runs/{demo.runs[1]}-1/" in (demo.case.pull.body or "")


def test_a_redelivery_and_a_replay_change_nothing(demo: Demo) -> None:
    before, mark = demo.case.seen(), len(demo.case.rig.world.journal)
    guid = demo.case.rig.world.deliveries[0].guid
    for again in (guid, guid, ""):
        delivery = demo.case.deliver(demo.runs[0], guid=again)
        assert delivery.status_code == 202
    assert demo.case.ended(demo.runs[0]) == demo.ends[0]
    assert demo.case.seen() == before
    assert demo.case.since(mark) == []


def test_every_timing_is_kept(demo: Demo) -> None:
    for run in demo.made.runs:
        (kept,) = demo.case.evidence(run.run_id)
        planned = {(row.path, row.suite): (row.status, row.elapsed_s) for row in run.rows}
        assert {(row.path, row.suite): (row.status, row.elapsed_s) for row in kept.rows} == planned


def test_no_log_stays_on_disk(demo: Demo) -> None:
    assert not list(demo.case.rig.settings.work_dir.rglob("*.log"))


def test_the_base_is_left_as_it_was(demo: Demo) -> None:
    assert demo.case.tip("refs/heads/main") == demo.made.base


def test_branches_are_these_and_no_others(demo: Demo) -> None:
    assert set(dict(demo.case.repo.git.refs("refs/heads/"))) == {"refs/heads/main", ROLLING, EVIDENCE}
