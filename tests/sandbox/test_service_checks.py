"""Check runs over real HTTP: what they say on nightlies and pull requests, and who may press their buttons."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from bot.sandbox import events, scenario
from bot.sandbox.generator import Generate, Generated, generate
from bot.sandbox.people import Contributor
from bot.sandbox.state.accounts import AccountKind
from bot.sandbox.state.checks import CheckRun
from bot.sandbox.state.issues import Issue
from bot.sandbox.state.repo import Repo
from bot.sandbox.traffic import Fault
from tests.sandbox.service import Case, Ended, Rig

NIGHTLY, REGISTRATIONS = "recalibrate / nightly", "recalibrate / registrations"
CHECKS, CHECK = "/repos/{owner}/{repo}/check-runs", "/repos/{owner}/{repo}/check-runs/{check_run_id}"
ROLE = "/repos/{owner}/{repo}/collaborators/{username}/permission"
FINCH = "tests/e2e/lora/test_finch_9b_lora_ci.py"
PIPELINE = "tests/e2e/train/test_pipeline_schedule.py"
MIXTURE = "tests/e2e/train/test_mixture_router.py"
CONTEXT = "tests/e2e/eval/test_long_context.py"
OFFLOAD = "tests/e2e/train/test_optimizer_offload.py"
NEW = "tests/e2e/train/test_new_thing.py"
IMPORT = "from tests.ci.ci_register import register_cuda_ci\n\n"
GPU = 'suite="stage-c-4-gpu-h200"'


@dataclass
class Scene:
    """One repository with its nights, and short words for what happens in it."""

    case: Case
    runs: list[int]

    def checks(self, name: str, sha: str = "") -> list[CheckRun]:
        """The check runs of a name, oldest first."""
        return [it for it in self.case.repo.checks.values() if it.name == name and sha in ("", it.head_sha)]

    def check(self, name: str, sha: str = "") -> CheckRun:
        (only,) = self.checks(name, sha)
        return only

    def head(self, night: int) -> str:
        return str(self.case.repo.runs[self.runs[night]][1].run["head_sha"])

    def wait(self, key: str) -> Ended:
        rig = self.case.rig
        assert rig.running
        found = cast("dict[str, str]", rig.sandbox.run(rig.running.queue.result(key)))
        return Ended(found["outcome"], found["detail"])

    def verdict(self, event: str, payload: Mapping[str, Any], guid: str = "") -> str:
        delivery = self.case.rig.sandbox.deliver(event, dict(payload), guid)
        assert delivery.status_code == 202, delivery.response
        (found,) = re.findall(r'"verdict": "([^"]*)"', delivery.response)
        return str(found)

    def press(self, check: CheckRun, action: str = "rerequested", role: str = "write", login: str = "mona") -> str:
        """A person asks something of a check run; the receiver's verdict."""
        self.case.repo.roles[login] = role
        account = self.case.rig.world.account(login)
        return self.verdict("check_run", events.check_run(self.case.rig.world, self.case.repo, check, action, account))

    def tell(self, issue: Issue, action: str = "opened", guid: str = "", **extra: Any) -> str:
        """Deliver a pull request's event; the receiver's verdict."""
        payload = events.pull_request(self.case.rig.world, self.case.repo, issue, action, issue.author)
        return self.verdict("pull_request", {**payload, **extra}, guid)

    def proposed(self, branch: str, files: Mapping[str, str | None], person: Contributor | None = None) -> Issue:
        """A pull request of a person, not told of yet."""
        who = person or self.case.person()
        who.commit(branch, {path: None if text is None else text.encode() for path, text in files.items()})
        return who.propose(branch)

    def checked(self, branch: str, files: Mapping[str, str | None]) -> CheckRun:
        """The check run of a new pull request that changes these files."""
        issue = self.proposed(branch, files)
        self.wait(self.tell(issue))
        assert issue.pull
        return self.check(REGISTRATIONS, issue.pull.head_sha)

    def text(self, path: str) -> str:
        """A file at the tip of the default branch."""
        return self.case.file("main", path).decode()


