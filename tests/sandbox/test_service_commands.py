"""Comment commands over real HTTP: each row of the table, who may ask, and what a person sees."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from bot.sandbox import events, scenario
from bot.sandbox.generator import Generated, generate
from bot.sandbox.people import Contributor
from bot.sandbox.state.accounts import AccountKind
from bot.sandbox.state.issues import Issue, Review
from bot.sandbox.traffic import Fault
from tests.sandbox.service import EVIDENCE, ROLLING, Rig, rig
from tests.sandbox.talking import Talking

LORA = "tests/e2e/lora/test_finch_9b_lora_ci.py"
WREN, CLIENT = "tests/e2e/lora/test_wren_3b_lora_ci.py", "tests/e2e/serving/test_streaming_client.py"
OURS = 1  # the number of our pull request in a fresh repository
PERMISSION = "/repos/{owner}/{repo}/collaborators/{username}/permission"


@dataclass
class World(Talking):
    """A repository whose two nights are known and published."""

    made: Generated
    runs: list[int]

    def reviews(self, number: int) -> list[Review]:
        return [one for one in self.case.repo.reviews.values() if one.number == number]

    def with_literal(self, path: str, value: str) -> bytes:
        """A file of the base with another number."""
        return re.sub(rb"est_time=\d+", f"est_time={value}".encode(), self.case.file("main", path), count=1)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("service")) as made:
        yield made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    return generate(tmp_path_factory.mktemp("generated"))


def world(running: Rig, made: Generated, name: str) -> World:
    case = running.case(made.repository, name)
    runs = case.add_runs(*(run.directory for run in made.runs))
    for run in runs:
        assert case.nightly(run).outcome == "published"
    return World(case, made, runs)


@pytest.fixture(scope="module")
def told(running: Rig, made: Generated) -> World:
    """For tests that leave branch and pull request as they are."""
    return world(running, made, "told")


@pytest.fixture
def own(running: Rig, made: Generated, request: pytest.FixtureRequest) -> World:
    """For one test that changes them."""
    return world(running, made, re.sub(r"[^a-z]+", "-", request.node.name.removeprefix("test_"))[:30].strip("-"))


# ------------------------------------------------------------------------------ the table


def test_on_our_pull_request_the_newest_evidence_and_the_present_base_are_evaluated(own: World) -> None:
    person = own.case.person()
    base = person.commit("main", {"README.md": b"newer\n", LORA: own.with_literal(LORA, "1200")}, "by hand")
    talk = own.say(own.case.pull.number, "/recalibrate")
    assert talk.ended.outcome == "published"
    assert talk.reactions == ["eyes", "rocket"]
    assert f"/pull/{own.case.pull.number})" in talk.answer
    tip = own.case.tip()
    assert own.case.git("rev-list", "--parents", "-1", str(tip)).split()[1:] == [base]
    assert all("est_time=3600" not in line for _, line in own.case.changed(str(tip)))


def test_asked_again_with_nothing_new_the_branch_stays(told: World) -> None:
    tip = told.case.tip()
    talk = told.say(OURS, "/recalibrate")
    assert (talk.ended.outcome, talk.reactions) == ("refreshed", ["eyes", "rocket"])
    assert told.case.tip() == tip


def test_on_an_issue_the_whole_repository_is_evaluated_and_a_closed_pull_request_comes_back(own: World) -> None:
    own.case.person().close(own.case.pull.number)
    talk = own.say(own.issue(), "/recalibrate")
    assert (talk.ended.outcome, talk.reactions) == ("published", ["eyes", "rocket"])
    first, second = own.case.pulls
    assert (first.state, second.state) == ("closed", "open")
    assert f"[#{second.number}](" in talk.answer


def test_a_narrowed_evaluation_packs_whole_suites_and_names_what_nobody_asked_about(own: World) -> None:
    packed = re.compile(r"^\| `stage-c-4-gpu-h200` `cuda` \| 2 \| ([0-9, ]+) → .* \| 10 \| 0 \| \d+ \|$", re.MULTILINE)
    (whole,) = packed.findall(own.case.pull.body or "")
    assert own.say(own.issue(), f"/recalibrate --test {CLIENT}").ended.outcome == "published"
    body = own.case.pull.body or ""
    assert "**Raises 1 `est_time` literal.**" in body
    assert f"> Narrowed to test `{CLIENT}`: nothing else is changed.\n" in body
    assert "The command proposes for every registration, not for the narrowed ones alone.\n" in body
    assert packed.findall(body) == [whole]
    assert "| `serving` `cuda` | 2 | 1 | 800 → 1100 s |" in body
    assert (
        "Passes not used (22)</summary>\n\nThe test file has changed since the run: 1; not asked about: 21.\n" in body
    )
    (table,) = [
        name for name in own.case.git("diff", "--name-only", f"{EVIDENCE}^", EVIDENCE).split() if ".csv" in name
    ]
    rows = list(csv.DictReader(own.case.git("show", f"{EVIDENCE}:{table}").splitlines()))
    assert {row["test_file"] for row in rows if row["status"] == "passed" and "unused:" not in row["note"]} == {CLIENT}
    assert sum("unused:not_asked" in row["note"] for row in rows) == 21


def test_on_our_closed_pull_request_an_answer_says_where_its_matter_goes_on(own: World) -> None:
    case = own.case
    case.person().close(OURS)
    told = own.say(OURS, "/recalibrate help").answer
    assert f"[#{OURS}](" in told
    assert "is closed and stays so. To take its matter up again comment `/recalibrate`" in told
    assert own.say(OURS, "/recalibrate pause").answer.endswith("a new pull request is opened.\n")
    assert own.say(OURS, "/recalibrate resume").ended.outcome == "switched"
    assert len(case.pulls) == 1
    said = own.say(OURS, "/recalibrate")
    assert said.ended.outcome == "published"
    second = case.pulls[1]
    assert f"is closed and stays so: its matter goes on in [#{second.number}](" in said.answer
    assert (case.pulls[0].state, second.state) == ("closed", "open")
    assert f"After #{OURS}, which a person closed." in (second.body or "")
    assert "stays so" not in own.say(second.number, "/recalibrate help").answer


def test_on_our_merged_pull_request_an_answer_says_that_nothing_takes_its_place(own: World) -> None:
    own.case.person().merge(OURS)
    said = own.say(OURS, "/recalibrate")
    assert said.ended.outcome == "nothing_to_change"
    assert "is merged, and nothing takes its place at present." in said.answer


def test_on_somebodys_pull_request_its_registrations_are_compared_and_values_suggested(told: World) -> None:
    person = told.case.person()
    person.commit("tune", {LORA: told.with_literal(LORA, "3500"), "notes.txt": b"x\n"})
    head, seen = told.case.tip("refs/heads/tune"), told.case.tip()
    pull = person.propose("tune")
    talk = told.say(pull.number, "/recalibrate")
    assert (talk.ended.outcome, talk.reactions) == ("answered", ["eyes", "rocket"])
    assert "1 registration compared with the nights, 1 off" in talk.answer
    assert f"| `{LORA}`, line 5 |" in talk.answer
    assert "| **1200** |" in talk.answer
    (review,) = told.reviews(pull.number)
    assert f"#pullrequestreview-{review.id})" in talk.answer
    (comment,) = review.comments
    line = told.with_literal(LORA, "1200").decode().split("\n")[4]
    assert (comment["path"], comment["line"]) == (LORA, 5)
    assert f"```suggestion\n{line}\n```" in comment["body"]
    assert told.case.tip("refs/heads/tune") == head  # never pushed to
    assert told.case.tip() == seen
    again = told.say(pull.number, "/recalibrate")
    assert again.answer == talk.answer
    assert told.reviews(pull.number) == [review]  # the same suggestions on the same head are made once


def test_a_line_that_the_diff_only_shows_may_carry_a_suggestion(told: World) -> None:
    """The pull request changes the labels of a call over several lines; its number stands two lines above."""
    person = told.case.person()
    text = told.case.file("main", WREN)
    person.commit("labels", {WREN: text.replace(b'"model-scripts", "lora"', b'"lora"')})
    pull = person.propose("labels")
    assert told.say(pull.number, "/recalibrate").ended.outcome == "answered"
    ((comment,),) = [one.comments for one in told.reviews(pull.number)]
    lines = text.decode().split("\n")
    assert lines[comment["line"] - 1] == "    est_time=400,  # a first guess"
    assert "```suggestion\n    est_time=600,  # a first guess\n```" in comment["body"]


def test_a_line_that_no_suggestion_can_hold_is_in_the_table_only(told: World) -> None:
    person = told.case.person()
    assert b"\r\n" in told.case.file("main", CLIENT)
    person.commit("carriage", {CLIENT: told.with_literal(CLIENT, "310")})
    pull = person.propose("carriage")
    answer = told.say(pull.number, "/recalibrate").answer
    assert f"`{CLIENT}`" in answer
    assert "| **600** |" in answer
    assert told.reviews(pull.number) == []


def test_a_fork_gets_suggestions_too_and_its_branchs_name_does_not_make_it_ours(told: World, running: Rig) -> None:
    fork = scenario.add_repository(running.world, told.made.repository, "stranger/heron")
    stranger = running.world.account("stranger")
    Contributor(running.world, fork, stranger).commit("recalibrate/main", {LORA: told.with_literal(LORA, "3501")})
    pull = Contributor(running.world, told.case.repo, stranger).propose("recalibrate/main", fork=fork)
    assert told.say(pull.number, "/recalibrate").ended.outcome == "answered"
    assert len(told.reviews(pull.number)) == 1


def test_suggestions_that_github_does_not_take_leave_the_table(told: World) -> None:
    person = told.case.person()
    person.commit("refused", {LORA: told.with_literal(LORA, "3502")})
    pull = person.propose("refused")
    route = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"
    told.case.rig.world.faults.append(Fault("POST", route, 422, {"message": "Line could not be resolved"}))
    talk = told.say(pull.number, "/recalibrate")
    assert (talk.ended.outcome, talk.reactions) == ("answered", ["eyes", "rocket"])
    assert "GitHub did not take the suggestions" in talk.answer
    assert "| **1200** |" in talk.answer


def test_named_runs_are_compared_with_somebodys_pull_request(told: World) -> None:
    person = told.case.person()
    person.commit("once", {LORA: told.with_literal(LORA, "3503")})
    pull = person.propose("once")
    answer = told.say(pull.number, f"/recalibrate run {told.runs[0]} --policy strict").answer
    assert "| 921 s | 1 | 1 |" in answer
    assert told.say(pull.number, "/recalibrate --suite 'stage-b-*'").answer.startswith("This pull request adds")


def test_a_pull_request_without_registrations_is_told_so(told: World) -> None:
    person = told.case.person()
    person.commit("words", {"README.md": b"words\n"})
    talk = told.say(person.propose("words").number, "/recalibrate")
    assert "adds or changes no active registration" in talk.answer


def test_exactly_the_named_runs_are_used_and_those_that_are_no_nightlies_only_report(own: World) -> None:
    url = f"{own.case.rig.sandbox.urls.html}/{own.case.repo.full_name}/actions/runs/{own.runs[0]}"
    talk = own.say(own.case.pull.number, f"/recalibrate run {url}")
    assert talk.ended.outcome == "published"
    assert f"[{own.runs[0]}](" in talk.answer
    assert str(own.runs[1]) not in talk.answer
    assert "Measured in 1 night" in str(own.case.pull.body)
    own.case.repo.runs[own.runs[1]][1].run["event"] = "workflow_dispatch"
    tip = own.case.tip()
    talk = own.say(own.case.pull.number, f"/recalibrate run {own.runs[1]}")
    assert (talk.ended.outcome, talk.reactions) == ("report_only", ["eyes", "rocket"])
    assert "> **Report only:** not a configured nightly: run" in talk.answer
    assert own.case.tip() == tip


@pytest.mark.parametrize(
    ("named", "outcome", "said"),
    [
        ("4711", "run_gone", "does not have that run"),
        ("https://github.com/octo/tests/actions/runs/4711", "refused", "not of this repository"),
    ],
)
def test_a_run_that_is_not_here_is_refused_by_name(told: World, named: str, outcome: str, said: str) -> None:
    talk = told.say(OURS, f"/recalibrate run {named}")
    assert (talk.ended.outcome, talk.reactions) == (outcome, ["eyes", "confused"])
    assert said in talk.answer.replace("`", "")


def test_a_run_in_progress_is_refused(told: World) -> None:
    run = told.case.repo.runs[told.runs[1]][1].run
    conclusion, run["conclusion"] = run["conclusion"], None
    talk = told.say(OURS, f"/recalibrate run {told.runs[1]}")
    run["conclusion"] = conclusion
    assert talk.ended.outcome == "refused"
    assert "not completed yet" in talk.answer


def test_suites_and_tests_can_be_narrowed(told: World) -> None:
    talk = told.say(OURS, "/recalibrate --dry-run --suite 'stage-b-*'")
    assert "Raises 1 `est_time` literal." in talk.answer
    talk = told.say(OURS, f"/recalibrate --dry-run --test {LORA}")
    assert "Lowers 1 `est_time` literal." in talk.answer


def test_what_was_narrowed_to_nothing_leaves_the_pull_request_open(told: World) -> None:
    tip, pull = told.case.tip(), told.case.repo.issues[OURS]
    talk = told.say(OURS, "/recalibrate --suite 'stage-z-*'")
    assert talk.ended.outcome == "nothing_to_change"
    assert "No registration fits" in talk.answer
    assert (told.case.tip(), pull.state) == (tip, "open")


def test_another_policy_can_be_chosen_for_once(told: World) -> None:
    talk = told.say(OURS, "/recalibrate --policy strict --dry-run")
    assert "Policy `strict`" in talk.answer


def test_a_dry_run_answers_and_writes_nothing_else(told: World) -> None:
    refs, pull = dict(told.case.repo.git.refs("refs/")), told.case.repo.issues[1]
    before = (pull.title, pull.body, pull.state)
    talk = told.say(1, "/recalibrate --dry-run")
    assert (talk.ended.outcome, talk.reactions) == ("answered", ["eyes", "rocket"])
    assert "Dry run" in talk.answer
    assert f"| `{LORA}` |" in talk.answer
    assert dict(told.case.repo.git.refs("refs/")) == refs
    assert (pull.title, pull.body, pull.state) == before


def test_explain_shows_every_sample_with_its_log_lines(told: World) -> None:
    talk = told.say(told.issue(), f"/recalibrate explain {LORA}")
    assert (talk.ended.outcome, talk.reactions) == ("answered", ["eyes", "rocket"])
    assert "`est_time=3600`" in talk.answer
    assert "**Lower to 1200.**" in talk.answer
    for run in told.runs:
        assert f"actions/runs/{run}/job/" in talk.answer
    evidence = told.case.tip(EVIDENCE)
    cited = re.findall(rf"\[(\d+)\]\([^)]*/blob/{evidence}/(\S+?)#L(\d+)\)", talk.answer)
    assert len(cited) == 6
    for number, path, place in cited:
        line = told.case.file(str(evidence), path).decode().split("\n")[int(place) - 1]
        assert line.split("\t")[0] == number
        assert LORA in line


def test_explain_names_the_reason_of_a_test_that_was_not_changed(told: World) -> None:
    kept = next(
        path
        for path in sorted(told.case.git("ls-tree", "-r", "--name-only", "main", "tests/e2e").split())
        if path not in told.made.edits and "test_" in path
    )
    talk = told.say(told.issue(), f"/recalibrate explain {kept}")
    assert "**Not changed:**" in talk.answer or "cannot be read" in talk.answer


def test_explain_of_an_unknown_path_names_the_nearest(told: World) -> None:
    talk = told.say(told.issue(), f"/recalibrate explain {LORA.replace('finch', 'finhc')}")
    assert (talk.ended.outcome, talk.reactions) == ("misunderstood", ["eyes", "confused"])
    assert f"Nearest: `{LORA}`" in talk.answer


def test_rebuild_saves_a_persons_commits_or_refuses_and_puts_the_branch_back(own: World) -> None:
    ours, number = own.case.tip(), own.case.pull.number
    theirs = own.case.person().commit("recalibrate/main", {"by-hand.txt": b"mine\n"})
    held = own.say(number, "/recalibrate")
    assert held.ended.outcome == "branch_of_a_person"
    assert "`/recalibrate rebuild` saves them" in held.answer
    own.case.repo.protected = ("refs/heads/recalibrate/saved/**",)
    evidence = own.case.tip(EVIDENCE)
    refused = own.say(number, "/recalibrate rebuild")
    assert (refused.ended.outcome, refused.reactions) == ("not_saved", ["eyes", "confused"])
    assert theirs in refused.answer
    assert (own.case.tip(), own.case.tip(EVIDENCE)) == (theirs, evidence)
    own.case.repo.protected = ()
    talk = own.say(number, "/recalibrate rebuild")
    assert (talk.ended.outcome, talk.reactions) == ("published", ["eyes", "rocket"])
    assert own.case.tip(f"refs/heads/recalibrate/saved/{theirs[:7]}") == theirs
    assert f"`recalibrate/saved/{theirs[:7]}`" in talk.answer
    assert own.case.tip() == ours
    assert own.case.pull.state == "open"


def test_pause_stops_the_pull_request_and_is_seen_in_it_and_resume_starts_it(own: World) -> None:
    body, number = own.case.pull.body, own.case.pull.number
    talk = own.say(number, "/recalibrate pause")
    assert (talk.ended.outcome, talk.reactions) == ("switched", ["eyes", "rocket"])
    assert "> **Paused.**" in str(own.case.pull.body)
    own.case.person().commit("main", {LORA: own.with_literal(LORA, "1200")})
    tip = own.case.tip()
    assert own.say(number, "/recalibrate").ended.outcome == "paused"
    assert own.case.tip() == tip
    talk = own.say(number, "/recalibrate resume")
    assert talk.ended.outcome == "switched"
    assert own.case.pull.body == body
    assert own.say(number, "/recalibrate").ended.outcome == "published"
    assert own.case.tip() != tip


@pytest.mark.parametrize("whose", ["another App's", "closed"])
def test_pause_is_not_written_into_a_pull_request_that_is(own: World, whose: str) -> None:
    pull, ours = own.case.pull, f"app={own.case.rig.app.id} "
    if whose == "closed":
        own.case.person().close(pull.number)
    else:
        pull.body = str(pull.body).replace(ours, "app=77 ")
    body = pull.body
    talk = own.say(own.issue(), "/recalibrate pause")
    assert (talk.ended.outcome, pull.body) == ("switched", body)
    assert "Said in" not in talk.answer


def test_help_lists_every_command(told: World) -> None:
    talk = told.say(told.issue(), "/recalibrate help")
    assert (talk.ended.outcome, talk.reactions) == ("answered", ["eyes", "rocket"])
    for name in ("run", "explain", "rebuild", "pause", "resume", "help"):
        assert f"`/recalibrate {name}" in talk.answer


# ----------------------------------------------------------------------------- who may ask


@pytest.mark.parametrize(
    ("association", "role", "outcome"),
    [("CONTRIBUTOR", "admin", "answered"), ("CONTRIBUTOR", "maintain", "answered"), ("MEMBER", "read", "denied")],
)
def test_the_role_counts_and_not_the_association(told: World, association: str, role: str, outcome: str) -> None:
    person = told.case.person(f"{role}-person")
    told.case.repo.roles[person.account.login] = role
    told.case.repo.associations[person.account.login] = association
    talk = told.say(told.issue(), "/recalibrate --dry-run", person)
    assert talk.ended.outcome == outcome
    if outcome == "denied":
        assert talk.reactions == ["eyes", "confused"]
        assert f"Your role here is `{role}`" in talk.answer


@pytest.mark.parametrize("body", ["/recalibrate help", f"/recalibrate explain {LORA}"])
def test_readers_may_ask_what_changes_nothing(told: World, body: str) -> None:
    reader = told.case.person("reader")
    told.case.repo.roles["reader"] = "read"
    assert told.say(told.issue(), body, reader).ended.outcome == "answered"


@pytest.mark.parametrize("body", ["/recalibrate pause", "/recalibrate rebuild", "/recalibrate", "/recalibrate run 1"])
def test_readers_may_not_ask_for_more(told: World, body: str) -> None:
    before = told.case.seen().keys() - {key for key in told.case.seen() if key.startswith("c")}
    reader = told.case.person("reader")
    told.case.repo.roles["reader"] = "read"
    assert told.say(1, body, reader).ended.outcome == "denied"
    assert not told.case.store.states.find(told.case.repository_id).paused
    assert before <= told.case.seen().keys()


@pytest.mark.parametrize("status", [500, 403])
def test_a_role_that_cannot_be_looked_up_is_no_role(told: World, status: int) -> None:
    told.case.rig.world.faults.append(Fault("GET", PERMISSION, status, {"message": "no"}, times=4))
    try:
        talk = told.say(told.issue(), "/recalibrate pause")
    finally:
        told.case.rig.world.faults.clear()
    assert (talk.ended.outcome, talk.reactions) == ("unverified", ["eyes", "confused"])
    assert "Could not verify" in talk.answer
    assert not told.case.store.states.find(told.case.repository_id).paused


def test_the_bases_configuration_says_who_may_and_one_that_cannot_be_used_stops_everything_but_help(own: World) -> None:
    person, number, tip = own.case.person(), own.case.pull.number, own.case.tip()
    config = b"version: 1\ncommands: {allow: [admin], readers: []}\n"
    person.commit("main", {".github/recalibrate.yml": config})
    assert own.say(number, "/recalibrate help").ended.outcome == "denied"
    person.commit("main", {".github/recalibrate.yml": b"version: 1\nnope: 2\n"})
    talk = own.say(number, "/recalibrate")
    assert talk.ended.outcome == "config_invalid"
    assert "nope" in talk.answer
    assert own.case.tip() == tip
    assert own.say(number, "/recalibrate help").ended.outcome == "answered"


# ------------------------------------------------------------------------- what is a command


@pytest.mark.parametrize("body", ["/recalibrate   \r\n", "\r\n\n  /recalibrate\t\r\nbecause of otter"])
def test_spaces_and_crlf_do_not_matter(told: World, body: str) -> None:
    person = told.case.person()
    comment = person.comment(1, body)
    assert told.ended(told.send(comment)).outcome == "refreshed"


@pytest.mark.parametrize(
    "body",
    [
        "> /recalibrate",
        "```\n/recalibrate\n```",
        "`/recalibrate`",
        "see scripts/recalibrate.py",
        "please\n\n/recalibrate",
        "    /recalibrate",
        "/recalibrate-other run",
        "/recalibrated",
        "@bot /recalibrate",
        "",
    ],
)
def test_what_is_no_command_makes_no_task(told: World, body: str) -> None:
    assert told.send(told.case.person().comment(1, body)) == "no_command"


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_an_edit_is_no_command(told: World, action: str) -> None:
    payload_comment = told.case.person().comment(1, "/recalibrate")
    if action == "edited":
        payload = events.issue_comment(told.case.rig.world, told.case.repo, payload_comment, "created")
        payload |= {"action": "edited", "changes": {}}
        delivery = told.case.rig.sandbox.deliver("issue_comment", payload)
        assert "unknown_action" in delivery.response
    else:
        assert told.send(payload_comment, "deleted") == "unknown_action"


def test_two_commands_in_one_comment_are_one_and_the_answer_says_so(told: World) -> None:
    talk = told.say(told.issue(), "/recalibrate help\n/recalibrate pause")
    assert talk.ended.outcome == "answered"
    assert "1 more in this one was not" in talk.answer
    assert not told.case.store.states.find(told.case.repository_id).paused


def test_bots_do_not_command_and_our_own_words_do_not_either(told: World) -> None:
    app = told.case.rig.app
    lint = Contributor(told.case.rig.world, told.case.repo, told.case.rig.world.account("lint[bot]", AccountKind.BOT))
    ours = Contributor(told.case.rig.world, told.case.repo, app.bot)
    for who in (lint, ours):
        assert told.send(who.comment(1, "/recalibrate")) == "by_a_program"
    answers = [one.body for one in told.case.repo.comments.values() if "key=answer:" in one.body]
    assert answers
    for text in answers:
        assert told.send(told.case.person().comment(1, text)) == "no_command"


@pytest.mark.parametrize(
    ("body", "word", "nearest"),
    [("/recalibrate rebiuld", "rebiuld", "rebuild"), ("/recalibrate --polciy strict", "--polciy", "--policy")],
)
def test_a_mistyped_word_gets_the_nearest_right_one(told: World, body: str, word: str, nearest: str) -> None:
    talk = told.say(told.issue(), body)
    assert (talk.ended.outcome, talk.reactions) == ("misunderstood", ["eyes", "confused"])
    assert f"`{word}`" in talk.answer
    assert f"Nearest: `{nearest}`" in talk.answer


# --------------------------------------------------------------------------- once, and inert


def test_a_redelivered_comment_is_the_same_task_and_the_same_words_later_a_new_one(told: World) -> None:
    number = told.issue()
    talk = told.say(number, "/recalibrate help")
    before = told.case.seen()
    for guid in ("", told.case.rig.world.deliveries[-1].guid):
        told.ended(told.send(talk.comment, guid=guid))
    assert told.case.seen() == before
    assert talk.reactions == ["eyes", "rocket"]
    assert told.say(number, "/recalibrate help").answer == talk.answer


def test_an_answer_whose_reply_was_lost_is_not_given_twice(told: World) -> None:
    route = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
    told.case.rig.world.faults.append(Fault("POST", route, 502, {"message": "lost"}, after=True))
    talk = told.say(told.issue(), "/recalibrate help")
    assert talk.ended.outcome == "answered"
    assert talk.answer
    assert talk.reactions == ["eyes", "rocket"]


def test_what_people_write_is_shown_inert(told: World) -> None:
    hostile = "a|b<img>@everyone#1"
    talk = told.say(told.issue(), f"/recalibrate explain {hostile}")
    assert "@everyone" not in talk.answer
    assert "<img>" not in talk.answer
    talk = told.say(told.issue(), f"/recalibrate {hostile}")
    assert "@everyone" not in talk.answer


def test_a_repository_without_a_night_says_what_to_do(running: Rig, made: Generated) -> None:
    case = running.case(made.repository, "fresh")
    fresh = World(case, made, case.add_runs(*(run.directory for run in made.runs)))
    case.repo.issues[1] = Issue(
        1, 1, running.world.account("mona"), "x", None, running.world.clock(), running.world.clock()
    )
    talk = fresh.say(1, "/recalibrate")
    assert (talk.ended.outcome, talk.reactions) == ("nothing_measured", ["eyes", "confused"])
    talk = fresh.say(1, f"/recalibrate run {fresh.runs[0]} {fresh.runs[1]}")
    assert talk.ended.outcome == "published"
    assert case.tip(ROLLING)
