"""Who sees which repository's pages, over real HTTP and real nights: who can read it on GitHub, and nobody else."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import pytest

from bot.publish.evidence_csv import COLUMNS
from bot.sandbox.generator import Generated
from bot.sandbox.state.accounts import AccountKind
from bot.sandbox.traffic import Fault
from tests.sandbox.page_visit import Visitor, page_rig, visitor
from tests.sandbox.service import EVIDENCE, Case, Rig


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with page_rig(tmp_path_factory.mktemp("pages")) as made:
        for login in ("mona", "stranger", "olga"):
            made.world.account(login)
        yield made


@pytest.fixture(scope="module")
def case(pages: Rig, generated: Generated) -> Case:
    """A private repository with two nights, which mona can read."""
    made, runs = pages.started(generated, "secret")
    made.repo.private, made.repo.roles = True, {"mona": "read"}
    assert [made.nightly(run).outcome for run in runs] == ["published", "published"]
    return made


def signed_in(rig: Rig, login: str) -> Visitor:
    made = visitor(rig)
    made.sign_in(login)
    return made


def addresses(page: str, start: str) -> list[str]:
    """The addresses of ours that a page links to."""
    return [one.replace("&amp;", "&") for one in re.findall(r'href="([^"]+)"', page) if one.startswith(start)]


def test_a_reader_walks_from_the_list_to_a_measurement_and_its_log_lines(pages: Rig, case: Case) -> None:
    mona, here = signed_in(pages, "mona"), f"/pages/r/{case.repo.id}"
    home = mona.text("/pages")
    assert case.repo.full_name in home
    assert here in addresses(home, "/pages/r/")
    repository = mona.text(here)
    assert case.repo.full_name in repository
    assert len(addresses(repository, f"{here}/evidence.csv?")) == 2  # one a night
    assert f'/{case.repo.full_name}/commit/{case.tip(EVIDENCE)}"' in repository
    tests = addresses(repository, f"{here}/test?")
    assert tests
    test = mona.text(tests[0])
    assert "<svg" in test
    logs = addresses(test, f"{here}/log?")
    assert logs
    line = logs[0].partition("#")[2]
    assert f'id="{line}"' in mona.text(logs[0].partition("#")[0])


def test_who_cannot_read_it_gets_what_a_repository_that_is_not_there_gives(pages: Rig, case: Case) -> None:
    stranger = signed_in(pages, "stranger")
    run = min(case.repo.runs)
    for rest in (
        "",
        "/test?path=a&backend=b&suite=c",
        "/log?run=1&attempt=1&job=1",
        f"/evidence.csv?run={run}&attempt=1",
    ):
        hidden, absent = (stranger.get(f"/pages/r/{number}{rest}") for number in (case.repo.id, 999_999_999))
        assert (hidden.status, absent.status) == (404, 404)
        assert hidden.body == absent.body
        assert dict(hidden.headers.items()).keys() == dict(absent.headers.items()).keys()
    home = stranger.text("/pages")
    assert "secret" not in home
    assert "There is no repository to show" in home


def test_hidden_and_absent_ask_github_alike(pages: Rig, case: Case) -> None:
    asked = []
    for number in (case.repo.id, 999_999_998):
        stranger = signed_in(pages, "stranger")
        mark = len(pages.world.journal)
        assert stranger.get(f"/pages/r/{number}").status == 404
        asked.append(len([one for one in pages.world.journal[mark:] if one.actor == "stranger"]))
    assert asked == [1, 1]


def test_the_bare_address_leads_to_the_pages(pages: Rig) -> None:
    reply = visitor(pages).get("/")
    assert (reply.status, reply.headers["Location"]) == (303, "/pages")


def test_nobody_signed_in_learns_nothing(pages: Rig, case: Case) -> None:
    browser = visitor(pages)
    known, absent = (browser.get(f"/pages/r/{number}") for number in (case.repo.id, 999_999_999))
    assert (known.status, absent.status) == (401, 401)
    assert known.body.replace(str(case.repo.id).encode(), b"999999999") == absent.body


def test_a_public_repository_is_shown_to_everybody_who_signs_in(pages: Rig, generated: Generated) -> None:
    made, runs = pages.started(generated, "open")
    made.nightly(runs[0])
    assert made.repo.full_name in signed_in(pages, "stranger").text("/pages")
    made.repo.private = True
    assert made.repo.full_name not in signed_in(pages, "stranger").text("/pages")


def test_evidence_downloads_as_it_was_published(pages: Rig, case: Case) -> None:
    run = min(case.repo.runs)
    mona = signed_in(pages, "mona")
    reply = mona.get(f"/pages/r/{case.repo.id}/evidence.csv?run={run}&attempt=1")
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert reply.headers["Content-Disposition"] == f'attachment; filename="evidence-{run}-1.csv"'
    rows = list(csv.reader(io.StringIO(reply.body.decode())))
    assert tuple(rows[0]) == COLUMNS
    published = [
        case.file(EVIDENCE, path)
        for path in case.git("ls-tree", "-r", "--name-only", EVIDENCE).split()
        if path.endswith("evidence.csv")
    ]
    assert reply.body in published
    for asked in (
        "run=1&attempt=1",
        f"run={run}",
        f"run={run}&attempt=9",
        "run=x&attempt=y",
        f"run={'9' * 40}&attempt=1",
    ):
        assert mona.get(f"/pages/r/{case.repo.id}/evidence.csv?{asked}").status == 404


def test_an_operator_sees_deliveries_and_tasks_of_all_but_reads_no_repository_by_that(pages: Rig, case: Case) -> None:
    olga = signed_in(pages, "olga")
    page = olga.text("/pages/operator")
    run = min(case.repo.runs)
    assert case.key(run) in page
    assert case.repo.full_name in page
    assert "workflow_run" in page
    assert olga.get(f"/pages/r/{case.repo.id}").status == 404
    for odd in ("deliveries=-1", "tasks=99999999999", "tasks=é", "deliveries=50&tasks=50"):
        assert olga.get(f"/pages/operator?{odd}".replace("é", "%C3%A9")).status == 200


def test_a_renamed_repository_is_followed_by_its_id(pages: Rig, generated: Generated) -> None:
    made, runs = pages.started(generated, "moving")
    made.nightly(runs[0])
    owner = pages.world.account("moving-lab", AccountKind.ORGANIZATION)
    pages.world.rename(made.repo, owner, "ibis")
    assert "moving-lab" in signed_in(pages, "mona").text(f"/pages/r/{made.repo.id}")


def test_while_github_is_away_nobody_is_let_in_and_nothing_is_told(pages: Rig, case: Case) -> None:
    stranger, mona = signed_in(pages, "stranger"), signed_in(pages, "mona")
    pages.world.faults.append(Fault("GET", "/repos/{owner}/{repo}", 502, times=9))
    try:
        for browser in (stranger, mona):
            reply = browser.get(f"/pages/r/{case.repo.id}")
            assert reply.status == 503
            assert "secret" not in reply.body.decode()
    finally:
        pages.world.faults.clear()
    assert mona.get(f"/pages/r/{case.repo.id}").status == 200