def scene(rig: Rig, made: Generated, name: str, config: str = "") -> Scene:
    case = rig.case(made.repository, name)
    if config:
        case.configure(config)
    return Scene(case, case.add_runs(*(run.directory for run in made.runs)))


def lines(check: CheckRun) -> dict[str, tuple[str, str, str]]:
    """Level, title and message of each annotation by `path:line`; no two stand on one line."""
    found = {
        f"{it['path']}:{it['start_line']}": (it["annotation_level"], it["title"], it["message"])
        for it in check.annotations
    }
    assert len(found) == len(check.annotations)
    return found


def on(check: CheckRun, path: str) -> tuple[str, str, str]:
    (found,) = [said for place, said in lines(check).items() if place.startswith(f"{path}:")]
    return found


@pytest.fixture(scope="module")
def told(service_rig: Rig, generated: Generated) -> Scene:
    """Both nights published; the tests of this scene only add pull requests of persons."""
    found = scene(service_rig, generated, "told")
    for run in found.runs:
        assert found.case.nightly(run).outcome == "published"
    return found


# ------------------------------------------------------------------------------------------------ nightly


def test_a_nightlys_check_run_stands_on_its_head_with_what_is_off_timed_out_and_refused(
    told: Scene, generated: Generated
) -> None:
    check = told.check(NIGHTLY, told.head(1))
    assert (check.status, check.conclusion) == ("completed", "neutral")
    assert check.title
    assert check.title.endswith("1 file timed out.")
    for path, (before, after) in generated.edits.items():
        assert f"est_time {before} → {after}" in "\n".join(on(check, path)[1:])
    assert on(check, FINCH)[0] == "warning"
    assert on(check, MIXTURE)[:2] == ("failure", "Timed out")
    assert on(check, PIPELINE)[:2] == ("failure", "A pass of 1844 s is within 10 % of the limit of 1875 s")
    assert on(check, CONTEXT)[:2] == ("notice", "This registration cannot be edited")
    assert on(told.check(NIGHTLY, told.head(0)), MIXTURE)[0] != "failure"


def test_each_annotation_stands_on_the_line_of_the_literal(told: Scene) -> None:
    for night in (0, 1):
        check = told.check(NIGHTLY, told.head(night))
        for place in lines(check):
            path, _, line = place.rpartition(":")
            written = told.case.file(check.head_sha, path).decode().splitlines()[int(line) - 1]
            assert "est_time=" in written or re.search(r"register_\w+_ci\(\d", written), place


def test_its_summary_counts_shows_partitions_and_links_evidence_that_is_there(told: Scene) -> None:
    check = told.check(NIGHTLY, told.head(1))
    assert check.summary
    assert re.search(r"\| \*\*All\*\* \| 14 \| \d+ \| \d+ % \|", check.summary)
    assert "### Partitions" in check.summary
    (commit, path) = re.findall(r"/blob/([0-9a-f]{40})/(\S+?evidence\.csv)\)", check.summary)[0]
    assert told.case.file(commit, path).startswith(b"workflow_run_id,")


def test_the_token_of_a_check_run_can_do_nothing_else(told: Scene) -> None:
    mine = [it for it in told.case.rig.world.tokens.values() if it.installation is told.case.installation]
    able = [it.permissions for it in mine if "checks" in it.permissions]
    assert able == [{"checks": "write", "metadata": "read"}]
    assert all(it.repositories == frozenset({told.case.repo.id}) for it in mine)


def test_a_nightly_told_again_has_one_check_run(told: Scene) -> None:
    before = {it.id: len(it.annotations) for it in told.checks(NIGHTLY)}
    told.case.nightly(told.runs[1], guid="again")
    assert {it.id: len(it.annotations) for it in told.checks(NIGHTLY)} == before


