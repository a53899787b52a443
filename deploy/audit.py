"""Holds every pinned package against the published advisories: `audit.py PIP_AUDIT REQUIREMENTS…`.

The pins are read as they are; nothing is resolved or installed. Exit 0: none is known to be vulnerable, or
no advisory source could be reached (which is said; with AUDIT_STRICT=1 it is 3); 1: one is; 2: the pins
cannot be read.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_TIMEOUT_S = 600
_UNREACHABLE = re.compile(r"ConnectionError|Connection|ServiceError|timed out|Max retries|ProxyError|HTTPError|resolve")


def main(pip_audit: str, requirements: list[str]) -> int:
    """Ask pip-audit about each file, and say what it found."""
    with tempfile.TemporaryDirectory() as folder:
        return max((_audit(pip_audit, name, Path(folder) / "found.json") for name in requirements), default=2)


def _audit(pip_audit: str, name: str, answer: Path) -> int:
    answer.unlink(missing_ok=True)
    command = [pip_audit, "--disable-pip", "--require-hashes", "--progress-spinner=off", "--timeout=15"]
    try:
        ran = subprocess.run(  # noqa: S603 - the pinned tool, on our own files
            [*command, "--format=json", f"--output={answer}", f"--requirement={name}"],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _unreachable(name, f"no answer within {_TIMEOUT_S} s")
    if answer.exists():
        return _told(name, json.loads(answer.read_text(encoding="utf-8")))
    words = ran.stderr.strip().splitlines() or [f"exit status {ran.returncode}"]
    if _UNREACHABLE.search(ran.stderr):
        return _unreachable(name, words[-1].partition(":")[0][:200])
    print(f"audit: {name}: {words[-1][:500]}")
    return 2


def _told(name: str, found: dict[str, list[dict[str, object]]]) -> int:
    packages = found.get("dependencies", [])
    vulnerable = [one for one in packages if one.get("vulns")]
    for one in vulnerable:
        ids = ", ".join(str(known["id"]) for known in one["vulns"])  # type: ignore[attr-defined]
        print(f"audit: {name}: {one['name']} {one['version']}: {ids}")
    print(f"audit: {name}: {len(packages)} packages checked, {len(vulnerable)} with known vulnerabilities")
    return 1 if vulnerable else 0


def _unreachable(name: str, why: str) -> int:
    print(f"audit: {name}: NOT CHECKED, no advisory source is reachable ({why})")
    return 3 if os.environ.get("AUDIT_STRICT") == "1" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
