"""People beside the service: their commits, their closing and merging, their rules, their configuration, other Apps."""

from __future__ import annotations

import re

from bot.publish.names import rolling_branch
from bot.sandbox.generator import Generated
from bot.sandbox.people import Contributor
from bot.sandbox.traffic import Exchange, Fault
from tests.sandbox.service import CONFIG, EVIDENCE, ROLLING, Case, Rig

FINCH = "tests/e2e/lora/test_finch_9b_lora_ci.py"
PULLS = "/repos/{owner}/{repo}/pulls"


def again(case: Case, run: int) -> str:
    """Deliver the next attempt of a run, a copy of the first; how its task ended."""
    attempts = case.repo.runs[run]
    number = max(attempts) + 1
    attempts[number] = type(attempts[1])({**attempts[1].run, "run_attempt": number}, attempts[1].jobs)
    return case.nightly(run, number).outcome


def has(case: Case, commit: str, path: str, literal: int) -> bool:
    return re.search(rf"\b{literal}\b".encode(), case.file(commit, path)) is not None


# ------------------------------------------------------------------- a person's commits


def test_a_persons_commit_on_the_branch_is_left_alone_and_that_is_said_once(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "person")
    assert case.nightly(runs[0]).outcome == "published"
    ours, body = case.tip(), case.pull.body
    theirs = case.person().commit(rolling_branch("main"), {"docs/notes.md": b"mine\n"})
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    assert (case.tip(), case.pull.body) == (theirs, body)
    (comment,) = case.repo.comments.values()
    assert theirs[:7] in comment.body
    assert f"push --force origin {ours}:" in comment.body
    assert f"{FINCH} [cuda, stage-c-4-gpu-h200]`: 3600 → 1200" in comment.body
    assert again(case, runs[1]) == "branch_of_a_person"
    assert list(case.repo.comments.values()) == [comment]
    assert (case.tip(), len(case.pulls)) == (theirs, 1)
    assert case.issues == []


def test_a_branch_that_is_handed_back_goes_on(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "handback")
    assert case.nightly(runs[0]).outcome == "published"
    ours = case.tip()
    case.person().commit(rolling_branch("main"), {"docs/notes.md": b"mine\n"})
    assert case.nightly(runs[1]).outcome == "branch_of_a_person"
    case.person().push(rolling_branch("main"), str(ours))
    assert again(case, runs[1]) == "published"
    assert len(case.pulls) == 1


def test_a_persons_branch_of_the_same_name_is_said_in_an_issue_that_is_closed_when_it_is_gone(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "taken")
    theirs = case.person().commit(rolling_branch("main"), {"docs/notes.md": b"mine\n"})
    assert case.nightly(runs[0]).outcome == "branch_of_a_person"
    assert case.tip() == theirs
    assert case.pulls == []
    (issue,) = case.issues
    assert theirs[:7] in (issue.body or "")
    case.git("update-ref", "-d", ROLLING)
    assert case.nightly(runs[1]).outcome == "published"
    assert issue.state == "closed"
    assert len(case.issues) == 1


# ------------------------------------------------------------------- closing and merging


def test_a_closed_pull_request_stays_closed_for_the_same_values(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "closed")
    assert case.nightly(runs[0]).outcome == "published"
    tip = case.tip()
    case.person().close(case.pull.number)
    assert again(case, runs[0]) == "declined"
    assert case.pull.state == "closed"
    assert case.tip() == tip
    assert case.nightly(runs[1]).outcome == "published"  # other values: two nights may lower
    assert [pull.state for pull in case.pulls] == ["closed", "open"]


def test_values_that_came_back_and_were_refused_then_stay_refused(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "twice")
    assert case.nightly(runs[0]).outcome == "published"
    first = case.pull
    case.configure(CONFIG + "estimate: {nights: {raise: 30}}\n")
    main = case.tip("refs/heads/main")
    assert again(case, runs[0]) == "withdrawn"
    assert first.state == "closed"
    case.person().push("main", case.git("rev-parse", f"{main}^").strip())
    assert again(case, runs[0]) == "published"
    assert len(case.pulls) == 2
    case.person().close(case.pulls[1].number)
    assert again(case, runs[0]) == "declined"
    assert len(case.pulls) == 2


def test_a_merged_pull_request_is_followed_by_a_new_one_when_needed(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "merged")
    assert case.nightly(runs[0]).outcome == "published"
    merge = case.person().merge(case.pull.number)
    assert case.nightly(runs[1]).outcome == "published"
    assert [pull.state for pull in case.pulls] == ["closed", "open"]
    tip = str(case.tip())
    assert case.git("rev-list", "--parents", "-1", tip).split()[1:] == [merge]
    still_off = {path for path, (_, after) in generated.edits.items() if not has(case, merge, path, after)}
    assert still_off < generated.edits.keys()
    assert set(case.git("diff", "--name-only", merge, tip).split()) == still_off
    assert "first pull request" not in (case.pulls[1].body or "")
    assert not case.pulls[1].pull.draft  # type: ignore[union-attr]
    case.person().merge(case.pulls[1].number)
    assert again(case, runs[1]) == "nothing_to_change"
    assert all(has(case, "main", path, after) for path, (_, after) in generated.edits.items())