def test_an_observing_repository_has_check_runs_and_a_button_for_the_pull_request(
    service_rig: Rig, generated: Generated
) -> None:
    here = scene(service_rig, generated, "observing", "version: 1\nmode: observe\nchecks: {fail_on: timeout}\n")
    assert [here.case.nightly(run).outcome for run in here.runs] == ["observed", "observed"]
    first, second = here.check(NIGHTLY, here.head(0)), here.check(NIGHTLY, here.head(1))
    assert (first.conclusion, second.conclusion) == ("neutral", "failure")
    assert [it["label"] for it in second.actions] == ["Re-evaluate", "Open pull request"]
    assert here.case.pulls == []

    denied = here.wait(here.press(second, "requested_action:open_pull_request", role="read", login="rita"))
    assert denied == Ended("denied", "read")
    assert (here.case.pulls, len(here.checks(NIGHTLY))) == ([], 2)

    mark = len(here.case.rig.world.journal)
    opened = here.wait(here.press(second, "requested_action:open_pull_request"))
    assert (opened.outcome, here.case.pull.state) == ("published", "open")
    assert not [call for call in here.case.since(mark) if call.route.endswith("/logs")]  # known logs are not read again
    assert [it["label"] for it in here.checks(NIGHTLY, here.head(1))[-1].actions] == ["Re-evaluate"]

    rerun = here.wait(here.press(second))
    assert (rerun.outcome, len(here.checks(NIGHTLY, here.head(1)))) == ("observed", 3)


def test_a_check_run_that_cannot_be_put_prevents_no_pull_request(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "unchecked")
    here.case.rig.world.faults.append(Fault("POST", CHECKS, 403, {"message": "Resource not accessible"}))
    ended = here.case.nightly(here.runs[0])
    assert ended.outcome == "published"
    assert re.search(r"/pull/1; no check run: .*grant the App the permission \(checks: write\)", ended.detail)
    assert here.checks(NIGHTLY) == []


def test_it_stands_whatever_became_of_the_pull_request(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "taken")
    here.case.nightly(here.runs[0])
    here.case.person().commit("recalibrate/main", {"README.md": b"# mine\n"})
    assert here.case.nightly(here.runs[1]).outcome == "branch_of_a_person"
    check = here.check(NIGHTLY, here.head(1))
    assert check.conclusion == "neutral"
    assert "Nothing is published for this run" in (check.summary or "")
    here.case.store.states.set_paused(here.case.repository_id, paused=True)
    assert here.wait(here.press(check)).outcome == "paused"
    assert len(here.checks(NIGHTLY, here.head(1))) == 2


def test_checks_that_are_off_are_not_put(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "off", "version: 1\nchecks: {nightly: false, registrations: false}\n")
    assert here.case.nightly(here.runs[0]).outcome == "published"
    issue = here.proposed("topic", {FINCH: here.text(FINCH).replace("3600", "900")})
    assert here.wait(here.tell(issue)).outcome == "checks_off"
    assert not here.case.repo.checks


@pytest.mark.parametrize("after", [False, True])
def test_more_than_fifty_annotations_go_in_batches_once_whatever_breaks(
    service_rig: Rig, tmp_path: Path, after: bool
) -> None:
    size = Generate(nights=1, jobs=40, files_per_job=3, edits=70)
    here = scene(service_rig, generate(tmp_path, size), f"many-{after}")
    service_rig.world.faults.append(Fault("PATCH", CHECK, 502, after=after))
    mark = len(service_rig.world.journal)
    assert here.case.nightly(here.runs[0]).outcome == "published"
    check = here.check(NIGHTLY)
    assert len(lines(check)) > 50
    assert check.status == "completed"
    sent = [call.method for call in here.case.since(mark) if call.route in (CHECKS, CHECK) and call.status < 400]
    assert sent[0] == "POST"
    assert set(sent[1:]) <= {"PATCH"}


# ------------------------------------------------------------------------------------------- pull requests


