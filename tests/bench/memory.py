"""Resident memory of processes at its highest, as the kernel counted it. Linux only; knows no measurement."""

from __future__ import annotations

from pathlib import Path


def high_water_mb(pid: int | None = None) -> float:
    """The peak of one process alone, in MB; None: this one. (`ru_maxrss` starts at that of the parent.)"""
    status = Path(f"/proc/{pid or 'self'}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def workers_of(pid: int) -> list[int]:
    """The processes that a process has started and not ended."""
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
