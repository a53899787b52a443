"""`manifest.json` and the set of evidence files."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain import LogState, PolicyStamp
from bot.publish.evidence_files import evidence_files
from bot.publish.manifest import FORMAT, manifest_json
from tests.unit.publish.evaluations import BASE, HEAD, small


def test_it_names_the_commits_the_logs_and_the_policy() -> None:
    value = json.loads(manifest_json(small(), {}))
    assert value["format"] == FORMAT
    assert value["base"] == {"name": "main", "sha": BASE}
    assert value["policy"] == {"name": "default", "parameters": {"headroom": 1.25}}
    first, second = value["runs"]
    assert (first["run_id"], first["attempt"], first["head_sha"]) == (11, 1, HEAD)
    assert [job["job_id"] for job in first["jobs"]] == [7, 8]
    assert first["jobs"][0]["log"] == {
        "state": "present",
        "path": "jobs/7/job-7.log",
        "sha256": f"{7:064x}",
        "bytes": 1000,
        "lines": 40,
    }
    assert (second["attempt"], second["jobs"][0]["carried_from"]) == (2, 7)


def test_the_files_beside_it_are_named_by_hash() -> None:
    files = evidence_files(small(), {})
    value = json.loads(files["manifest.json"])
    assert sorted(files) == ["evidence.csv", "lines.txt", "manifest.json"]
    assert value["files"] == {
        name: {"sha256": hashlib.sha256(files[name]).hexdigest(), "bytes": len(files[name])}
        for name in ("evidence.csv", "lines.txt")
    }


def test_keys_are_sorted_and_no_time_and_no_place_of_this_machine_is_in_it() -> None:
    given_ = small()
    first = given_.runs[0]
    jobs = tuple(replace(item, log=replace(item.log, path="/srv/secret/7.log")) for item in first.jobs)
    at = datetime(2026, 8, 20, 15, tzinfo=UTC)
    timed = replace(first, jobs=jobs, run=replace(first.run, created_at=at, started_at=at))
    text = manifest_json(replace(given_, runs=(timed,)), {}).decode()
    assert json.dumps(json.loads(text), sort_keys=True, indent=1) + "\n" == text
    assert "/srv" not in text
    assert re.search(r"\d\d:\d\d|2026-", text) is None


def test_order_of_runs_jobs_and_parameters_changes_no_byte() -> None:
    given_ = replace(small(), policy=PolicyStamp("strict", {"a": 1, "b": 2.5}))
    turned = replace(
        given_,
        policy=PolicyStamp("strict", {"b": 2.5, "a": 1}),
        runs=tuple(replace(item, jobs=item.jobs[::-1]) for item in given_.runs[::-1]),
    )
    assert manifest_json(turned, {}) == manifest_json(given_, {})


def test_a_log_that_is_not_there_is_a_state_without_numbers() -> None:
    given_ = small()
    first = given_.runs[0]
    gone = replace(first.jobs[0], log=replace(first.jobs[0].log, state=LogState.GONE))
    value = json.loads(manifest_json(replace(given_, runs=(replace(first, jobs=(gone,)),)), {}))
    assert value["runs"][0]["jobs"][0]["log"] == {
        "state": "gone",
        "path": None,
        "sha256": None,
        "bytes": None,
        "lines": None,
    }