def test_a_written_value_is_held_against_the_nights(told: Scene) -> None:
    off = told.checked("off", {FINCH: told.text(FINCH).replace("3600", "9000")})
    assert off.conclusion == "neutral"
    (place, (level, title, _)), *others = lines(off).items()
    written = told.case.file(off.head_sha, FINCH).decode().splitlines()[int(place.rpartition(":")[2]) - 1]
    assert (others, level, title) == ([], "warning", "The nights say est_time 1200, not 9000")
    assert "est_time=9000" in written
    right = told.checked("right", {FINCH: told.text(FINCH).replace("3600", "1200")})
    assert (right.conclusion, right.annotations, right.title) == ("success", [], "1 registration.")
    assert "934 s" in (right.summary or "")


def test_a_limit_that_kills_a_known_pass_is_said_as_a_failure(told: Scene) -> None:
    check = told.checked("kills", {PIPELINE: told.text(PIPELINE).replace("(1500,", "(100,")})
    assert on(check, PIPELINE)[:2] == ("failure", "The limit of 1800 s kills a pass of 1844 s")
    assert check.conclusion == "neutral"  # checks.fail_on: never


def test_a_new_test_is_said_to_have_no_measurements(told: Scene) -> None:
    check = told.checked("new", {NEW: f"{IMPORT}register_cuda_ci(est_time=300, {GPU}, labels=['trainer'])\n"})
    assert on(check, NEW)[:2] == ("notice", "New registration without measurements")
    assert check.conclusion == "success"


def test_a_changed_test_is_not_held_against_what_it_was(told: Scene) -> None:
    text = told.text(FINCH).replace("3600", "500") + "\n# slower now\n"
    level, title, message = on(told.checked("changed", {FINCH: text}), FINCH)
    assert (level, title) == ("notice", "No measurement for this value")
    assert "In an earlier form it passed in 934 s." in message


@pytest.mark.parametrize(
    ("name", "calls", "title"),
    [
        ("label", f"register_cuda_ci(est_time=300, {GPU}, labels=['trainer', 'gpu'])\n", "Unknown label"),
        ("computed", f"register_cuda_ci(est_time=60 * 5, {GPU}, labels=[])\n", "This registration cannot be edited"),
        ("star", f"register_cuda_ci(*ARGS, {GPU})\n", "This registration cannot be edited"),
        ("broken", f"register_cuda_ci(est_time=300, {GPU}\n", "This registration cannot be edited"),
        (
            "tuple",
            f"register_cuda_ci(est_time=300, {GPU}, labels=('trainer',))\n",
            "This registration cannot be edited",
        ),
    ],
)
def test_what_its_author_can_mend_is_a_warning(told: Scene, name: str, calls: str, title: str) -> None:
    check = told.checked(f"mend-{name}", {NEW: IMPORT + calls})
    assert on(check, NEW)[:2] == ("warning", title)
    assert check.conclusion == "neutral"


def test_two_calls_with_one_key_are_pointed_at_both(told: Scene) -> None:
    call = f"register_cuda_ci(est_time=%d, {GPU}, labels=['trainer'])\n"
    check = told.checked("twice", {NEW: IMPORT + call % 300 + call % 400})
    assert sorted(lines(check)) == [f"{NEW}:3", f"{NEW}:4"]
    assert all("two active calls" in message.lower() for _, _, message in lines(check).values())


def test_a_label_that_the_pull_request_adds_to_the_registry_is_known(told: Scene) -> None:
    labels = told.text("tests/ci/labels.py").replace("{\n", '{\n    "gpu": "what needs one",\n')
    call = f"register_cuda_ci(est_time=300, {GPU}, labels=['gpu'])\n"
    check = told.checked("label-added", {NEW: IMPORT + call, "tests/ci/labels.py": labels})
    assert on(check, NEW)[1] == "New registration without measurements"


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("readme", {"README.md": "# other\n"}),
        ("body", {FINCH: None}),
        ("workflow", {".github/workflows/test_new.py": f"register_cuda_ci(est_time=1, {GPU})\n"}),
        ("elsewhere", {"docs/tests.py": f"register_cuda_ci(est_time=1, {GPU})\n"}),
    ],
)
def test_where_there_is_nothing_to_say_the_check_run_is_skipped(
    told: Scene, name: str, files: dict[str, str | None]
) -> None:
    check = told.checked(f"nothing-{name}", files)
    assert (check.status, check.conclusion, check.annotations) == ("completed", "skipped", [])


