"""What was played already and how it went: one JSON line a point or cell, in a file that a later run can go on from.

Several processes append to one file, each line with one write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

NOT_MET, PART = "not met", "a part's end"  # how something ended that is no cell


@dataclass(frozen=True)
class Verdict:
    """What was wrong at one point or cell. `how` a cell ended."""

    lost: Sequence[str] = ()
    duplicated: Sequence[str] = ()
    how: str = ""

    @property
    def good(self) -> bool:
        return not self.lost and not self.duplicated


@dataclass
class Standing:
    """Everything a ledger says. `planned`: how much there is to play in all, by part."""

    planned: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    @property
    def points(self) -> int:
        return sum(not verdict.how for verdict in self.verdicts.values())

    @property
    def cells(self) -> int:
        """Cells in which the fault had something to do."""
        return sum(verdict.how not in ("", NOT_MET, PART) for verdict in self.verdicts.values())

    @property
    def lost(self) -> list[str]:
        return [f"{name}: {what}" for name, verdict in self.verdicts.items() for what in verdict.lost]

    @property
    def duplicated(self) -> list[str]:
        return [f"{name}: {what}" for name, verdict in self.verdicts.items() for what in verdict.duplicated]


class Ledger:
    """One file of verdicts."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def plan(self, part: str, total: int) -> None:
        """Say how much a part has to play, what is done already included."""
        self._append({"part": part, "total": total})

    def note(self, name: str, verdict: Verdict) -> None:
        """Keep a verdict; a later one about the same replaces it."""
        lost, duplicated = list(verdict.lost), list(verdict.duplicated)
        self._append({"name": name, "lost": lost, "duplicated": duplicated, "how": verdict.how})

    def read(self) -> Standing:
        """What stands there now; a line that was cut off by a kill is left out."""
        standing = Standing()
        for line in self._path.read_text().splitlines() if self._path.is_file() else ():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if "part" in said:
                standing.planned[said["part"]] = said["total"]
            else:
                standing.verdicts[said["name"]] = Verdict(said["lost"], said["duplicated"], said["how"])
        return standing

    def done(self) -> set[str]:
        """What need not be played again: what was played and was good."""
        return {name for name, verdict in self.read().verdicts.items() if verdict.good}

    def _append(self, said: object) -> None:
        line = (json.dumps(said) + "\n").encode()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
