"""A repository of each dialect under the service: two nights over HTTP, and the pull request's diff to the byte.

Worlds are as small as they can be; a pull request of a person is compared by the same dialects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.cli.run import RunOptions, run
from bot.domain import CommitSha, JobId, RunId
from bot.sandbox import events
from bot.sandbox.generator.api import JobFacts, RestAnswers, RunFacts, StepFacts
from bot.sandbox.generator.artifact import write_run
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.issues import Issue
from bot.settings import Credentials
from tests.sandbox.service import Case, Ended, Rig
from tests.sandbox.talking import Talking
from tests.stages.dialect_world import ROOT, World, block, log, older, world

OTTER, NEWT = "test/zoo/test_otter.py", "test/zoo/test_newt.py"
SUITE = "base-b-test-1-gpu-large"
PLAIN = f'register_cuda_ci(est_time=400, suite="{SUITE}")\n'
NEWER = """\
from ci import register_amd_ci, register_cuda_ci

register_cuda_ci(est_time=400, stage="base-b", runner_config="1-gpu-large")  # one card
register_amd_ci(est_time=400, suite="stage-b-amd")
"""
TIMES = """\
# seconds a file
estimated_times:
  test/zoo/test_otter.py: 600   # cold cache

  'test/zoo/test_newt.py': 300
  test/zoo/test_newt.py::test_egg: 200
other: 1
"""
LISTS = """\
lane-one:
- name: test/zoo/test_otter.py
  estimated_time: 66  # warm
lane-two:
- {name: test/zoo/test_otter.py, estimated_time: 66}
"""
STRICT = "version: 1\nestimate: {policy: strict}\n"
MAPPING = STRICT + "registrations: {yaml: [{file: ci/times.yaml, key: estimated_times}]}\n"
LIST = STRICT + 'registrations: {yaml: [{file: ci/lanes.yaml, list: "lane-*"}]}\n'
CONFIG = ".github/recalibrate.yml"
FIRST = datetime(2026, 8, 1, 15, tzinfo=UTC)


@dataclass(frozen=True)
class Park:
    """A repository of one dialect, the App installed on it."""

    case: Case
    here: World

    def night(self, run_id: int, jobs: Mapping[str, list[str]], head: str = "") -> None:
        """One night of these jobs, each with its log's lines; the service has done its task."""
        self.case.add_runs(self.written(run_id, jobs, head))
        self.case.nightly(run_id)

    def written(self, run_id: int, jobs: Mapping[str, list[str]], head: str = "") -> Path:
        """The night's directory as GitHub would answer about it."""
        began = FIRST + timedelta(days=run_id % 100)
        ended = began + timedelta(hours=1)
        facts = RunFacts(RunId(run_id), run_id % 100, CommitSha(head or self.here.head), began, ended, "success")
        step = StepFacts("Run the suite", "success", began, ended)
        told = tuple(
            JobFacts(
                job_id=JobId(100 * run_id + number),
                name=name,
                conclusion="success",
                created_at=began,
                started_at=began,
                completed_at=ended,
                runner_name="keeper-1",
                labels=("self-hosted",),
                steps=(step,),
                log=log(*lines).encode(),
            )
            for number, (name, lines) in enumerate(jobs.items(), start=1)
        )
        where = self.here.repository.parent / f"night-{run_id}"
        write_run(where, RestAnswers(self.here.repository), facts, told)
        return where

    def checkout(self) -> list[str]:
        return self.here.checkout(repository=self.case.repo.full_name)

    def changed(self) -> list[tuple[str, str]]:
        """What the App's pull request takes away and adds."""
        assert self.case.pull.pull
        return self.case.changed(self.case.pull.pull.head_sha)

    def checked(self, issue: Issue) -> CheckRun:
        """The check run of a person's pull request."""
        rig = self.case.rig
        rig.sandbox.deliver(
            "pull_request", events.pull_request(rig.world, self.case.repo, issue, "opened", issue.author)
        )
        assert issue.pull
        assert rig.running
        key = f"pull_request:{self.case.repo.id}:{issue.number}:{issue.pull.head_sha}"
        rig.sandbox.run(rig.running.queue.result(key))
        (found,) = [it for it in self.case.repo.checks.values() if it.head_sha == issue.pull.head_sha]
        return found