def test_a_changed_configuration_is_validated_on_its_lines(told: Scene) -> None:
    wrong = "version: 1\nmode: guess\nestimates: {}\n"
    check = told.checked("config", {".github/recalibrate.yml": wrong})
    assert check.conclusion == "failure"
    assert sorted(lines(check)) == [".github/recalibrate.yml:2", ".github/recalibrate.yml:3"]
    assert "Unknown key (estimates)" in lines(check)[".github/recalibrate.yml:3"][2]
    right = told.checked("config-right", {".github/recalibrate.yml": "version: 1\n"})
    assert (right.conclusion, right.title) == ("success", ".github/recalibrate.yml is valid.")
    name = "version: 1\nestimate:\n  estimator: {name: guess}\n"
    assert list(lines(told.checked("config-name", {".github/recalibrate.yml": name}))) == [".github/recalibrate.yml:3"]


def test_our_own_pull_request_has_its_check_run_too(told: Scene) -> None:
    pull = told.case.pull if len(told.case.pulls) == 1 else told.case.pulls[0]
    told.wait(told.tell(pull))
    assert pull.pull
    check = told.check(REGISTRATIONS, pull.pull.head_sha)
    assert (check.conclusion, [it for it in check.annotations if it["annotation_level"] != "notice"]) == ("success", [])


def test_a_forks_head_is_checked_in_the_repository_itself(told: Scene) -> None:
    world = told.case.rig.world
    fork = fork_of(told)
    person = Contributor(world, fork, world.account("fern"))
    person.commit("topic", {FINCH: told.text(FINCH).replace("3600", "9000").encode()})
    issue = Contributor(world, told.case.repo, person.account).propose("topic", fork=fork)
    assert told.wait(told.tell(issue)).outcome == "checked"
    assert issue.pull
    check = told.check(REGISTRATIONS, issue.pull.head_sha)
    assert on(check, FINCH)[1] == "The nights say est_time 1200, not 9000"
    assert told.wait(told.press(check)).outcome == "checked"
    assert len(told.checks(REGISTRATIONS, issue.pull.head_sha)) == 2


def fork_of(here: Scene) -> Repo:
    world = here.case.rig.world
    world.account("fern", AccountKind.USER)
    return scenario.add_repository(world, here.case.repo.git.path, "fern/heron", "main")


def test_each_head_has_one_check_run_and_a_new_base_another(told: Scene) -> None:
    person = told.case.person()
    issue = told.proposed("pushed", {FINCH: told.text(FINCH).replace("3600", "9000")}, person)
    assert issue.pull
    first = issue.pull.head_sha
    keys = [told.tell(issue), told.tell(issue, guid="other")]
    told.wait(keys[0])
    assert keys[0] == keys[1]
    assert len(told.checks(REGISTRATIONS, first)) == 1

    person.commit("pushed", {FINCH: told.text(FINCH).replace("3600", "1200").encode()})
    told.wait(told.tell(issue, "synchronize"))
    assert told.check(REGISTRATIONS, issue.pull.head_sha).conclusion == "success"

    person.commit("release/1", {"README.md": b"# release\n"})
    assert told.tell(issue, "edited") == "unknown_action"
    issue.pull.base_ref = "release/1"
    issue.pull.base_sha = str(told.case.tip("refs/heads/release/1"))
    change = {"base": {"ref": {"from": "main"}, "sha": {"from": "0" * 40}}}
    told.wait(told.tell(issue, "edited", changes=change))
    assert len(told.checks(REGISTRATIONS, issue.pull.head_sha)) == 2
    told.wait(told.tell(issue, "reopened"))
    assert len(told.checks(REGISTRATIONS, issue.pull.head_sha)) == 3


