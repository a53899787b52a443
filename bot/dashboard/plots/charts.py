"""Charts of pygal with what all of them have in common. The only module that imports it.

What a chart shows is the caller's; how it comes into a page is `drawing.py`'s part.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from pygal import XY, Bar  # type: ignore[import-untyped]  # pygal has no types
from pygal.style import Style  # type: ignore[import-untyped]  # likewise

# pygal leaves an import hook behind, for its plug-ins of maps, of a kind that Python 3.11 warns of at later imports
sys.meta_path[:] = [hook for hook in sys.meta_path if type(hook).__module__ != "pygal"]

WIDTH = 960
_STYLE = Style(font_family="sans-serif", label_font_size=12, major_label_font_size=12, title_font_size=13)
_OPTIONS: Mapping[str, Any] = {
    "js": [],
    "style": _STYLE,
    "show_legend": False,
    "no_prefix": True,
    "explicit_size": False,
    "margin": 6,
    "margin_right": 28,
    "print_values": False,
    "truncate_label": -1,
}


def dots(height: int, **more: Any) -> Any:
    """An empty chart of dots and lines over two axes of numbers; `more` as pygal names it."""
    return XY(**_OPTIONS, width=WIDTH, height=height, **more)


def bars(height: int, places: int, **more: Any) -> Any:
    """An empty chart of bars, not wider than `places` of them need; `more` as pygal names it."""
    return Bar(**_OPTIONS, width=min(WIDTH, 180 + 90 * places), height=height, **more)
