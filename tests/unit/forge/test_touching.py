"""Which commits touched a file, from a repository on this machine and from GitHub."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.domain import CommitNote, CommitSha, TestPath
from bot.forge.answers import BusyError
from bot.forge.git_objects import MOST_COMMITS, SUBJECT_LIMIT
from bot.forge.history import read_touching
from tests.unit.forge.fake_github import FakeGitHub, Reply, reading
from tests.unit.forge.test_local_git import Sample, git, opened, run

FILE = TestPath("tests/test_a.py")
ODD = TestPath(":(glob)tests/**")
URL = "/api/v3/repos/zoo/otter/commits"
OLD, MIDDLE, NEW = (CommitSha(digit * 40) for digit in "abc")


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return Sample(tmp_path / "repo")


def test_a_local_history_is_told_newest_first_with_times_and_subjects(sample: Sample) -> None:
    found = run(opened(sample.path).touching(FILE, None, sample.second))
    assert [(one.sha, one.subject) for one in found] == [(sample.second, "second"), (sample.first, "first")]
    assert all(one.at and one.at.tzinfo for one in found)


def test_what_the_other_commit_has_already_is_left_out(sample: Sample) -> None:
    repository = opened(sample.path)
    assert [one.sha for one in run(repository.touching(FILE, sample.first, sample.second))] == [sample.second]
    assert run(repository.touching(FILE, sample.second, sample.second)) == ()
    assert run(repository.touching(TestPath("run.sh"), sample.first, sample.second)) == ()


@pytest.mark.parametrize("since", [CommitSha("1" * 40), CommitSha("--all"), CommitSha("")])
def test_an_unknown_end_tells_nothing(sample: Sample, since: str) -> None:
    found = run(opened(sample.path).touching(FILE, CommitSha(since), sample.second)) if since else ()
    assert found == ()
    assert run(opened(sample.path).touching(FILE, None, CommitSha(since))) == ()


def test_a_path_is_a_name_and_no_pattern(sample: Sample) -> None:
    assert run(opened(sample.path).touching(ODD, None, sample.second)) == ()


def test_a_subject_is_one_bounded_line_and_a_long_history_is_cut(sample: Sample) -> None:
    for number in range(MOST_COMMITS + 3):
        (sample.path / FILE).write_bytes(b"%d\n" % number)
        last = sample.commit(f"commit {number} " + "x" * 400 + "\n\nbody")
    found = run(opened(sample.path).touching(FILE, None, last))
    assert len(found) == MOST_COMMITS
    assert found[0].sha == last
    assert len(found[0].subject) == SUBJECT_LIMIT


def test_no_program_of_the_repository_is_run_for_it(sample: Sample, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    git(sample.path, "config", "log.showSignature", "true")
    git(sample.path, "config", "gpg.program", f"touch {mark}")
    git(sample.path, "config", "diff.external", f"touch {mark}")
    assert len(run(opened(sample.path).touching(FILE, None, sample.second))) == 2
    assert not mark.exists()


def listed(sha: str, message: str) -> dict[str, Any]:
    return {"sha": sha, "commit": {"message": message, "committer": {"date": "2026-08-04T10:00:00Z"}}}


def asked(*replies: Reply, since: CommitSha | None = OLD) -> tuple[tuple[CommitNote, ...], list[str]]:
    async def scenario() -> tuple[tuple[CommitNote, ...], list[str]]:
        async with FakeGitHub() as fake, reading(fake) as client:
            fake.on("GET", URL, list(replies))
            found = await read_touching(client, "zoo/otter", FILE, (since, NEW))
            return found, [seen.path for seen in fake.seen]

    return asyncio.run(scenario())


def test_githubs_history_ends_where_the_last_pass_had_its_newest() -> None:
    found, paths = asked(
        Reply(data=[listed(OLD, "old")]),
        Reply(data=[listed(NEW, "new\n\nbody"), listed(MIDDLE, "middle"), listed(OLD, "old")]),
    )
    assert [(one.sha, one.subject) for one in found] == [(NEW, "new"), (MIDDLE, "middle")]
    assert found[0].at is not None
    assert f"{URL}?sha={OLD}&path=tests%2Ftest_a.py&per_page=1" in paths[0]
    assert f"{URL}?sha={NEW}&path=tests%2Ftest_a.py&per_page={MOST_COMMITS}" in paths[1]


def test_a_test_that_never_passed_is_one_question() -> None:
    found, paths = asked(Reply(data=[listed(NEW, "new")]), since=None)
    assert ([one.sha for one in found], len(paths)) == ([NEW], 1)


@pytest.mark.parametrize("status", [404, 409, 422])
def test_a_commit_github_does_not_have_tells_nothing(status: int) -> None:
    assert asked(Reply(status, data={"message": "no"}))[0] == ()


def test_an_answer_that_is_no_list_is_githubs_fault() -> None:
    with pytest.raises(BusyError):
        asked(Reply(data={"sha": NEW}), since=None)