def test_a_check_run_is_completed_whatever_goes_wrong(told: Scene) -> None:
    world = told.case.rig.world
    issue = told.proposed("trees", {FINCH: told.text(FINCH).replace("3600", "700")})
    fault = Fault("GET", "/repos/{owner}/{repo}/git/trees/{tree_sha}", 404, {"message": "Not Found"})
    world.faults.append(fault)
    assert told.wait(told.tell(issue)).outcome == "refused"
    assert issue.pull
    check = told.check(REGISTRATIONS, issue.pull.head_sha)
    assert (check.status, check.conclusion, check.title) == ("completed", "neutral", "Nothing could be compared.")
    assert "not found, or hidden from the App" in (check.summary or "")


def test_a_base_with_a_broken_configuration_completes_and_says_so(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "broken", "version: 1\nmode: guess\n")
    check = here.checked("topic", {FINCH: here.text(FINCH).replace("3600", "700")})
    assert (check.conclusion, check.title) == ("neutral", "Nothing could be compared.")
    assert "mode" in (check.summary or "")
    mended = here.checked("mend", {".github/recalibrate.yml": "version: 1\n"})
    assert "`.github/recalibrate.yml` is valid." in (mended.summary or "")


def test_measurements_that_came_later_are_seen_by_asking_again(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "later", "version: 1\nchecks: {fail_on: timeout}\n")
    before = here.checked("topic", {PIPELINE: here.text(PIPELINE).replace("(1500,", "(100,")})
    assert on(before, PIPELINE)[1] == "No measurement for this value"
    for run in here.runs:
        here.case.nightly(run)
    assert here.wait(here.press(before)).outcome == "checked"
    again = here.checks(REGISTRATIONS, before.head_sha)[-1]
    assert on(again, PIPELINE)[0] == "failure"
    assert again.conclusion == "failure"


# ------------------------------------------------------------------------------------------------- buttons


def test_who_may_not_or_cannot_be_looked_up_changes_nothing(told: Scene) -> None:
    check = told.checks(NIGHTLY)[0]
    seen, count = told.case.seen(), len(told.case.repo.checks)
    assert told.wait(told.press(check, role="read", login="rita")) == Ended("denied", "read")
    told.case.rig.world.faults.append(Fault("GET", ROLE, 500, {"message": "oops"}, times=99))
    assert told.wait(told.press(check)).outcome == "unverified"
    told.case.rig.world.faults.clear()
    assert (told.case.seen(), len(told.case.repo.checks)) == (seen, count)


def test_a_run_that_cannot_be_judged_again_says_so_to_who_asked(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "gone")
    here.case.nightly(here.runs[0])
    check, runs = here.check(NIGHTLY), dict(here.case.repo.runs)
    here.case.repo.runs.clear()
    assert here.wait(here.press(check, role="read", login="rita")) == Ended("denied", "read")
    assert len(here.checks(NIGHTLY)) == 1
    assert here.wait(here.press(check)).outcome == "run_gone"
    here.case.repo.runs.update(runs)
    said = here.checks(NIGHTLY)[-1]
    assert (said.conclusion, said.title) == ("neutral", "This run could not be judged again.")
    assert "`run_gone`" in (said.summary or "")
    assert here.wait(here.press(said)).outcome == "refreshed"


