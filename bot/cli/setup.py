"""`recalibrate setup`: makes the App on GitHub, and keeps its secrets. The pages on the way are `bot.setup`'s part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.forge.endpoint import Endpoint, checked_owner
from bot.network import Network
from bot.page_settings import base_url
from bot.setup.keeping import Folder, Keeper, Printed
from bot.setup.server import Place, set_up
from bot.setup.wish import Wish

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SetupOptions:
    """What was asked for. `out` None: the secrets are printed."""

    url: str
    github: str
    organization: str
    name: str
    out: Path | None
    overwrites: bool
    place: Place


async def setup(options: SetupOptions, network: Network, tell: Say, say: Say) -> None:
    """Lead a person through it. `tell` gets what a person reads, `say` nothing but printed secrets.

    Raises:
        UserError: an option is wrong, or no App was made.
    """
    if options.organization:
        checked_owner(options.organization)
    endpoint = Endpoint.of(options.github, network)
    wish = Wish(endpoint, base_url(options.url, "--url"), options.organization, options.name)
    keeper: Keeper = Printed(say) if options.out is None else Folder(options.out.absolute(), options.overwrites)

    def invite(address: str, code: str) -> None:
        minutes = f"{options.place.total_s / 60:.0f} minutes"
        tell(f"open {address} in a browser on this machine, and enter the code {code}")
        tell(f"it serves once, and for {minutes}; nothing is made before you agree on GitHub's page")

    done = await set_up(wish, keeper, options.place, invite)
    tell(f"the App {done.app.slug}, id {done.app.app_id}, is made. {keeper}")
    tell(f"install it: {done.app.install_url}")
    tell(f"then: {done.command}")
