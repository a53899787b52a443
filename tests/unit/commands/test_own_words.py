"""Nothing the App writes commands it: whatever people, logs and files put into its texts, no line is a command."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands.grammar import parse
from bot.commands.reference import markdown
from bot.commands.texts import help_table, mistake_text
from bot.domain import CommitSha, Evaluation, Keep, Proposal, RegistrationKey, TestPath
from bot.publish.answer import full_answer, short_answer
from bot.publish.body import report
from bot.publish.compare_answer import compare_answer
from bot.publish.comparison import Compared
from bot.publish.explanation import LinePlaces, Wanted, explanation, unknown
from bot.publish.left_alone import LeftAlone
from bot.publish.links import Links
from bot.publish.names import marker
from bot.publish.notice import Report, Trouble
from bot.publish.paused import with_pause
from bot.publish.ports.pulls import PullRequestState
from bot.publish.ports.reviews import ChangedFile
from bot.publish.pull_request import INTRO
from bot.publish.suggestions import Replacement, review, suggestions
from bot.tasks.outcomes import Ending, OutcomeName
from bot.tasks.saying import also, of_closed, sentence, waiting
from tests.unit.publish.evaluations import small

PROPERTY = settings(max_examples=60, deadline=None, derandomize=True)
MARK = marker(7, "rolling")
FOREIGN = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "\n/recalibrate\n",
            "x\r/recalibrate pause",
            "`\n/recalibrate`",
            "</details>\n\n/recalibrate rebuild",
            "-->\n/recalibrate",
            "|\n/recalibrate |",
            "\u2028/recalibrate",
        ]
    ),
)


def commands_in(text: str) -> list[str]:
    """The lines that would be commands, however a text is cut into lines."""
    lines = [*text.split("\n"), *text.splitlines()]
    return [line for line in lines if parse(line) is not None]


def with_words(words: str) -> Evaluation:
    """An evaluation in which everything foreign says the same words."""
    whole = small()
    path = TestPath(words or "x")

    def renamed(key: RegistrationKey) -> RegistrationKey:
        return replace(key, path=path)

    decisions = tuple(
        replace(
            one,
            registration=replace(one.registration, key=renamed(one.registration.key), est_text=words),
            **({"detail": words} if isinstance(one, Keep) else {}),
        )
        for one in whole.decisions
    )
    rejections = tuple(
        replace(
            one, key=renamed(one.key) if one.key else None, row=replace(one.row, path=path, note=words), detail=words
        )
        for one in whole.rejections
    )
    refused = tuple(replace(one, path=path, detail=words) for one in whole.refused_calls)
    return replace(
        whole,
        repository=words,
        base=words,
        report_only=words,
        notes=(words,),
        decisions=decisions,
        rejections=rejections,
        refused_calls=refused,
    )


def proposals(evaluation: Evaluation) -> list[Proposal]:
    return [one for one in evaluation.decisions if isinstance(one, Proposal)]


@given(FOREIGN)
@PROPERTY
def test_reports_and_answers(words: str) -> None:
    evaluation, links = with_words(words), Links(marker=MARK, intro=INTRO)
    wanted = Wanted(evaluation.decisions[0].registration.key.path)
    compared = [Compared(one, None, 1800, 9, 9, (), (words,)) for one in evaluation.decisions]
    texts = [
        with_pause(report(evaluation, links), MARK),
        short_answer(evaluation, links, "Said."),
        full_answer(evaluation, links, "Said."),
        explanation(evaluation, wanted, links, LinePlaces()),
        unknown(evaluation, Wanted(words, words)),
        compare_answer(compared, evaluation.refused_calls, " Said.", words),
        LeftAlone(words, CommitSha("a" * 40), None, evaluation).body(7),
    ]
    assert [commands_in(text) for text in texts] == [[]] * len(texts)


@given(FOREIGN, st.sampled_from(sorted(OutcomeName)), st.integers(0, 3))
@PROPERTY
def test_sentences(words: str, name: OutcomeName, others: int) -> None:
    ending = Ending(name, words, words)
    assert commands_in(sentence(ending) + also(others)) == []
    assert commands_in(of_closed(closed_pull(words), ending)) == []
    assert commands_in(waiting(ending, datetime.fromtimestamp(0, UTC))) == []


def closed_pull(words: str) -> PullRequestState:
    sha = CommitSha("a" * 40)
    return PullRequestState(3, "closed", False, False, words, sha, words, words, words, words, words)


@given(FOREIGN, st.sampled_from(sorted(Trouble)))
@PROPERTY
def test_notices(words: str, trouble: Trouble) -> None:
    assert commands_in(Report(trouble, (words,)).body(7)) == []


@given(FOREIGN)
@PROPERTY
def test_answers_to_mistakes(words: str) -> None:
    found = parse(f"/recalibrate {words}")
    assert found is None or not hasattr(found, "reason") or commands_in(mistake_text(found)) == []


@pytest.mark.parametrize("readers", [(), ("explain", "matrix", "help")])
def test_the_help_and_its_page(readers: tuple[str, ...]) -> None:
    assert commands_in(help_table(readers)) == []
    assert commands_in(markdown()) == []


@given(FOREIGN)
@PROPERTY
def test_reviews_and_their_suggestions_as_comments(words: str) -> None:
    """A suggestion holds a line of somebody's file as it is; as a comment it is none all the same."""
    one = proposals(small())[0]
    file = ChangedFile(one.registration.key.path, "modified", f"@@ -1,9 +1,9 @@\n{chr(10).join([' x'] * 9)}")
    made = review(suggestions([Replacement(one, words)], [file]), CommitSha("a" * 40), 7)
    assert len(made.comments) == 1
    for text in (made.body, *(comment.body for comment in made.comments)):
        assert parse(text) is None