def test_only_persons_and_only_our_own_check_runs(told: Scene) -> None:
    check, world, repo = told.checks(NIGHTLY)[0], told.case.rig.world, told.case.repo
    payload = events.check_run(world, repo, check, "rerequested", world.account("mona"))
    other = {**payload["check_run"], "app": {**payload["check_run"]["app"], "id": check.app.id + 1}}
    assert told.verdict("check_run", {**payload, "check_run": other}) == "other_app"
    foreign = {**payload["check_run"], "external_id": "deploy-42"}
    assert told.verdict("check_run", {**payload, "check_run": foreign}) == "other_check"
    robot = events.check_run(world, repo, check, "rerequested", world.account("robot[bot]", AccountKind.BOT))
    assert told.verdict("check_run", robot) == "by_a_program"
    assert told.press(check, "requested_action:erase") == "unknown_action"
    assert told.press(check, "completed") == "unknown_action"


def test_re_run_all_checks_asks_for_each_of_ours_again(service_rig: Rig, generated: Generated) -> None:
    here = scene(service_rig, generated, "suite")
    here.case.nightly(here.runs[-1])
    night, world = here.check(NIGHTLY), here.case.rig.world
    here.case.repo.roles["mona"] = "write"
    foreign = replace(night, id=world.next_id(), name="deploy", app=replace(night.app, id=night.app.id + 1))
    here.case.repo.checks[foreign.id] = foreign
    payload = events.check_suite(world, here.case.repo, night, world.account("mona"))
    for guid in ("again-1", "again-1", "again-2"):  # the second is a redelivery
        assert here.wait(here.verdict("check_suite", payload, guid)).outcome == "checked"
        asked = f"check_action:{here.case.installation.id}:{guid}-1"
        assert here.wait(asked).outcome == "refreshed"
    assert len(here.checks(NIGHTLY)) == 3
    assert here.wait(here.press(here.checks(NIGHTLY)[-1])).outcome == "refreshed"  # what was made anew has its buttons


def test_re_run_all_checks_on_a_pull_request_asks_for_its_check_again(told: Scene) -> None:
    check = told.checked("suite-of-a-pull", {FINCH: told.text(FINCH).replace("3600", "9000")})
    world = told.case.rig.world
    told.case.repo.roles["mona"] = "write"
    asked = told.verdict("check_suite", events.check_suite(world, told.case.repo, check, world.account("mona")), "all")
    assert told.wait(asked).outcome == "checked"
    assert told.wait(f"{asked}-1").outcome == "checked"
    assert [one.conclusion for one in told.case.repo.checks.values() if one.head_sha == check.head_sha] == [
        check.conclusion
    ] * 2


def test_re_run_all_checks_is_for_persons_and_for_our_own_suite(told: Scene) -> None:
    check, world, repo = told.checks(NIGHTLY)[0], told.case.rig.world, told.case.repo
    payload = events.check_suite(world, repo, check, world.account("mona"))
    other = {**payload["check_suite"], "app": {**payload["check_suite"]["app"], "id": check.app.id + 1}}
    assert told.verdict("check_suite", {**payload, "check_suite": other}) == "other_app"
    robot = events.check_suite(world, repo, check, world.account("robot[bot]", AccountKind.BOT))
    assert told.verdict("check_suite", robot) == "by_a_program"
    assert told.verdict("check_suite", {**payload, "action": "completed"}) == "unknown_action"
    told.case.repo.roles["rita"] = "read"
    asked = told.verdict("check_suite", events.check_suite(world, repo, check, world.account("rita")), "by-rita")
    assert told.wait(asked).outcome == "checked"
    assert told.wait(f"{asked}-1") == Ended("denied", "read")


def test_a_button_told_again_is_pressed_once(told: Scene) -> None:
    check, world = told.checks(NIGHTLY)[-1], told.case.rig.world
    payload = events.check_run(world, told.case.repo, check, "rerequested", world.account("mona"))
    told.case.repo.roles["mona"] = "write"
    key = told.verdict("check_run", payload, "press-1")
    told.wait(key)
    count = len(told.checks(NIGHTLY))
    assert told.verdict("check_run", payload, "press-1") == key
    told.wait(key)
    assert len(told.checks(NIGHTLY)) == count
