"""A watched repository over real HTTP: renamed, transferred, archived, with another default branch or another App."""

from __future__ import annotations

import re

from bot.publish.names import rolling_branch
from bot.sandbox import auth
from bot.sandbox.generator import Generated
from bot.sandbox.state.accounts import AccountKind
from tests.sandbox.service import Rig


def test_a_renamed_repository_keeps_its_pull_request_and_its_history(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "rename")
    assert case.nightly(runs[0]).outcome == "published"
    service_rig.world.rename(case.repo, case.repo.owner, "egret")
    assert case.nightly(runs[1]).outcome == "published"
    assert len(case.pulls) == 1
    assert "rename-lab/egret" in (case.pull.body or "")
    known = case.store.repositories.find(case.repository_id)
    assert known
    assert known.full_name == "rename-lab/egret"


def test_a_repository_that_is_renamed_after_it_was_asked_for_is_found(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "renaming")
    payloads = [case.completed(run) for run in runs]
    service_rig.world.rename(case.repo, case.repo.owner, "egret")
    case.send(payloads[0])  # under the old name, never heard of before
    assert case.ended(runs[0]).outcome == "published"
    service_rig.world.rename(case.repo, case.repo.owner, "stork")
    case.send(payloads[1])  # under the oldest one
    assert case.ended(runs[1]).outcome == "published"
    assert len(case.pulls) == 1


def test_a_transferred_repository_goes_on_under_its_new_installation(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "transfer")
    assert case.nightly(runs[0]).outcome == "published"
    owner = service_rig.world.account("heir-lab", AccountKind.ORGANIZATION)
    case.installation = auth.install(service_rig.world, service_rig.app, owner)
    service_rig.world.rename(case.repo, owner, "heron")
    assert case.nightly(runs[1]).outcome == "published"
    assert len(case.pulls) == 1
    known = case.store.repositories.find(case.repository_id)
    assert known
    assert (known.full_name, known.installation_id) == ("heir-lab/heron", case.installation.id)


def test_another_repository_under_the_old_name_is_not_taken_for_it(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "squat")
    payload = case.completed(runs[0])
    service_rig.world.rename(case.repo, case.repo.owner, "egret")
    other = service_rig.case(generated.repository, "squat")  # squat-lab/heron again
    case.send(payload)
    ended = case.ended(runs[0])
    assert ended.outcome == "refused"
    assert case.pulls == other.pulls == []


def test_another_default_branch_gets_a_pull_request_and_the_old_one_is_closed_with_a_link(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "trunk")
    assert case.nightly(runs[0]).outcome == "published"
    old, tip = case.pull, case.tip()
    case.person().push("trunk", str(case.tip("refs/heads/main")))
    case.repo.default_branch = "trunk"
    for run in runs:
        case.repo.runs[run][1].run["head_branch"] = "trunk"
    assert case.again(runs[0]) == "published"
    assert [pull.state for pull in case.pulls] == ["closed", "open"]
    new = case.pulls[1]
    assert new.pull
    assert (new.pull.base_ref, new.pull.head_ref) == ("trunk", rolling_branch("trunk"))
    (comment,) = case.repo.comments.values()
    assert comment.number == old.number
    assert re.search(rf"`trunk`.*#{new.number}\b", comment.body)
    assert case.tip() == tip
    assert case.nightly(runs[1]).outcome in ("published", "refreshed")
    assert len(case.pulls) == 2
    assert len(case.repo.comments) == 1


def test_pull_requests_of_several_configured_branches_stand_side_by_side(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "branches")
    case.configure("version: 1\nnightly:\n  branches: [main, release]\n")
    case.person().push("release", str(case.tip("refs/heads/main")))
    assert case.nightly(runs[0]).outcome == "published"
    case.repo.runs[runs[1]][1].run["head_branch"] = "release"
    assert case.nightly(runs[1]).outcome == "published"
    assert sorted(pull.pull.base_ref for pull in case.pulls if pull.pull and pull.state == "open") == [
        "main",
        "release",
    ]


def test_an_archived_repository_is_left_alone(service_rig: Rig, generated: Generated) -> None:
    case, runs = service_rig.started(generated, "archived")
    payload = case.completed(runs[0])
    payload["repository"]["archived"] = True
    sent = case.send(payload)
    assert sent.status_code == 202
    assert "archived" in sent.response
    assert case.store.outcomes.find(case.key(runs[0])) is None


def test_another_app_beside_ours_keeps_its_own_issue_comment_and_pull_request(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "beside")
    assert case.nightly(runs[0]).outcome == "published"
    mine = f"app={service_rig.app.id} "
    body = (case.pull.body or "").replace(mine, "app=77 ")
    case.pull.body = body
    case.person().comment(case.pull.number, "<!-- recalibrate app=77 key=left-alone -->\nwords of another App")
    before = case.seen()
    assert case.nightly(runs[1]).outcome == "branch_of_another_app"
    after = case.seen()
    (said,) = after.keys() - before.keys()
    assert f"{mine}key=branch-of-another-app" in after[said]
    assert {name: seen for name, seen in after.items() if name != said} == before


def test_a_token_that_github_revokes_is_replaced_for_reading_and_for_writing(
    service_rig: Rig, generated: Generated
) -> None:
    case, runs = service_rig.started(generated, "revoked")
    assert case.nightly(runs[0]).outcome == "published"
    case.revoke_tokens()
    ended = case.nightly(runs[1])
    assert (ended.outcome, "no check run" in ended.detail) == ("published", False)