def test_what_a_person_wrote_around_our_part_of_the_body_stays(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "words")
    assert case.nightly(runs[0]).outcome == "published"
    body = case.pull.body or ""
    case.pull.body = "Please look at finch.\r\n\r\n" + body.replace("\n", "\r\n") + "\r\nThanks!"
    assert case.nightly(runs[1]).outcome == "published"
    after = case.pull.body or ""
    assert after.startswith("Please look at finch.\n\n<!-- recalibrate")
    assert after.endswith("\nThanks!")
    assert after != body


def test_nothing_left_to_change_closes_our_pull_request(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "withdraw")
    assert case.nightly(runs[0]).outcome == "published"
    case.configure(CONFIG + "estimate: {nights: {raise: 30, lower: 30}}\n")
    assert case.nightly(runs[1]).outcome == "withdrawn"
    assert case.pull.state == "closed"
    assert again(case, runs[1]) == "nothing_to_change"


# ------------------------------------------------------------------- a base that moves


def moving(case: Case, times: int) -> list[str]:
    """Filled with the commits that a person makes on the base whenever its files are read."""
    made: list[str] = []

    def move(exchange: Exchange) -> None:
        if exchange.route.endswith("/git/trees/{tree_sha}") and len(made) < times:
            made.append(Contributor.commit(case.person(), "main", {"docs/notes.md": f"{len(made)}\n".encode()}))

    case.rig.world.watchers.append(move)
    return made


def test_a_base_that_moved_meanwhile_is_evaluated_again(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "moved")
    made = moving(case, 1)
    assert case.nightly(runs[0]).outcome == "published"
    assert len(made) == 1
    assert case.git("rev-list", "--parents", "-1", str(case.tip())).split()[1:] == made
    assert len(case.git("rev-list", str(case.tip(EVIDENCE))).split()) == 1


def test_a_base_that_keeps_moving_is_named(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "restless")
    made = moving(case, 99)
    ended = case.nightly(runs[0])
    made.extend([""] * 99)
    assert ended.outcome == "base_keeps_moving"
    assert case.pulls == []


def test_the_same_proposals_on_a_base_that_moved_leave_the_branch_alone(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "same")
    assert case.nightly(runs[0]).outcome == "published"
    tip = case.tip()
    case.person().commit("main", {"docs/notes.md": b"more\n"})
    assert again(case, runs[0]) == "refreshed"
    assert case.tip() == tip


# ------------------------------------------------------------------- rules and permissions


def test_a_protected_branch_is_one_issue_until_it_is_healed(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "protected")
    case.repo.protected = ("refs/heads/recalibrate/**",)
    assert case.nightly(runs[0]).outcome == "branch_protected"
    assert case.nightly(runs[1]).outcome == "branch_protected"
    (issue,) = case.issues
    assert (issue.state, case.pulls) == ("open", [])
    assert "recalibrate/**" in (issue.body or "")
    case.repo.protected = ()
    assert again(case, runs[1]) == "published"
    assert issue.state == "closed"
    assert len(case.issues) == 1


def test_an_organisation_that_forbids_pull_requests_is_one_issue_until_it_allows_them(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "forbids")
    said = "GitHub Apps are not permitted to create pull requests"
    body = {"message": said, "documentation_url": "https://docs.github.com/rest/pulls/pulls", "status": "403"}
    fault = Fault("POST", PULLS, 403, body, times=2)
    service_rig.world.faults.append(fault)
    first = case.nightly(runs[0])
    assert first.outcome == "pull_request_forbidden"
    assert said in first.detail
    assert case.nightly(runs[1]).outcome == "pull_request_forbidden"
    assert fault.times == 0
    (issue,) = case.issues
    assert issue.state == "open"
    assert case.tip()
    assert again(case, runs[1]) == "published"
    assert case.pull.state == "open"
    assert issue.state == "closed"


# ------------------------------------------------------------------- configuration


def test_a_broken_configuration_is_one_issue_with_line_and_key_until_it_is_healed(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "broken")
    case.configure(CONFIG + "estimate:\n  windows: {nights: 3}\n")
    ended = case.nightly(runs[0])
    assert ended.outcome == "config_invalid"
    assert "windows" in ended.detail
    (issue,) = case.issues
    assert "windows" in (issue.body or "")
    assert re.search(r"\b5\b", issue.body or "")
    case.configure(CONFIG + "mode: propse\n")
    assert case.nightly(runs[1]).outcome == "config_invalid"
    assert case.issues == [issue]
    assert "windows" not in (issue.body or "")
    assert "mode" in (issue.body or "")
    case.configure(CONFIG)
    assert again(case, runs[1]) == "published"
    assert issue.state == "closed"


