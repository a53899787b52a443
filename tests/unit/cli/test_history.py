"""A history leaves one store and comes into another as it was."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cli import history_csv
from bot.cli.history import HistoryOptions, export, own_series, take_in
from bot.domain import BlobSha, Doubt, JobEvidence, RepositoryId, Run, RunEvidence, RunId, Status, TestPath
from bot.errors import UserError
from bot.records.measurements import RowFacts
from bot.records.repositories import Repository
from bot.store.open import Store
from tests.contract.evidence_values import DAY_ONE, job, run, timing

REPOSITORY = Repository(RepositoryId(7), "octo/suite", default_branch="main")
BLOB = BlobSha("e" * 40)


def evidence(night: int, seconds: int = 100, **of_run: object) -> RunEvidence:
    one: Run = run(night, **of_run)
    rows = (
        timing(one, elapsed_s=seconds, runner_name="=cmd", note='a,b\n"c"'),
        timing(one, plan_index=1, path=TestPath("tests/'odd.py"), status=Status.TIMEOUT, elapsed_s=1800),
        timing(one, plan_index=2, path=TestPath("tests/c.py"), doubt=Doubt.SKIPPED, doubt_line=9, elapsed_s=3),
    )
    return RunEvidence(one, (job(*rows, tested_sha=one.head_sha),), frozenset({rows[0].suite}))


class Shell:
    """Two stores and what the command says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []

    def environment(self, name: str) -> Mapping[str, str]:
        return {"RECALIBRATE_DATABASE_URL": f"sqlite:///{self.folder / name}.sqlite"}

    def open(self, name: str) -> Store:
        return Store.open(self.environment(name)["RECALIBRATE_DATABASE_URL"])

    def export(self, name: str, **options: str) -> str:
        path = self.folder / "out.csv"
        export(HistoryOptions(path, **options), self.environment(name), self.told.append)
        return path.read_text(encoding="utf-8", errors="surrogateescape")

    def take_in(self, name: str, text: str, **options: str) -> None:
        path = self.folder / "in.csv"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        take_in(HistoryOptions(path, **options), self.environment(name), self.told.append)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    store = made.open("one")
    store.repositories.save(REPOSITORY)
    for night in range(3):
        store.runs.record(REPOSITORY.repository_id, evidence(night, 100 + night))
    store.timings.note_blobs(REPOSITORY.repository_id, run(0).head_sha, {TestPath("tests/c.py"): BLOB})
    store.close()
    return made


def test_without_a_named_store_it_is_the_file_of_the_service_there(shell: Shell) -> None:
    named = shell.export("one")
    work = shell.folder / "work"
    work.mkdir()
    (shell.folder / "one.sqlite").rename(work / "recalibrate.sqlite")
    path = shell.folder / "default.csv"
    export(HistoryOptions(path), {"RECALIBRATE_WORK_DIR": str(work)}, shell.told.append)
    assert path.read_text(encoding="utf-8", errors="surrogateescape") == named
    empty = shell.folder / "empty"
    empty.mkdir()
    with pytest.raises(UserError, match=r"DATABASE_URL: not set, and there is no .*recalibrate"):
        export(HistoryOptions(path), {"RECALIBRATE_WORK_DIR": str(empty)}, shell.told.append)
    assert list(empty.iterdir()) == []


def test_what_is_exported_is_imported_and_exported_again_byte_for_byte(shell: Shell) -> None:
    text = shell.export("one")
    assert text.count("\n") > 9
    shell.take_in("two", text)
    assert shell.export("two") == text
    assert shell.told[:2] == ["octo/suite: 9 lines", "3 attempts taken in, 0 known already, 0 lines not taken"]


def test_evidence_comes_back_as_it_was_with_its_plan(shell: Shell) -> None:
    shell.take_in("two", shell.export("one"))
    one, two = shell.open("one"), shell.open("two")
    for night in range(3):
        (before,), (after) = (
            one.runs.find(RepositoryId(7), RunId(100 + night)),
            two.runs.find(RepositoryId(7), RunId(100 + night)),
        )
        assert after[0].run == before.run
        assert after[0].partial == before.partial
        assert after[0].rows == before.rows
        (held,) = after[0].jobs
        assert held.tested_sha == before.jobs[0].tested_sha
        assert held.plan is not None
        assert [x.path for x in held.plan.files] == [x.path for x in before.rows]
    assert two.repositories.named("octo/suite") is not None
    one.close()
    two.close()


def test_what_a_store_knows_stays_as_it_is(shell: Shell) -> None:
    text = shell.export("one").replace(",101,60.0,", ",999,60.0,")
    shell.take_in("one", text)
    assert shell.told[-1] == "0 attempts taken in, 3 known already, 0 lines not taken"
    assert ",999,60.0," not in shell.export("one")


def test_a_line_that_cannot_be_is_named_and_the_rest_is_taken(shell: Shell) -> None:
    first, good, *rest = shell.export("one").splitlines(keepends=True)
    assert not good.endswith('"c"""\n')
    rows = next(csv.reader([first]))
    broken = ",".join("x" for _ in rows) + "\n"
    shell.take_in("two", first + broken + "only,three,cells\n" + good + "".join(rest))
    assert "line 2: not taken (value)" in shell.told[-3]
    assert "line 3: not taken (columns)" in shell.told[-2]
    assert shell.told[-1] == "3 attempts taken in, 0 known already, 2 lines not taken"