def park(rig: Rig, where: Path, name: str, files: Mapping[str, str]) -> Park:
    here = world(where, files)
    return Park(rig.case(here.repository, name), here)


def two_nights(made: Park, first: int, jobs: Mapping[str, list[str]]) -> None:
    for run_id in (first, first + 1):
        made.night(run_id, jobs)


def test_logs_of_the_older_runner(service_rig: Rig, tmp_path: Path) -> None:
    made = park(service_rig, tmp_path, "older", {OTTER: PLAIN, CONFIG: STRICT})
    lines = [*made.checkout(), *older("CUDA", SUITE, {f"{ROOT}/{OTTER}": (400.0, 520)})]
    two_nights(made, 4101, {"base-b / run": lines})
    assert made.changed() == [("-", PLAIN.rstrip()), ("+", PLAIN.rstrip().replace("400", "700"))]


def test_logs_with_a_structured_block(service_rig: Rig, tmp_path: Path) -> None:
    markers = STRICT + 'logs: {dialects: [structured_block], block: {begin: "ci times", end: "ci end"}}\n'
    made = park(service_rig, tmp_path, "block", {OTTER: PLAIN, CONFIG: markers})
    lines = [*made.checkout(), *block({OTTER: 520}, "ci times", "ci end")]
    two_nights(made, 4201, {f"{SUITE} / run": lines})
    assert made.changed() == [("-", PLAIN.rstrip()), ("+", PLAIN.rstrip().replace("400", "700"))]


def test_newer_register_calls(service_rig: Rig, tmp_path: Path) -> None:
    made = park(service_rig, tmp_path, "newer", {OTTER: NEWER, CONFIG: STRICT})
    lines = [*made.checkout(), *older("CUDA", SUITE, {OTTER: (400.0, 520)})]
    two_nights(made, 4301, {"base-b / run": lines})
    call = NEWER.split("\n")[2]
    assert made.changed() == [("-", call), ("+", call.replace("400", "700"))]


def test_a_yaml_list(service_rig: Rig, tmp_path: Path) -> None:
    made = park(service_rig, tmp_path, "list", {OTTER: "x = 1\n", "ci/lanes.yaml": LISTS, CONFIG: LIST})
    lines = [*made.checkout(), *older("NPU", "lane-two", {OTTER: (66.0, 160)})]
    two_nights(made, 4401, {"lane-two / run": lines})
    entry = "- {name: test/zoo/test_otter.py, estimated_time: 66}"
    assert made.changed() == [("-", entry), ("+", entry.replace("66", "200"))]