def test_an_issue_that_a_person_closed_is_not_opened_again_for_the_same_trouble(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "enough")
    broken = CONFIG + "mode: propse\n"
    case.configure(broken)
    assert case.nightly(runs[0]).outcome == "config_invalid"
    (issue,) = case.issues
    case.person().close(issue.number)
    assert case.nightly(runs[1]).outcome == "config_invalid"
    assert issue.state == "closed"
    case.configure(CONFIG)
    assert again(case, runs[1]) == "published"
    case.configure(broken)
    assert again(case, runs[1]) == "config_invalid"  # anew: that is news
    assert (case.issues, issue.state) == ([issue], "open")


def test_a_configuration_that_is_no_file_is_unreadable(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "nofile")
    case.person().commit("main", {".github/recalibrate.yml": None, ".github/recalibrate.yml/a": b"1\n"})
    assert case.nightly(runs[0]).outcome == "config_unreadable"
    assert case.pulls == []
    (issue,) = case.issues
    case.person().commit("main", {".github/recalibrate.yml/a": None, ".github/recalibrate.yml": CONFIG.encode()})
    assert again(case, runs[0]) == "published"
    assert issue.state == "closed"


def test_a_repository_without_configuration_works(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "absent")
    case.person().commit("main", {".github/recalibrate.yml": None})
    assert case.nightly(runs[0]).outcome == "published"


# ------------------------------------------------------------------- another App


def test_another_apps_pull_request_on_the_branch_is_never_touched_and_that_is_one_issue_until_it_is_gone(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "another")
    assert case.nightly(runs[0]).outcome == "published"
    body = case.pull.body or ""
    case.pull.body = body.replace(f"app={service_rig.app.id} ", "app=77 ")
    before = case.seen()
    assert case.nightly(runs[1]).outcome == "branch_of_another_app"
    assert again(case, runs[1]) == "branch_of_another_app"
    (issue,) = case.issues
    assert "Two Apps of this program" in (issue.body or "")
    assert {name: text for name, text in case.seen().items() if name != f"#{issue.number}"} == before
    case.pull.body = body
    assert again(case, runs[1]) == "published"
    assert (case.issues, issue.state) == ([issue], "closed")


def test_a_branch_that_is_free_again_is_said_so_though_there_is_nothing_to_change(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "free-again")
    case.person().commit(rolling_branch("main"), {"docs/notes.md": b"mine\n"})
    assert case.nightly(runs[0]).outcome == "branch_of_a_person"
    (issue,) = case.issues
    case.git("update-ref", "-d", ROLLING)
    case.configure(CONFIG + "estimate: {nights: {raise: 30, lower: 30}}\n")
    assert case.nightly(runs[1]).outcome == "nothing_to_change"
    assert issue.state == "closed"


# ------------------------------------------------------------------- where a trouble can be said


def test_a_trouble_keeps_its_name_where_issues_are_turned_off(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "no-issues")
    case.repo.protected = ("refs/heads/recalibrate/**",)
    gone = {"message": "Issues are disabled for this repo", "documentation_url": "https://docs.github.com/v3/issues/"}
    fault = Fault("POST", "/repos/{owner}/{repo}/issues", 410, gone, times=9)
    service_rig.world.faults.append(fault)
    try:
        assert case.nightly(runs[0]).outcome == "branch_protected"
        case.configure(CONFIG + "mode: propse\n")
        assert case.nightly(runs[1]).outcome == "config_invalid"
    finally:
        service_rig.world.faults.remove(fault)
    assert (fault.met, case.issues) == (2, [])


def test_a_trouble_that_is_gone_while_issues_are_turned_off_keeps_no_nightly_from_working(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "healed-unsaid")
    case.configure(CONFIG + "mode: propse\n")
    assert case.nightly(runs[0]).outcome == "config_invalid"
    (issue,) = case.issues
    case.configure(CONFIG)
    gone = {"message": "Issues are disabled for this repo", "documentation_url": "https://docs.github.com/v3/issues/"}
    ways = {"GET": "", "PATCH": "/{issue_number}"}
    faults = [Fault(way, f"/repos/{{owner}}/{{repo}}/issues{on}", 410, gone, times=99) for way, on in ways.items()]
    service_rig.world.faults.extend(faults)
    try:
        assert case.nightly(runs[1]).outcome == "published"
    finally:
        for fault in faults:
            service_rig.world.faults.remove(fault)
    assert issue.state == "open"
    case.again(runs[1])
    assert issue.state == "closed"


def test_a_permission_that_keeps_the_app_from_writing_is_said_in_the_nightlys_check_run(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "no-writing")
    del case.installation.permissions["issues"]
    ended = case.nightly(runs[0])
    assert ended.outcome == "refused"
    (check,) = case.repo.checks.values()
    assert "issues" in (check.summary or "")
    assert "accept" in (check.summary or "")
