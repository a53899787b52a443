"""How long a test waits for what should come soon: as long only where others use the machine, or in vain."""

from __future__ import annotations

PATIENCE_S = 180.0
