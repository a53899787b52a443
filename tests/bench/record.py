"""What one run of the bench found, as values and as the JSON that the page is made from."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from tests.bench.calls import Asked
from tests.bench.growth import Growth
from tests.bench.rewriting import Contender
from tests.bench.scale import Large


@dataclass(frozen=True, slots=True)
class Machine:
    """What it was measured on. `load` is how many programs wanted a core at the end, ours with the others."""

    processor: str
    cores: int
    memory_gb: int
    python: str
    load: float


@dataclass(frozen=True, slots=True)
class Record:
    """Everything of one run. `figures` holds single numbers by name; a part that was left out is empty."""

    machine: Machine
    figures: dict[str, float] = field(default_factory=dict)
    calls: tuple[Asked, ...] = ()
    editing: tuple[Contender, ...] = ()
    reading: tuple[Contender, ...] = ()
    growth: tuple[Growth, ...] = ()
    large: Large | None = None


JSON = TypeAdapter(Record)


def this_machine() -> Machine:
    """The present machine, as Linux describes it."""
    about = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    named = next((line.partition(":")[2].strip() for line in about if line.startswith("model name")), "")
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        named or platform.machine(),
        os.cpu_count() or 1,
        round(size / 2**30),
        platform.python_version(),
        round(os.getloadavg()[1], 1),
    )


def read(path: Path) -> Record:
    """The record that a run has written."""
    return JSON.validate_json(path.read_bytes())


def write(record: Record, path: Path) -> None:
    """Write it, the same bytes for the same record."""
    path.write_bytes(JSON.dump_json(record, indent=1) + b"\n")
