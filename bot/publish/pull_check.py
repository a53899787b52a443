"""The check run of a pull request that adds or changes registrations, or our configuration file.

Everything a person wrote is shown as text. Comparing is `bot.tasks.comparing`'s part, making the
check run the forge's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.config_file import CONFIG_PATH
from bot.domain import Keep, KeepReason, Proposal, Sample
from bot.publish.body_changes import arrow, suite_cell
from bot.publish.budget import CHECK_FIELD_LIMIT, Block, assemble
from bot.publish.check_names import REEVALUATE, REGISTRATIONS_CHECK
from bot.publish.check_notes import OFF_ALL_THE_SAME
from bot.publish.comparison import Compared, Comparison
from bot.publish.evidence_csv import number
from bot.publish.links import Links
from bot.publish.markdown import code, link, plural, prose, row, table_head
from bot.publish.ports.checks import AnnotationLevel, CheckConclusion, CheckReport
from bot.publish.pull_notes import pull_notes, remarks_on
from bot.publish.wording import EDIT_REFUSAL, words

_COLUMNS = (
    "Test",
    "Suite",
    ">est_time",
    ">Slowest pass",
    ">Passes",
    ">Nights",
    ">The nights say",
    ">Timeout limit",
    "",
)
_NOTHING = "This pull request adds or changes no registration that is measured, and not `.github/recalibrate.yml`.\n"


@dataclass(frozen=True, slots=True)
class Subject:
    """Which check run: the external id, where texts link to, and when it fails."""

    identity: str
    links: Links
    fail_on: Literal["never", "timeout"] = "never"


def pull_report(comparison: Comparison, subject: Subject) -> CheckReport:
    """The whole check run. It is complete whatever was found, so that it may be required."""
    return CheckReport(
        name=REGISTRATIONS_CHECK,
        head_sha=comparison.head_sha,
        identity=subject.identity,
        conclusion=conclusion(comparison, subject.fail_on),
        title=title(comparison),
        summary=summary(comparison, subject.links),
        annotations=pull_notes(comparison),
        buttons=(REEVALUATE,),
    )


def conclusion(comparison: Comparison, fail_on: Literal["never", "timeout"]) -> CheckConclusion:
    """Failure only for a configuration that cannot be used, and where wanted for a limit that kills."""
    if comparison.empty:
        return CheckConclusion.SKIPPED
    if comparison.config or (fail_on == "timeout" and any(one.kills for one in comparison.compared)):
        return CheckConclusion.FAILURE
    wrong = any(_worth_a_look(one) for one in comparison.compared)
    return CheckConclusion.NEUTRAL if wrong or comparison.refused or comparison.unusable else CheckConclusion.SUCCESS


def title(comparison: Comparison) -> str:
    """One line of plain text."""
    if comparison.empty:
        return "No registration is added or changed."
    if comparison.unusable:
        return "Nothing could be compared."
    parts = [plural(len(comparison.compared), "registration")] if comparison.compared else []
    parts += [f"{count} {what}" for what, count in _counts(comparison) if count]
    if comparison.config:
        parts.append(f"{CONFIG_PATH}: {plural(len(comparison.config), 'problem')}")
    elif comparison.config is not None:
        parts.append(f"{CONFIG_PATH} is valid")
    return "; ".join(parts) + "." if parts else "Only disabled registrations are added or changed."


def summary(comparison: Comparison, links: Links, limit: int = CHECK_FIELD_LIMIT) -> str:
    """The summary as Markdown, at most `limit` bytes: whole rows are left out and counted."""
    if comparison.empty:
        return _NOTHING
    blocks = (*_configuration(comparison), *_unusable(comparison), *_table(comparison, links), *_refused(comparison))
    return assemble((*blocks, Block(_footing(comparison))), limit)


def _counts(comparison: Comparison) -> tuple[tuple[str, int], ...]:
    decisions = [one.decision for one in comparison.compared]
    kept = [one for one in decisions if isinstance(one, Keep)]
    return (
        ("with a limit that kills a known pass", sum(one.kills for one in comparison.compared)),
        ("off", sum(isinstance(one, Proposal) or one.reason in OFF_ALL_THE_SAME for one in decisions)),
        ("not measured", sum(one.reason in (KeepReason.NO_SAMPLE, KeepReason.NEEDS_PERSON) for one in kept)),
        ("with unknown labels", sum(bool(one.unknown_labels) for one in comparison.compared)),
        (
            "not editable",
            sum(one.reason is KeepReason.CANNOT_EDIT for one in kept) + len(comparison.refused),
        ),
    )


def _worth_a_look(one: Compared) -> bool:
    return any(remark.level is not AnnotationLevel.NOTICE for remark in remarks_on(one))


def _configuration(comparison: Comparison) -> tuple[Block, ...]:
    if comparison.config is None:
        return ()
    if not comparison.config:
        return (Block(f"`{CONFIG_PATH}` is valid.\n\n"),)
    rows = tuple(
        f"- Line {one.line}: {f'{code(one.key)}: ' if one.key else ''}{prose(one.message)}\n"
        for one in comparison.config
    )
    return (Block(f"`{CONFIG_PATH}` cannot be used:\n\n", rows, "\n"),)


def _unusable(comparison: Comparison) -> tuple[Block, ...]:
    return (Block(f"Nothing was compared: {prose(comparison.unusable)}\n\n"),) if comparison.unusable else ()


def _table(comparison: Comparison, links: Links) -> tuple[Block, ...]:
    if not comparison.compared:
        return ()
    rows = tuple(_row(one, comparison, links) for one in comparison.compared)
    return (Block(table_head(_COLUMNS), rows, "\n", "\n{n} registrations more.\n"),)


def _row(one: Compared, comparison: Comparison, links: Links) -> str:
    decision, call = one.decision, one.registration
    estimate = decision.estimate
    before = number(one.before.est_time) if one.before else "new"
    return row(
        (
            code(call.key.path),
            suite_cell(call),
            arrow(before, f"**{number(call.est_time)}**") if before != number(call.est_time) else before,
            _slowest(decision.samples, comparison, links),
            str(estimate.n) if estimate else "0",
            str(estimate.nights) if estimate else "0",
            _wanted(one),
            f"{one.limit_s} s" if one.limit_s else "-",
            _remark_cell(one),
        )
    )


def _slowest(samples: Sequence[Sample], comparison: Comparison, links: Links) -> str:
    """The slowest pass, linked to its job."""
    if not samples:
        return "-"
    worst = max(samples, key=lambda sample: sample.elapsed_s)
    name = (worst.row.run_id, worst.row.attempt)
    run = next((run for run in comparison.runs if (run.run_id, run.attempt) == name), None)
    return link(f"{worst.elapsed_s} s", links.job(run, worst.row))


def _wanted(one: Compared) -> str:
    if isinstance(one.decision, Proposal):
        return str(one.decision.after)
    if one.decision.held is not None:
        return str(one.decision.held) if one.decision.reason in OFF_ALL_THE_SAME else f"({one.decision.held})"
    return number(one.registration.est_time) if one.decision.samples else "-"


def _remark_cell(one: Compared) -> str:
    found = [remark.title for remark in remarks_on(one)]
    return "; ".join(map(prose, found)) if found else "as measured"


def _refused(comparison: Comparison) -> tuple[Block, ...]:
    rows = tuple(
        f"- {code(item.path)}, line {item.line}: {words(EDIT_REFUSAL, item.reason)}"
        f"{f' ({prose(item.detail)})' if item.detail else ''}.\n"
        for item in comparison.refused
    )
    return (Block("Calls that are left alone:\n\n", rows, "\n"),) if rows else ()


def _footing(comparison: Comparison) -> str:
    """What the comparison rests on, and what it did not look at."""
    said = []
    if comparison.compared:
        nights = len({run.run_id for run in comparison.runs})
        said.append(
            f"Compared with {plural(nights, 'night')}; a pass counts where the test file is the same but for literals."
        )
    if comparison.disabled:
        said.append(f"{plural(comparison.disabled, 'disabled registration')} not looked at.")
    if comparison.unread_files:
        said.append(f"{plural(comparison.unread_files, 'changed file')} over the bound not looked at.")
    if comparison.label_registry:
        said.append(f"Labels were not checked: {prose(comparison.label_registry)}.")
    return " ".join(said) + "\n" if said else ""
