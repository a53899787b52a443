"""Reads `lines.txt` as its description says (`bot.publish.lines`), and writes it in one piece to compare with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.publish.lines import TITLE, CitedLog, CitedText, line_records

_ESCAPED = re.compile(r"\\(?:(\\)|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")


@dataclass(frozen=True, slots=True)
class ReadLine:
    """One cited line as it is read back."""

    roles: tuple[str, ...]
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ReadLog:
    """One log as it is read back."""

    source: str
    sha256: str
    conclusion: str
    present: bool
    lines: Mapping[int, ReadLine]


def lines_txt(logs: Sequence[CitedLog], texts: Mapping[str, Mapping[int, CitedText]]) -> bytes:
    """The whole file, undivided."""
    return b"".join((TITLE, *(line.raw for run in line_records(logs, texts) for line in run)))


def read_lines(raw: bytes) -> tuple[ReadLog, ...]:
    """What `lines.txt` says. A line of another form than the description's fails the test."""
    title, *rest = raw.decode().removesuffix("\n").split("\n")
    assert f"{title}\n".encode() == TITLE
    logs: list[ReadLog] = []
    lines: dict[int, ReadLine] = {}
    for text in rest:
        fields = text.split("\t")
        if fields[0] == "log":
            _, source, sha256, conclusion, state = fields
            assert state in ("present", "absent"), text
            lines = {}
            logs.append(ReadLog(source, sha256, _unfield(conclusion), state == "present", lines))
        else:
            number, marks, said = fields
            roles = tuple(mark for mark in marks.split(",") if mark != "cut")
            assert int(number) not in lines, text
            lines[int(number)] = ReadLine(roles, _unfield(said), "cut" in marks.split(","))
    return tuple(logs)


def _unfield(text: str) -> str:
    return _ESCAPED.sub(lambda found: found[1] or chr(int(found[2] or found[3] or found[4], 16)), text)