@pytest.fixture(scope="module")
def mapping(service_rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Park:
    """A mapping of seconds, two nights known and published; tests only add pull requests of persons."""
    files = {OTTER: "x = 1\n", NEWT: "x = 2\n", "ci/times.yaml": TIMES, CONFIG: MAPPING}
    made = park(service_rig, tmp_path_factory.mktemp("mapping"), "mapping", files)
    ran = {OTTER: (600.0, 520), f"{NEWT}::test_egg": (200.0, 1900)}
    two_nights(made, 4501, {"one-card / run": [*made.checkout(), *older("NPU", "one-card", ran)]})
    return made


def test_a_yaml_mapping(mapping: Park) -> None:
    pull = mapping.case.pulls[0].pull
    assert pull
    assert mapping.case.changed(pull.head_sha) == [
        ("-", "  test/zoo/test_otter.py: 600   # cold cache"),
        ("+", "  test/zoo/test_otter.py: 700   # cold cache"),
        ("-", "  test/zoo/test_newt.py::test_egg: 200"),
        ("+", "  test/zoo/test_newt.py::test_egg: 2400"),
    ]


def proposed(made: Park, branch: str, files: Mapping[str, str | None]) -> Issue:
    who = made.case.person()
    who.commit(branch, {path: None if text is None else text.encode() for path, text in files.items()})
    return who.propose(branch)


def test_a_pull_request_that_changes_an_estimate_in_yaml_is_checked_on_its_line(mapping: Park) -> None:
    check = mapping.checked(proposed(mapping, "hot", {"ci/times.yaml": TIMES.replace("600", "90")}))
    assert [(it["path"], it["start_line"], it["title"]) for it in check.annotations] == [
        ("ci/times.yaml", 3, "The nights say est_time 700, not 90")
    ]


def test_an_estimate_of_a_test_that_a_pull_request_removes_is_named(mapping: Park) -> None:
    changed = {"ci/times.yaml": TIMES.replace("600", "700"), NEWT: None}
    check = mapping.checked(proposed(mapping, "gone", changed))
    said = {(it["path"], it["start_line"]): it["message"] for it in check.annotations}
    assert said == dict.fromkeys([("ci/times.yaml", 5), ("ci/times.yaml", 6)], "The test file is gone.")


def test_a_value_in_yaml_is_suggested_as_its_whole_line(mapping: Park) -> None:
    issue = proposed(mapping, "asked", {"ci/times.yaml": TIMES.replace("600", "90")})
    talk = Talking(mapping.case).say(issue.number, "/recalibrate")
    assert talk.ended.outcome == "answered"
    assert f"`{OTTER}`, `ci/times.yaml`, line 3" in talk.answer
    (review,) = [one for one in mapping.case.repo.reviews.values() if one.number == issue.number]
    (comment,) = review.comments
    assert (comment["path"], comment["line"]) == ("ci/times.yaml", 3)
    assert "```suggestion\n  test/zoo/test_otter.py: 700   # cold cache\n```" in comment["body"]


def test_configured_dialects_read_a_pull_request_too(service_rig: Rig, tmp_path: Path) -> None:
    """By its bytes the file would be read as newer calls, with a suite; the configuration says otherwise, and wins."""
    only_plain = STRICT + "registrations: {dialects: [register_call]}\n"
    made = park(service_rig, tmp_path, "named", {OTTER: PLAIN, CONFIG: only_plain})
    check = made.checked(proposed(made, "newer", {OTTER: NEWER}))
    said = {it["start_line"]: it["message"] for it in check.annotations}
    assert set(said) == {3, 4}  # the second names a suite, and is new
    assert "suite" in said[3]
    plain = park(service_rig, tmp_path / "free", "free", {OTTER: PLAIN, CONFIG: STRICT})
    free = plain.checked(proposed(plain, "newer", {OTTER: NEWER}))
    assert [it["start_line"] for it in free.annotations] == [4]  # the first says in other words what it said


# ---------------------------------------------------------------- nightlies of another repository


@dataclass(frozen=True)
class Pair:
    """A repository whose tests another one's nightly runs; the App is installed on both."""

    guest: Park
    host: Park

    def nights(self, first: int) -> list[Ended]:
        """Two nights of the host, each of which checks out the guest; how the guest's tasks ended."""
        theirs = self.host.checkout()
        own = self.guest.here.checkout(repository=self.guest.case.repo.full_name, directory=f"{ROOT}/park")
        lines = [*theirs, *own, *older("CUDA", SUITE, {f"{ROOT}/park/{OTTER}": (400.0, 520)})]
        two_nights(self.host, first, {"base-b / run": lines})
        return [self.guest.case.ended(run_id) for run_id in (first, first + 1)]


def pair(rig: Rig, where: Path, name: str, evidence: tuple[str, str]) -> Pair:
    """What the guest takes and what the host gives; `{guest}` and `{host}` stand for the names."""
    names = {"guest": f"{name}-guest-lab/heron", "host": f"{name}-host-lab/heron"}
    taken, given = (f"{STRICT}evidence: {one.format(**names)}\n" for one in evidence)
    guest = park(rig, where / "guest", f"{name}-guest", {OTTER: PLAIN, CONFIG: taken})
    host = park(rig, where / "host", f"{name}-host", {"README.md": "nightlies\n", CONFIG: given})
    known(guest)
    return Pair(guest, host)


def known(made: Park) -> None:
    """The App hears that it was installed."""
    rig = made.case.rig
    payload = events.installation(rig.world, made.case.installation, "created")
    delivery = rig.sandbox.deliver("installation", payload)
    assert rig.running
    rig.sandbox.run(rig.running.queue.result(f"installation:{made.case.installation.id}:{delivery.guid}"))


def test_a_nightly_of_another_repository_corrects_the_one_it_measures(service_rig: Rig, tmp_path: Path) -> None:
    made = pair(service_rig, tmp_path, "agreed", ("{{from: [{host}]}}", "{{for: [{guest}]}}"))
    ended = made.nights(4701)
    assert [one.outcome for one in ended] == ["published", "refreshed"]
    assert made.guest.changed() == [("-", PLAIN.rstrip()), ("+", PLAIN.rstrip().replace("400", "700"))]
    assert f"/{made.host.case.repo.full_name}/actions/runs/4702" in (made.guest.case.pull.body or "")
    assert made.host.case.pulls == []
    assert made.guest.case.repo.checks == {}  # the head is no commit of the guest
    rows = [row for one in made.guest.case.evidence(4701) for row in one.rows]
    assert [(row.path, row.head_sha) for row in rows] == [(OTTER, made.guest.here.head)]


def test_what_the_guest_does_not_take_is_refused_by_name(service_rig: Rig, tmp_path: Path) -> None:
    made = pair(service_rig, tmp_path, "deaf", ("{{from: []}}", "{{for: [{guest}]}}"))
    ended = made.nights(4801)
    assert [one.outcome for one in ended] == ["refused", "refused"]
    assert "evidence.from does not list it" in ended[0].detail
    assert made.guest.case.pulls == []


def test_what_the_host_does_not_give_is_never_asked_for(service_rig: Rig, tmp_path: Path) -> None:
    made = pair(service_rig, tmp_path, "mute", ("{{from: [{host}]}}", "{{for: [someone/else]}}"))
    two_nights(made.host, 4901, {"base-b / run": made.host.checkout()})
    assert made.guest.case.store.outcomes.find(made.guest.case.key(4901)) is None
    assert made.guest.case.evidence(4901) == []


def test_runs_of_another_repository_are_named_on_the_command_line(service_rig: Rig, tmp_path: Path) -> None:
    """`recalibrate run --host` as a process would do it, against the same local GitHub."""
    made = pair(service_rig, tmp_path, "named-host", ("{{from: [{host}]}}", "{{for: [{guest}]}}"))
    theirs = made.host.checkout()
    own = made.guest.here.checkout(repository=made.guest.case.repo.full_name, directory=f"{ROOT}/park")
    lines = [*theirs, *own, *older("CUDA", SUITE, {f"{ROOT}/park/{OTTER}": (400.0, 520)})]
    for run_id in (5001, 5002):
        made.host.case.add_runs(made.host.written(run_id, {"base-b / run": lines}))
    settings = service_rig.settings
    given = Credentials(settings.github_url, settings.app_id, settings.private_key)
    asked = RunOptions(
        repository=made.guest.case.repo.full_name,
        runs=(RunId(5002),),
        nights=2,
        dry_run=True,
        host=made.host.case.repo.full_name,
    )
    said: list[str] = []
    asyncio.run(run(asked, given, said.append))
    assert "+register_cuda_ci(est_time=700" in said[-1]
    assert made.guest.case.pulls == []
    asyncio.run(run(replace(asked, dry_run=False), given, said.append))
    assert said[-1].startswith("published")
    assert made.guest.changed() == [("-", PLAIN.rstrip()), ("+", PLAIN.rstrip().replace("400", "700"))]
