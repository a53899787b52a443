"""Documents name what exists: every relative link, every path of the repository, every reference from the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
NAMED = re.compile(r"`((?:bot|docs|deploy|tests/(?:unit|sandbox|contract|stages|bench))/?[A-Za-z0-9_./-]*)`")
CITED = re.compile(r'docs/architecture\.md(?:\'s)?, "([^"]+)"')


def _name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_relative_links_lead_somewhere(document: Path) -> None:
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_named_paths_exist(document: Path) -> None:
    named = NAMED.findall(document.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_sections_that_the_code_cites_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))
    cited = {
        section
        for path in (ROOT / "bot").rglob("*.py")
        for section in CITED.findall(re.sub(r"\s+", " ", path.read_text(encoding="utf-8")))
    }
    assert cited
    assert cited <= headings


def test_every_direct_dependency_is_explained() -> None:
    explained = (ROOT / "docs" / "decisions" / "0001-dependencies.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[A-Za-z][A-Za-z0-9-]*", " ".join(re.findall(r"^\| ([^|]+) \|", explained, re.MULTILINE))))
    for part in ("requirements.in", "requirements-dev.in"):
        lines = (ROOT / "deploy" / part).read_text(encoding="utf-8").splitlines()
        direct = {re.split(r"[\[<>=;]", line)[0].strip() for line in lines if line and line[0] not in "#-"}
        assert direct - named == set(), part