def test_a_cell_nested_without_end_is_named_and_the_rest_is_taken(shell: Shell) -> None:
    first, hurt, *rest = csv.reader(StringIO(shell.export("one")))
    hurt[first.index("partial_suites")] = "[" * 100_000
    out = StringIO()
    csv.writer(out, lineterminator="\n").writerows([first, hurt, *rest])
    found = history_csv.read(StringIO(out.getvalue(), newline=""))
    assert [why for _, why in found.refused] == [history_csv.RowRefusal.VALUE]
    assert len(found.runs) == 3


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n"])
def test_a_table_of_other_columns_is_refused(shell: Shell, text: str) -> None:
    with pytest.raises(UserError, match=r"^/.*: the first line lacks the columns .*; give what"):
        shell.take_in("two", text)


def test_of_several_repositories_one_is_named(shell: Shell) -> None:
    store = shell.open("one")
    store.repositories.save(replace(REPOSITORY, repository_id=RepositoryId(8), full_name="octo/other"))
    store.close()
    with pytest.raises(UserError, match=r"the store knows 2 repositories \(octo/suite, octo/other\); name one"):
        shell.export("one")
    assert shell.export("one", repository="octo/suite").count("octo/suite") == 9
    with pytest.raises(UserError, match="octo/none: not known to this store"):
        shell.export("one", repository="octo/none")


def test_no_formula_leaves_for_a_spreadsheet(shell: Shell) -> None:
    cells = [cell for line in csv.reader(StringIO(shell.export("one"))) for cell in line]
    assert "'=cmd" in cells
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "@")]


def test_own_series_hold_passes_that_ran_and_nothing_else(shell: Shell) -> None:
    measured = own_series(shell.environment("one"), "")
    (series,) = measured.series
    assert [sorted(night.values()) for night in series.seconds] == [[100.0], [101.0], [102.0]]


def test_a_store_without_measurements_says_so(shell: Shell) -> None:
    store = shell.open("two")
    store.repositories.save(REPOSITORY)
    store.close()
    with pytest.raises(UserError, match="octo/suite: nothing was measured yet"):
        own_series(shell.environment("two"), "")


def test_runs_before_a_moment_are_given_up_with_all_they_measured(shell: Shell) -> None:
    store = shell.open("one")
    assert store.history.newest(RepositoryId(7)) == DAY_ONE + timedelta(days=2)
    assert store.history.forget_before(RepositoryId(7), DAY_ONE + timedelta(days=1)) == 1
    assert store.history.forget_before(RepositoryId(7), DAY_ONE + timedelta(days=1)) == 0
    assert list(store.history.runs(RepositoryId(7))) == [101, 102]
    assert len(store.history.passes(RepositoryId(7))) == 2
    assert store.history.newest(RepositoryId(8)) is None
    store.close()


ANY = st.text(max_size=12)


@given(ANY, ANY, st.integers(0, 10**9), st.sampled_from([None, *Doubt]), st.sampled_from(Status))
@settings(deadline=None, derandomize=True, max_examples=120)
def test_any_row_comes_back(name: str, note: str, seconds: int, doubt: Doubt | None, status: Status) -> None:
    one = run(0, started_at=datetime(2026, 1, 1, tzinfo=UTC), measures="octo/other")
    given_row = timing(one, path=TestPath(f"t{name}"), note=note, elapsed_s=seconds, doubt=doubt, status=status)
    held: JobEvidence = job(given_row)
    facts = {(1, 1, 0): RowFacts(BLOB, "changed")}
    text = history_csv.head() + "".join(history_csv.lines(REPOSITORY, RunEvidence(one, (held,)), facts))
    found = history_csv.read(StringIO(text, newline=""))
    assert found.refused == ()
    ((key, back, blobs),) = found.runs
    assert (key, back.run, back.rows) == (REPOSITORY.repository_id, one, (given_row,))
    assert blobs == {given_row.path: BLOB}


@given(st.lists(st.text(max_size=60), max_size=6))
@settings(deadline=None, derandomize=True, max_examples=150)
def test_no_text_breaks_the_reader(lines: list[str]) -> None:
    try:
        found = history_csv.read([history_csv.head(), *(f"{line}\n" for line in lines)])
    except UserError as error:
        assert "is no CSV" in str(error)  # noqa: PT017 - either outcome is a promise
    else:
        assert found.runs == ()


def test_the_commands_are_told_from_a_shell(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.__main__ import main  # noqa: PLC0415 - what a shell starts

    for name, value in shell.environment("one").items():
        monkeypatch.setenv(name, value)
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert main(["history", "export"]) == 0
        assert main(["backtest", "--history", "--warmup", "1", "--policy", "strict"]) == 0
    assert out.getvalue().startswith("repository_id,repository,run_id,run_attempt,created_at,")
    assert "| stage-b | strict | 1 |" in out.getvalue()
