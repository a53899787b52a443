"""Estimates that stand in a YAML file of their own, read and rewritten by the bytes of their numbers.

The file is never dumped again: comments, order, quoting and blank lines are whatever they were.
Where entries stand is a form's part (`YamlForm`); which file has which form the configuration says.
An entry's key is a path as written, so that a file's entry is never matched by the time of one of
its `path::node` parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import yaml

from bot.domain import (
    Backend,
    BlobSha,
    EditRefusal,
    LiteralChange,
    RefusedCall,
    RefusedEdit,
    Registration,
    RegistrationKey,
    SourceRegistrations,
    Suite,
    TestPath,
)
from bot.edit.registrations.call_comments import says_seconds
from bot.edit.registrations.contract import CallLiterals, Example, Rewritten
from bot.edit.registrations.yaml_text import NotYaml, YamlText, comments_at, events, number, open_yaml, span
from bot.globs import never_written
from bot.repo_config.registrations import YamlRegistrations

MAX_ENTRIES = 5000


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """One estimate: the test it is for, the suite its section names ("" for none), and its number's node."""

    path: str
    suite: str
    value: yaml.Node
    disabled: str | None = None


@dataclass(frozen=True, slots=True)
class YamlExample:
    """A configured file before and after one change."""

    section: YamlRegistrations
    example: Example


class YamlForm(Protocol):
    """Where a kind of file keeps its entries."""

    EXAMPLES: tuple[YamlExample, ...]

    def entries(self, root: yaml.Node, section: YamlRegistrations) -> Iterator[YamlEntry] | None:
        """The entries below one document's root, in the order of the text; None: it has no such part."""
        ...


@dataclass(frozen=True, slots=True)
class YamlDialect:
    """One configured file of estimates; see `bot.edit.registrations.contract.RegistrationDialect`."""

    form: YamlForm
    section: YamlRegistrations

    @property
    def EXAMPLES(self) -> tuple[Example, ...]:  # noqa: N802 - a module's constant in the protocol
        """Those of the form."""
        return tuple(one.example for one in self.form.EXAMPLES)

    def mentions(self, raw: bytes) -> bool:  # noqa: ARG002 - the protocol's signature
        """A configured file is read whatever it holds, so that a missing part is reported."""
        return True

    def read(self, path: TestPath, blob: BlobSha, raw: bytes) -> SourceRegistrations:
        """Every entry of the file, and what was refused with its reason. Never raises."""
        opened = self._open(raw)
        if isinstance(opened, NotYaml):
            return SourceRegistrations(path, blob, refused=(RefusedCall(path, 0, opened.reason, opened.detail),))
        found = [self._registration(path, blob, opened, index) for index in range(len(opened.entries))]
        keys = Counter(one.key for one in found if one.active)
        twice = {key for key, times in keys.items() if times > 1}
        return SourceRegistrations(path, blob, tuple(_judged(one, path, one.key in twice) for one in found))

    def literals(self, raw: bytes) -> tuple[CallLiterals, ...]:
        """Where each entry's number stands, as byte ranges; nothing for a file that cannot be read."""
        opened = self._open(raw)
        if isinstance(opened, NotYaml):
            return ()
        offset = opened.yaml.source.byte_offsets()
        found: list[CallLiterals] = []
        for index, entry in enumerate(opened.entries):
            if isinstance(number(opened.yaml.source.text, entry.value), float):
                start, end = span(entry.value)
                found.append(CallLiterals(index, (offset(start), offset(end))))
        return tuple(found)

    def same_but_literals(self, before: bytes, after: bytes, indices: frozenset[int]) -> bool:
        """True where both are the same stream of YAML parts but for the numbers of the entries `indices`."""
        old, new = self._open(before), self._open(after)
        if isinstance(old, NotYaml) or isinstance(new, NotYaml) or len(old.entries) != len(new.entries):
            return False
        streams = [events(one.yaml.source.text, one.starts(indices)) for one in (old, new)]
        return streams[0] == streams[1]

    def rewrite(self, raw: bytes, changes: Sequence[LiteralChange]) -> Rewritten:
        """Write each new number over the old one's bytes."""
        places = {one.index: one.est_time for one in self.literals(raw)}
        done: dict[int, LiteralChange] = {}
        refused: list[RefusedEdit] = []
        for change in changes:
            reason = _refusal(change, places, done)
            if reason is not None:
                refused.append(RefusedEdit(change, reason))
            else:
                done[change.index] = change
        return Rewritten(_spliced(raw, places, done), tuple(done.values()), tuple(refused))

    def _open(self, raw: bytes) -> _Opened | NotYaml:
        opened = open_yaml(raw)
        if isinstance(opened, NotYaml):
            return opened
        parts = [self.form.entries(root, self.section) for root in opened.roots]
        if all(part is None for part in parts):
            return NotYaml(EditRefusal.SECTION_MISSING, self.section.key or self.section.list)
        entries = [entry for part in parts if part is not None for entry in part]
        if len(entries) > MAX_ENTRIES:
            return NotYaml(EditRefusal.FILE_TOO_LARGE, f"{len(entries)} entries")
        return _Opened(opened, tuple(sorted(entries, key=lambda entry: span(entry.value))))

    def _registration(self, path: TestPath, blob: BlobSha, opened: _Opened, index: int) -> Registration:
        entry, lines = opened.entries[index], opened.yaml.lines
        start, end = span(entry.value)
        line = lines.line_of(start)
        value = number(lines.text, entry.value)
        return Registration(
            key=RegistrationKey(
                TestPath(entry.path), Backend(self.section.backend), Suite(entry.suite or self.section.suite)
            ),
            blob=blob,
            index=index,
            line=line,
            end_line=line,
            est_line=line,
            est_time=value if isinstance(value, float) else 0.0,
            est_text=lines.text[start:end][:200],
            labels=None,
            disabled=entry.disabled,
            source=path,
            est_refusal=None if isinstance(value, float) else value,
            label_refusal=EditRefusal.NO_LABEL_LIST,
            comment_mentions_seconds=says_seconds(comments_at(lines, line, end)),
        )


@dataclass(frozen=True, slots=True)
class _Opened:
    yaml: YamlText
    entries: tuple[YamlEntry, ...]

    def starts(self, indices: frozenset[int]) -> frozenset[int]:
        """The character offsets of some entries' numbers."""
        return frozenset(span(self.entries[index].value)[0] for index in indices if index < len(self.entries))


def _judged(one: Registration, path: TestPath, twice: bool) -> Registration:  # noqa: FBT001 - a fact, no switch
    reason = EditRefusal.PROTECTED_PATH if never_written(path) else EditRefusal.AMBIGUOUS_KEY if twice else None
    return replace(one, est_refusal=one.est_refusal or reason)


def _refusal(
    change: LiteralChange, places: dict[int, tuple[int, int] | None], done: dict[int, LiteralChange]
) -> EditRefusal | None:
    if change.labels is not None:
        return EditRefusal.NO_LABEL_LIST
    if change.index in done or places.get(change.index) is None:
        return EditRefusal.EDIT_CHECK_FAILED
    return None


def _spliced(raw: bytes, places: dict[int, tuple[int, int] | None], done: dict[int, LiteralChange]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for index in sorted(done):
        place, value = places[index], done[index].est_time
        if place is not None and value is not None:
            pieces += [raw[position : place[0]], b"%d" % value]
            position = place[1]
    return b"".join([*pieces, raw[position:]])
