"""What is a command, what is a mistake, and what is nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import COMMANDS
from bot.commands.contract import Command, Mistake, MistakeReason, RunReference
from bot.commands.grammar import KEPT, LINE_LIMIT, beginning, commands_not_read, parse
from bot.commands.texts import mistake_text
from bot.domain import RunId

PROPERTY = settings(max_examples=300, deadline=None, derandomize=True)
PIECES = st.sampled_from(
    [
        "/recalibrate",
        " ",
        "\t",
        "\n",
        "\r\n",
        "--suite",
        "--dry-run",
        "=",
        "run",
        "explain",
        "7",
        "`",
        "'",
        "—",
        "x",
        ">",
        "é",
    ]
)
BODIES = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=40).map("".join))


@pytest.mark.parametrize(
    ("text", "meaning"), [example for module in COMMANDS.values() for example in module.EXAMPLES], ids=str
)
def test_every_example_means_what_its_module_says(text: str, meaning: Command) -> None:
    assert parse(f"/recalibrate {text}") == meaning


@pytest.mark.parametrize(("name", "module"), COMMANDS.items())
def test_the_table_knows_each_command_by_its_own_name(name: str, module: object) -> None:
    assert name == module.NAME  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body",
    [
        "/recalibrate",
        "/recalibrate   \t",
        "/recalibrate\r\n",
        "\n\r\n \n/recalibrate\nand a reason",
        "   /recalibrate",
        "/Recalibrate",
        "/recalibrate evaluate",
    ],
)
def test_the_first_line_that_is_not_blank_commands(body: str) -> None:
    assert parse(body) == Command("evaluate")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "   \n\t\n",
        "> /recalibrate",
        "```\n/recalibrate\n```",
        "~~~\n/recalibrate\n~~~",
        "`/recalibrate`",
        "    /recalibrate",
        "\t/recalibrate",
        "see scripts/recalibrate.py",
        "please\n\n/recalibrate",
        "/recalibrate-other run",
        "/recalibrated",
        "/recalibrate: now",
        "/recalibrate/run",
        "/other recalibrate",
        "<!-- note -->\n/recalibrate",
        "- /recalibrate",
        "\u200b/recalibrate",
    ],
)
def test_anything_else_is_nothing(body: str) -> None:
    assert parse(body) is None


def test_only_the_first_line_is_read_and_the_others_are_counted() -> None:
    body = "/recalibrate help\n/recalibrate pause\ntext\n  /recalibrate"
    assert parse(body) == Command("help")
    assert commands_not_read(body) == 2
    assert commands_not_read("/recalibrate help\nthanks") == 0
    assert commands_not_read("no") == 0


@pytest.mark.parametrize(
    ("line", "reason", "word", "column", "nearest"),
    [
        ("/recalibrate rebiuld", MistakeReason.UNKNOWN_COMMAND, "rebiuld", 14, "rebuild"),
        ("/recalibrate zzzzzzz", MistakeReason.UNKNOWN_COMMAND, "zzzzzzz", 14, ""),
        ("/recalibrate  --polciy strict", MistakeReason.UNKNOWN_OPTION, "--polciy", 15, "--policy"),
        ("/recalibrate -n", MistakeReason.UNKNOWN_OPTION, "-n", 14, ""),
        ("/recalibrate pause --dry-run", MistakeReason.OPTION_ELSEWHERE, "--dry-run", 20, ""),
        ("/recalibrate --suite a --suite b", MistakeReason.GIVEN_TWICE, "--suite", 24, ""),
        ("/recalibrate --suite", MistakeReason.VALUE_MISSING, "--suite", 21, "--suite GLOB"),
        ("/recalibrate --suite --dry-run", MistakeReason.VALUE_MISSING, "--suite", 22, "--suite GLOB"),
        ("/recalibrate --suite=", MistakeReason.VALUE_MISSING, "--suite", 22, "--suite GLOB"),
        ("/recalibrate --dry-run=yes", MistakeReason.VALUE_UNWANTED, "--dry-run=yes", 14, "--dry-run"),
        ("/recalibrate --policy strickt", MistakeReason.UNKNOWN_CHOICE, "strickt", 23, "strict"),
        ("/recalibrate --policy=strickt", MistakeReason.UNKNOWN_CHOICE, "strickt", 23, "strict"),
        ("/recalibrate run", MistakeReason.ARGUMENT_MISSING, "", 17, "the id or the address of a run"),
        ("/recalibrate run 12a", MistakeReason.NOT_A_RUN, "12a", 18, ""),
        ("/recalibrate run 0", MistakeReason.NOT_A_RUN, "0", 18, ""),
        (
            "/recalibrate run https://x/o/r/actions/runs/1x",
            MistakeReason.NOT_A_RUN,
            "https://x/o/r/actions/runs/1x",
            18,
            "",
        ),
        ("/recalibrate explain", MistakeReason.ARGUMENT_MISSING, "", 21, "the path of a test file"),
        ("/recalibrate explain a.py b.py", MistakeReason.ARGUMENT_UNWANTED, "b.py", 27, ""),
        ("/recalibrate help me", MistakeReason.ARGUMENT_UNWANTED, "me", 19, ""),
    ],
)
def test_a_mistake_points_at_the_word(line: str, reason: MistakeReason, word: str, column: int, nearest: str) -> None:
    assert parse(line) == Mistake(reason, word, column, nearest)


def test_lines_words_and_runs_beyond_the_limits_are_mistakes() -> None:
    for line in (
        "/recalibrate " + "x " * LINE_LIMIT,
        "/recalibrate explain " + "x" * 400,
        "/recalibrate run " + " ".join(map(str, range(1, 30))),
    ):
        found = parse(line)
        assert isinstance(found, Mistake)
        assert found.reason is MistakeReason.TOO_LONG


def test_the_dash_that_phones_make_of_two_and_quotes_are_understood() -> None:
    assert parse('/recalibrate \u2014dry-run \u2013suite "stage-*"') == Command(
        "evaluate", suite="stage-*", dry_run=True
    )


def test_a_run_named_twice_is_one() -> None:
    url = "https://github.com/octo/tests/actions/runs/7?check_suite_focus=true"
    assert parse(f"/recalibrate run 7 {url} 8") == Command("run", runs=(RunReference(RunId(7)), RunReference(RunId(8))))


@given(BODIES)
@PROPERTY
def test_any_text_is_read_without_a_failure_and_every_mistake_can_be_told(body: str) -> None:
    found = parse(body)
    if isinstance(found, Mistake):
        said = mistake_text(found)
        assert "\n" not in said.rstrip("\n")
        assert len(said) < 1000


@given(BODIES, st.integers(0, 3))
@PROPERTY
def test_what_a_task_keeps_of_a_comment_means_the_same(body: str, blank: int) -> None:
    kept = beginning("\n" * blank + body)
    assert len(kept) <= KEPT
    assert parse(kept) == parse(body)


@given(st.sampled_from(sorted(COMMANDS)), st.text("abc*/?-.", min_size=1, max_size=20))
@PROPERTY
def test_an_option_says_the_same_with_an_equals_sign_and_with_a_space(name: str, value: str) -> None:
    words = {"run": "run 1", "explain": "explain a"}.get(name, name)
    if value.startswith("-"):
        return
    assert parse(f"/recalibrate {words} --suite {value}") in (
        parse(f"/recalibrate {words} --suite={value}"),
        Mistake(MistakeReason.OPTION_ELSEWHERE, "--suite", 14 + len(words) + 1),
    )
