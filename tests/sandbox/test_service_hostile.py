"""A repository whose names, files and logs mean harm: what is shown stays text, what is written stays in bounds."""

from __future__ import annotations

import re

import pytest

from bot.sandbox.generator import Generated
from bot.sandbox.git_values import Entry, RefChange
from tests.sandbox.service import EVIDENCE, Case, Rig

PLANTED = "@octo-security <img src=x onerror=alert(1)> [x](javascript:alert(1)) fixes #1 ![](http://evil.invalid/p.png)"
BAD_NAME = "tests/e2e/=HYPERLINK(evil)|`@octo-security` <img src=x> \u202egnp\u200b.py"
CALL = b"register_cuda_ci(est_time=%s, suite='stage-x')\n"
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
REORDERING = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f]")
HARMFUL = ("@octo-security", "<img", "javascript:", "evil.invalid", "fixes #1")


def committed(case: Case, *entries: Entry) -> None:
    """A person commits entries of any mode to the base."""
    git = case.repo.git
    tip = git.ref("refs/heads/main")
    assert tip
    commit = git.commit(tip)
    sha = git.write_commit(
        git.write_tree(commit.tree, list(entries)), [tip], "planted", (commit.author, commit.committer)
    )
    git.update_refs([RefChange("refs/heads/main", sha)])


def file(case: Case, path: str, content: bytes, mode: str = "100644") -> Entry:
    return Entry(path, mode, "blob", case.repo.git.write_blob(content))


@pytest.fixture(scope="module")
def hostile(service_rig: Rig, generated: Generated) -> Case:
    case, runs = service_rig.started(generated, "hostile")
    target = generated.repository / "tests"
    committed(
        case,
        file(case, BAD_NAME, CALL % b"slow()"),
        file(case, "tests/e2e/test_link.py", b"../../../../etc/passwd", "120000"),
        file(case, "tests/e2e/test_absolute.py", str(target).encode(), "120000"),
        file(case, ".github/workflows/test_workflow.py", CALL % b"60"),
        file(case, ".GitHub/test_workflow.py", CALL % b"60"),
        file(case, "tests/e2e/test_bidi.py", CALL % b"60" + "# \u202e ) 06=emit_tse\n".encode()),
        file(case, "tests/e2e/test_deep.py", CALL % b"60" + b"x = a" + b".a" * 700 + b"\n"),
        file(case, "tests/e2e/test_not_text.py", CALL % b"60" + b"\xff\xfe\0"),
        file(case, ".github/recalibrate.yml", b"version: 1\nregistrations: {paths: ['**']}\n"),
    )
    for log in case.repo.logs.values():
        if log.path is not None:
            copy = service_rig.settings.work_dir.parent / f"hostile-{log.path.name}"
            noise = f"2026-08-20T15:00:00.0000000Z {PLANTED}\x1b]8;;http://evil.invalid\x07\u202e\n".encode()
            copy.write_bytes(noise + log.path.read_bytes() + noise + b"A" * 3_000_000)
            log.path = copy
    assert case.nightly(runs[0]).outcome == "published"
    return case


def shown(case: Case) -> list[str]:
    """Everything that GitHub renders as Markdown, without its code spans and fenced blocks."""
    return [CODE_SPAN.sub("", text) for text in case.seen().values()]


def test_nothing_planted_is_rendered(hostile: Case) -> None:
    for text in shown(hostile):
        assert [word for word in HARMFUL if word in text] == []
        assert REORDERING.findall(text) == []
    assert REORDERING.findall(hostile.pull.body or "") == []


def test_the_planted_name_is_told_as_text(hostile: Case) -> None:
    assert "\\u202e" in (hostile.pull.body or "")


def test_only_regular_files_inside_the_bounds_change(hostile: Case) -> None:
    tip = hostile.tip()
    lines = hostile.git("diff-tree", "-r", "--no-commit-id", f"{tip}^", str(tip)).splitlines()
    assert lines
    for line in lines:
        before, after, *_, path = line[1:].split()
        assert before == after
        assert after in {"100644", "100755"}
        assert not path.lower().startswith((".github", '".github'))


def test_evidence_holds_no_formula_and_no_control_character(hostile: Case) -> None:
    tip = str(hostile.tip(EVIDENCE))
    for path in hostile.git("ls-tree", "-r", "--name-only", tip).splitlines():
        text = hostile.file(tip, path).decode()
        assert REORDERING.findall(text) == []
        if path.endswith(".csv"):
            cells = [cell for line in text.splitlines() for cell in line.split(",")]
            assert [cell for cell in cells if cell.lstrip('"')[:1] in ("=", "+", "@")] == []


def test_a_private_repositorys_names_stand_in_no_other_ones_texts(service_rig: Rig, generated: Generated) -> None:
    """Two installations side by side, neither of which names the other."""
    secret, runs = service_rig.started(generated, "hidden-aardvark")
    secret.repo.private = True
    committed(secret, file(secret, "tests/e2e/test_hidden_aardvark.py", CALL % b"slow()"))
    assert secret.nightly(runs[0]).outcome == "published"
    assert "hidden_aardvark" in (secret.pull.body or "")
    other, others = service_rig.started(generated, "neighbour")
    assert other.nightly(others[0]).outcome == "published"
    texts = "\n".join(other.seen().values()) + other.git("log", "--all", "-p", "--no-color")
    assert re.findall("hidden.aardvark", texts) == []
    assert {one.run.repository for one in other.evidence(others[0])} == {other.repo.full_name}
