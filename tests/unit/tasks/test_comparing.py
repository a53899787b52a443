"""Promises of a pull request's comparison: what it touches, and which passes speak for what it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.calibration.policies import Policy
from bot.domain import BlobSha, CommitSha, EditRefusal, Keep, KeepReason, RunId, SourceRegistrations, Suite, TestPath
from bot.edit.registrations import register_call
from bot.edit.registry_reader import LabelRegistry, UnreadRegistry
from bot.publish.comparison import Compared
from bot.repo_config.runner import Timeout
from bot.tasks.comparing import Sides, compare, touched
from tests.unit.publish.evaluations import HEAD, SUITE, blob, job, run, scheduled

OTTER = TestPath("tests/zoo/test_otter.py")
CALL = f'register_cuda_ci(est_time=400, suite="{SUITE}", labels=["alpha"])\n'
NOW, THEN = blob("1"), blob("2")
PLAIN = Policy("strict")


def source(text: str, at: BlobSha = NOW) -> SourceRegistrations:
    return register_call.read(OTTER, at, text.encode())


def sides(head: str, base: str = "", **facts: object) -> Sides:
    """A pull request to a file that one night measured in 310 s, at the pull request's own blob."""
    measured_run = run(11, job(7, scheduled(OTTER)))
    created = replace(measured_run.run, created_at=datetime(2026, 8, 20, tzinfo=UTC))
    given: dict[str, object] = {
        "head": (source(head),),
        "base": (source(base),) if base else (),
        "runs": (replace(measured_run, run=created),),
        "written": {OTTER: NOW},
        "measured": {(OTTER, HEAD): NOW},
        "contents": {},
        "labels": LabelRegistry(("alpha", "beta")),
        "policy": PLAIN,
        "timeout": Timeout(),
    }
    return Sides(**{**given, **facts})  # type: ignore[arg-type]


def only(given: Sides) -> Compared:
    (found,) = compare(given).compared
    return found


# ------------------------------------------------------------------------------------------------ touched


def test_a_call_that_only_moved_is_not_touched() -> None:
    assert touched((source("\n\nX = 1\n" + CALL),), (source(CALL),)).active == ()


def test_a_changed_literal_label_or_flag_touches_its_call_alone() -> None:
    other = CALL.replace("400", "70").replace(SUITE, "other")
    for text in (CALL.replace("400", "500"), CALL.replace("alpha", "beta"), CALL.replace(")", ", nightly=True)")):
        (found,) = touched((source(other + text),), (source(other + CALL),)).active
        assert found.key.suite == SUITE


def test_a_second_call_in_the_same_words_is_new() -> None:
    found = touched((source(CALL + CALL),), (source(CALL),))
    assert [call.est_refusal for call in found.active] == [EditRefusal.AMBIGUOUS_KEY] * 2


def test_disabled_calls_are_counted_and_refused_ones_only_where_they_are_new() -> None:
    disabled, starred = CALL.replace(")", ', disabled="flaky")'), "register_cuda_ci(*ARGS)\n"
    found = touched((source(disabled + starred),), (source("\n" + starred),))
    assert (found.active, found.refused, found.disabled) == ((), (), 1)
    assert [call.line for call in touched((source("\n" + starred),), ()).refused] == [2]


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(st.sampled_from([CALL, CALL.replace("400", "X"), "register_cuda_ci(*A)\n", "x = 1\n", "if x:\n"])))
def test_nothing_is_touched_where_nothing_changed(parts: list[str]) -> None:
    found = touched((source("".join(parts)),), (source("".join(parts)),))
    assert (found.active, found.refused, found.disabled) == ((), (), 0)


# ------------------------------------------------------------------------------------------------ compare


def test_a_pass_of_the_same_file_speaks_for_it() -> None:
    found = only(sides(CALL))
    assert (found.known_pass_s, found.limit_s, found.before, found.kills) == (310, 1800, None, False)
    assert [sample.elapsed_s for sample in found.decision.samples] == [310]


def test_a_file_that_differs_in_literals_alone_is_the_same_file() -> None:
    body = "print('otter')\n"
    contents = {NOW: (CALL + body).encode(), THEN: (CALL.replace("400", "900") + body).encode()}
    found = only(sides(CALL + body, measured={(OTTER, HEAD): THEN}, contents=contents))
    assert found.known_pass_s == 310


def test_a_file_that_changed_has_no_measurement_but_an_earlier_one() -> None:
    contents = {NOW: (CALL + "x = 1\n").encode(), THEN: CALL.encode()}
    found = only(sides(CALL + "x = 1\n", measured={(OTTER, HEAD): THEN}, contents=contents))
    assert isinstance(found.decision, Keep)
    assert (found.decision.reason, found.known_pass_s, found.earlier_pass_s) == (KeepReason.NO_SAMPLE, 0, 310)


def test_a_measured_file_whose_blob_is_not_known_does_not_count() -> None:
    found = only(sides(CALL, measured={}))
    assert (found.decision.samples, found.known_pass_s) == ((), 0)


def test_a_limit_kills_what_takes_as_long() -> None:
    for floor, kills in ((309, True), (310, True), (311, False)):
        written = CALL.replace("400", "1")
        assert only(sides(written, timeout=Timeout(floor_s=floor))).kills is kills


def test_labels_are_held_against_the_registry_where_there_is_one() -> None:
    text = CALL.replace('["alpha"]', '["alpha", "gamma"]')
    assert only(sides(text)).unknown_labels == ("gamma",)
    assert only(sides(text, labels=UnreadRegistry("no such file"))).unknown_labels == ()


def test_a_test_that_moved_to_another_suite_is_told_where_it_was_measured() -> None:
    found = only(sides(CALL.replace(SUITE, "lane-9"), CALL))
    assert (found.elsewhere, found.before, found.decision.samples) == ((SUITE,), None, ())


def test_the_same_key_at_the_merge_base_is_what_it_was_before() -> None:
    found = only(sides(CALL.replace("400", "500"), CALL))
    assert found.before is not None
    assert (found.before.est_time, found.registration.est_time) == (400, 500)


def test_a_night_that_is_no_ancestor_speaks_all_the_same() -> None:
    """Its pass is of the very file; nothing is edited by it."""
    other = CommitSha("e" * 40)
    given = sides(CALL, measured={(OTTER, other): NOW})
    rows = tuple(replace(row, head_sha=other, run_id=RunId(12)) for row in given.runs[0].rows)
    moved = replace(run(12, job(7, *rows)).run, head_sha=other)
    jobs = tuple(replace(one, tested_sha=other) for one in run(12, job(7, *rows)).jobs)
    found = only(replace(given, runs=(replace(given.runs[0], run=moved, jobs=jobs),)))
    assert found.known_pass_s == 310


def test_rows_of_other_suites_do_not_mix() -> None:
    given = sides(CALL)
    slow = scheduled(OTTER, suite=Suite("lane-9"), elapsed_s=9000)
    found = only(replace(given, runs=(replace(given.runs[0], jobs=(*given.runs[0].jobs, job(8, slow))),)))
    assert (found.known_pass_s, found.elsewhere) == (310, ("lane-9",))


def test_nothing_touched_is_nothing_compared() -> None:
    empty: Mapping[TestPath, BlobSha] = {}
    found = compare(sides(CALL, CALL, written=empty))
    assert (found.compared, found.refused, found.disabled) == ((), (), 0)
