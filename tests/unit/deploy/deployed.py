"""What the deployment tests read: the files, and what the program has for them to name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from bot.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
DOCUMENTED = frozenset(
    re.findall(r"`(RECALIBRATE_[A-Z_]+)`", (ROOT / "docs" / "operation.md").read_text(encoding="utf-8"))
)
IMAGE_USER = 10001


def documents(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


def is_setting(name: str) -> bool:
    """Documented, by itself or as the `_FILE` of a documented one."""
    return name in DOCUMENTED or name.removesuffix("_FILE") in DOCUMENTED


def accepted(arguments: list[str]) -> bool:
    """Whether the command line takes these words."""
    try:
        main([*arguments, "--help"])
    except SystemExit as ended:
        return ended.code == 0
    return False
