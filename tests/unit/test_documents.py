"""Documents name what exists: every relative link, every path of the repository, every reference from the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.page_settings import NEEDED
from bot.tasks.outcomes import OutcomeName
from bot.webhook.ready import NotReady
from bot.webhook.routing import DropReason
from bot.webhook.verify import DeliveryRefusal

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
OURS = (
    "unit|sandbox|contract|stages|bench|fuzz|chaos|soak|browser|pages|data"  # other tests/… are watched repositories'
)
NAMED = re.compile(rf"`((?:bot|docs|deploy|tests/(?:{OURS}))/?[A-Za-z0-9_./-]*)`")
OPERATION = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
NAMED_SECTION = re.compile(r'\]\(([\w./-]+\.md)\)(?:\'s)?, "([^"]+)"')
CITED = re.compile(r'docs/architecture\.md(?:\'s)?, "([^"]+)"')


def _name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def _headings(document: Path) -> set[str]:
    return set(re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE))


def _told(heading: str) -> set[str]:
    """The names in the first columns of the tables of one section of the operator's manual."""
    section = OPERATION.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(
        re.findall(r"`([a-z_]+)`", "".join(line.split("|")[1] for line in section.splitlines() if line[:1] == "|"))
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_relative_links_lead_somewhere(document: Path) -> None:
    targets = LINK.findall(document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_named_paths_exist(document: Path) -> None:
    named = NAMED.findall(document.read_text(encoding="utf-8"))
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_named_sections_of_other_documents_exist() -> None:
    named = [
        (document.parent / target, section)
        for document in DOCUMENTS
        for target, section in NAMED_SECTION.findall(re.sub(r"\s+", " ", document.read_text(encoding="utf-8")))
    ]
    assert len(named) > 3
    assert [(str(to), section) for to, section in named if section not in _headings(to)] == []


def test_each_decision_has_a_number_of_its_own_and_says_it() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [int(path.name[:4]) for path in decisions]
    assert numbers == list(range(1, len(decisions) + 1))
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in decisions]
    assert [title for number, title in zip(numbers, titles, strict=True) if not title.startswith(f"# {number}. ")] == []


def test_sections_that_the_code_cites_exist() -> None:
    cited = {
        section
        for path in (ROOT / "bot").rglob("*.py")
        for section in CITED.findall(re.sub(r"\s+", " ", path.read_text(encoding="utf-8")))
    }
    assert cited
    assert cited <= _headings(ROOT / "docs" / "architecture.md")


def test_every_part_of_the_program_stands_in_the_layout() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    layout = text.partition("\n## Layout\n")[2].partition("\n## ")[0]
    parts = {path.name for path in (ROOT / "bot").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    told = {name.rstrip("/") for name in re.findall(r"`bot/([a-z_]+(?:\.py)?/?)`", layout)}
    assert parts - told == {"__init__.py", "__main__.py"}


def test_every_direct_dependency_is_explained() -> None:
    explained = (ROOT / "docs" / "decisions" / "0001-dependencies.md").read_text(encoding="utf-8")
    named = set(re.findall(r"[A-Za-z][A-Za-z0-9-]*", " ".join(re.findall(r"^\| ([^|]+) \|", explained, re.MULTILINE))))
    for part in ("requirements.in", "requirements-dev.in"):
        lines = (ROOT / "deploy" / part).read_text(encoding="utf-8").splitlines()
        direct = {re.split(r"[\[<>=;]", line)[0].strip() for line in lines if line and line[0] not in "#-"}
        assert direct - named == set(), part


def test_every_setting_of_the_server_is_told() -> None:
    told = (ROOT / "docs" / "operation.md").read_text(encoding="utf-8")
    read = (ROOT / "bot" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'read\.(?:text|whole|secret|secret_if_set)\("([A-Z_]+)"', read))
    assert len(names) > 8
    names |= {f"PAGES_{name}" for name in (*NEEDED, "OPERATORS")}
    assert {name for name in names if f"`RECALIBRATE_{name}`" not in told} == set()


def test_every_command_is_shown() -> None:
    shown = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    parsers = (module.read_text(encoding="utf-8") for module in (ROOT / "bot" / "cli" / "arguments").glob("*.py"))
    commands = re.findall(r'commands\.add_parser\("([a-z-]+)"', "".join(parsers))
    assert len(commands) > 8
    assert [name for name in commands if f"recalibrate {name}" not in shown] == []


def test_endings_that_are_told_exist() -> None:
    names = _told("How a task ends")
    assert names
    assert names <= {name.value for name in OutcomeName}


def test_every_answer_to_a_delivery_is_told() -> None:
    assert _told("How a delivery is answered") == {*DropReason, *DeliveryRefusal}


def test_every_reason_for_not_being_ready_is_told() -> None:
    assert _told("Is it well?") == {*NotReady}
