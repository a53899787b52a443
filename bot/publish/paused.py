"""A paused pull request says so: a sentence inside our part of its body, put there and taken away. Pure.

It stands between invisible comments behind the line of our marker, so that nothing a person wrote
is touched; a body that is written anew loses it by itself.
"""

from __future__ import annotations

import re

_START, _END = "<!-- recalibrate paused -->", "<!-- /recalibrate paused -->"
_NOTICE = re.compile(re.escape(_START) + r"\n[^\n]{0,2000}\n" + re.escape(_END) + r"\n\n?")
SAID = (
    "> **Paused.** Nights are still measured, and this pull request is not updated. The comment "
    "`/recalibrate resume` starts it again."
)


def with_pause(body: str, marker: str) -> str:
    """The body saying that it is paused; one without our marker is not ours and stays."""
    text = without_pause(body)
    if marker not in text:
        return body
    return text.replace(marker, f"{marker}\n{_START}\n{SAID}\n{_END}\n", 1)


def without_pause(body: str) -> str:
    """The body without that sentence."""
    return _NOTICE.sub("", body.replace("\r\n", "\n"))
