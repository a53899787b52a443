"""The one template environment of the pages: escaping always on, an unknown name is an error.

Every string a template shows is escaped as HTML and, before that, has its invisible and reordering
characters spelled out (`bot.publish.visible`), so a template needs no filter for foreign text and
must not use `safe` on any. A line break is such a character too: a text of several lines is handed
over as several. Made markup (a plot) is handed over as `markupsafe.Markup`.

The pages' Content-Security-Policy takes styles from `static/pages.css` alone: a `<style>` element
or a `style=""` attribute, in a plot too, is dead. Presentation attributes (`fill="…"`) and classes
work. There is no script. What a page shows is decided elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bot.dashboard import addresses
from bot.dashboard.endings import tone
from bot.publish.visible import visible

THIN_SPACE = "\u202f"  # narrow and not breaking: between the thousands of a number


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around every page: who looks, and the token that their sign-out form sends back.

    Nobody is signed in where `login` is empty.
    """

    login: str = ""
    sign_out_token: str = ""
    operator: bool = False


def render(template: str, frame: Frame, **values: Any) -> str:
    """One whole page from `templates/<template>`.

    Raises:
        jinja2.UndefinedError: the template names a value that was not given.
    """
    return _ENVIRONMENT.get_template(template).render(frame=frame, **values)


def moment(at: datetime | None) -> Markup:
    """A time to the minute, in UTC, readable by machines too; a dash for None."""
    if at is None:
        return Markup("—")
    utc = at.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(
        utc.isoformat(timespec="seconds"), utc.strftime("%Y-%m-%d %H:%M")
    )


def whole(number: float | None) -> str:
    """A number with its thousands apart, without `.0`; a dash for None."""
    if number is None:
        return "—"
    return f"{number:,.0f}".replace(",", THIN_SPACE)


def _shown(value: object) -> object:
    """What a template puts out for a value: markup as it is, text with nothing hidden in it."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def environment(package: str) -> Environment:
    """Templates of `<package>/templates`, with everything the module's docstring says."""
    made = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {"moment": moment, "whole": whole, "tone": tone}
    made.globals |= {"address": addresses}
    return made


_ENVIRONMENT = environment("bot.dashboard")
