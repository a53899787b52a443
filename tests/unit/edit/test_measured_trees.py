"""What is read at every commit of the measured repository's look-alike is what its facts say."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.domain import LiteralChange, Registration, SourceRegistrations, TestPath
from bot.edit.apply import apply
from bot.edit.labels import plan_labels
from bot.edit.registrations.register_call import literals
from bot.edit.registry_reader import LabelRegistry, read_registry
from bot.edit.siblings import suggest_from_siblings
from bot.edit.tree_reader import in_scope, read_all, refused_calls
from bot.forge.local_git import LocalGit, open_repository
from bot.repo_config import DEFAULT
from bot.repo_config.registrations import LabelRule

TREES = ("18192da", "86954a7", "98eec31", "b1860dd", "0113aa5", "d2e3ad9", "aac9d62", "9fc8571", "2513816")


@pytest.fixture(scope="session")
def lookalike(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("lookalike")
    script = shared_data / "nightlies" / "lookalike.py"
    subprocess.run([sys.executable, str(script), str(where), "--runs", "A"], check=True, capture_output=True)
    return where / "repo"


class Tree:
    """One commit's test files, contents and registrations."""

    def __init__(self, repository: Path, revision: str) -> None:
        self.contents: dict[TestPath, bytes] = {}
        self.sources: tuple[SourceRegistrations, ...] = ()
        self.registry: bytes = b""
        asyncio.run(self._load(repository, revision))

    async def _load(self, repository: Path, revision: str) -> None:
        git: LocalGit = await open_repository(repository)
        everything = await git.files(await git.resolve(revision))
        files = in_scope(everything, DEFAULT.registrations.paths)
        registry = everything[TestPath("tests/ci/labels.py")]
        blobs = await git.contents([registry.blob, *(entry.blob for entry in files.values())])
        self.registry = blobs[registry.blob]
        self.contents = {path: blobs[entry.blob] for path, entry in files.items()}
        self.sources = read_all(files, blobs, {})

    @property
    def registrations(self) -> list[Registration]:
        return [registration for source in self.sources for registration in source.registrations]


def facts_of(shared_data: Path, sha7: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared_data / "nightlies" / f"registrations-{sha7}.json").read_text())
    return found


@pytest.mark.parametrize("sha7", TREES)
def test_every_registration_of_a_measured_tree_is_read_as_its_facts_say(
    shared_data: Path, lookalike: Path, sha7: str
) -> None:
    facts = facts_of(shared_data, sha7)
    tree = Tree(lookalike, f"facts-{sha7}")
    expected = [
        (
            *(file["path"], fact["backend"], fact["suite"], fact["est_time"], tuple(fact["labels"])),
            *(fact["nightly"], fact["disabled"], fact["line"], fact["end_line"]),
            *(fact["est_time_line"], fact["est_time_col"]),
        )
        for file in sorted(facts["files"], key=lambda file: file["path"])
        for fact in file["registrations"]
    ]
    columns = {
        (path, call.index): call.est_time[0] - raw.rfind(b"\n", 0, call.est_time[0]) - 1
        for path, raw in tree.contents.items()
        for call in literals(raw)
        if call.est_time
    }
    found = [
        (
            *(r.key.path, r.key.backend, r.key.suite, r.est_text, r.labels or ()),
            *(r.nightly, r.disabled, r.line, r.end_line, r.est_line, columns[r.key.path, r.index]),
        )
        for r in tree.registrations
    ]
    assert found == expected
    assert refused_calls(tree.sources) == ()
    assert [r for r in tree.registrations if r.est_refusal] == []


def test_every_literal_of_a_measured_tree_can_be_edited(lookalike: Path) -> None:
    tree = Tree(lookalike, "facts-aac9d62")
    for source in tree.sources:
        raw = tree.contents[source.path]
        result = apply(
            source.path, raw, [LiteralChange(source.path, r.blob, r.index, est_time=7777) for r in source.registrations]
        )
        assert result.refused == ()
        assert result.edit is not None
        old = [raw[slice(*call.est_time)] for call in literals(raw) if call.est_time]
        rebuilt = result.edit.after
        for literal in old:
            rebuilt = rebuilt.replace(b"7777", literal, 1)
        assert rebuilt == raw


def test_the_lora_rule_asks_for_the_change_that_people_made(shared_data: Path, lookalike: Path) -> None:
    tree = Tree(lookalike, "facts-98eec31")
    registry = read_registry(tree.registry, "KNOWN_LABELS")
    assert registry == LabelRegistry(tuple(facts_of(shared_data, "aac9d62")["known_labels"]))
    rule = LabelRule(paths=("tests/e2e/**/*_lora_ci.py",), require=("megatron", "model-scripts", "lora"))
    plan = plan_labels((rule,), registry, tree.registrations)
    assert [(change.registration.key.path, change.after) for change in plan.changes] == [
        ("tests/e2e/megatron/test_qwen3_5_35b_a3b_lora_ci.py", ("megatron", "model-scripts", "lora"))
    ]
    assert plan.refused == ()


@pytest.mark.parametrize("sha7", TREES)
def test_siblings_of_a_measured_tree_agree_and_nothing_is_suggested(lookalike: Path, sha7: str) -> None:
    assert suggest_from_siblings(Tree(lookalike, f"facts-{sha7}").registrations) == ()
