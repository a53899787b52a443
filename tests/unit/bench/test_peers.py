"""What stands beside us in the bench does its work, and the tables of errors tell right from wrong."""

from __future__ import annotations

from pathlib import Path

from tests.bench import peers
from tests.bench.hostile import ROWS, ours, wrong
from tests.bench.rewriting import reading


def test_no_hostile_registration_is_edited_wrongly() -> None:
    assert wrong(ours) == []


def test_the_peers_edit_the_plain_call_and_are_caught_where_they_err() -> None:
    for peer in (peers.by_pattern, peers.by_position):
        found = wrong(peer)
        assert "a plain call" not in found
        assert "two active calls of one suite" in found


def test_a_rewriter_that_does_nothing_is_wrong_wherever_there_is_something_to_do() -> None:
    untouched = {row.what for row in ROWS if row.after is None}
    assert set(wrong(lambda raw, *_: raw)) == {row.what for row in ROWS} - untouched


def test_a_loop_over_lines_reads_a_plain_log(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "filename='tests/a.py', elapsed=61, _estimated_time=60.0\n[1/2] tests/a.py  PASS  elapsed=60s\n"
        "[2/2] tests/b.py  FAIL  elapsed=9s exit=1\n"
    )
    assert peers.by_lines(log) == {"tests/a.py": 61}


def test_our_reading_of_the_dialects_examples_is_right_and_the_loop_s_is_not() -> None:
    own, loop = reading(None)
    assert own.wrong == ()
    assert 0 < len(loop.wrong) < loop.cases
    assert (own.took, loop.took) == (0.0, 0.0)
