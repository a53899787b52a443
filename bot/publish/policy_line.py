"""The policy of a report in one line that says what it does, not what its settings are called.

The settings as they are named stand in the manifest. What a guard rail checks is the calibration stage's part.
"""

from __future__ import annotations

from bot.domain import PolicyStamp
from bot.publish.markdown import code, plural

_SHOWN = 20

# A guard rail's name, and what it does to a value that the measurements alone would propose.
GUARDS_SAID = {
    "human_value": "a person's newer value stays",
    "declined": "a declined value stays declined",
    "nights": "",  # said with the nights
    "partial": "no lower while a log is lost",
    "collapse": "a doubtful pass waits for a second one",
    "hosts": "a lower needs enough runners",
    "drop": "a large drop waits for more nights",
    "timeout": "no lower after a timeout",
    "limit": "no limit below a known pass",
    "mass_change": "a suite that moved as a whole is asked about",
}


def policy_line(policy: PolicyStamp) -> str:
    """The policy's name, then its parts, without a full stop. What is not known to this module stays `name=value`."""
    given = {name: value for name, value in sorted(policy.parameters.items()) if value != ""}
    parts = [said for said in (_method(given), _nights(given), _limits(given), _material(given)) if said]
    parts += [said for said in _guards(given)[:_SHOWN] if said]
    parts += [code(f"{name}={value}", 80) for name, value in list(given.items())[:_SHOWN]]
    return code(policy.name) + (f": {'; '.join(parts)}" if parts else "")


def _method(given: dict[str, str | int | float]) -> str:
    method, nights, days = given.pop("method", ""), given.pop("window_nights", 0), given.pop("window_days", 0)
    newest = int(given.pop("newest_nights", 0))
    window = f" of a test's newest {plural(newest, 'night')}" if newest else ""
    window += f", looking back at most {plural(int(nights), 'night')}" if nights else ""
    window += f" and {plural(int(days), 'day')}" if nights and days else ""
    return f"{code(str(method), 80)}{window}" if method else ""


def _nights(given: dict[str, str | int | float]) -> str:
    needed = given.pop("nights_raise", None), given.pop("nights_lower", None)
    if None in needed:
        return ""
    return f"a raise needs {plural(int(needed[0] or 0), 'night')}, a lower {needed[1]}"


def _limits(given: dict[str, str | int | float]) -> str:
    floor, factor = given.pop("timeout_floor_s", None), given.pop("timeout_factor", None)
    if floor is None or factor is None:
        return ""
    limit = code(f"max({floor}, int(est_time * {factor}))", 80)
    own = given.pop("timeout_floors", "")
    return f"a test is stopped after {limit} s" + (f", with other floors for {code(str(own), 80)}" if own else "")


def _guards(given: dict[str, str | int | float]) -> list[str]:
    """What each guard rail does; a known pass may bind for some nights only."""
    binding = int(given.pop("binding_nights", 0))
    said = [GUARDS_SAID.get(name, code(name, 80)) for name in str(given.pop("guards", "")).split(", ") if name]
    limit = GUARDS_SAID["limit"]
    return [f"{one} of the newest {plural(binding, 'night')}" if binding and one == limit else one for one in said]


def _material(given: dict[str, str | int | float]) -> str:
    return "only what matters to its suite is changed" if given.pop("material", None) == "on" else ""
