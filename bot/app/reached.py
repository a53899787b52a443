"""The GitHub that the settings name. Nothing is asked of it here."""

from __future__ import annotations

from bot.environment import naming
from bot.forge.endpoint import Endpoint
from bot.network import Network


def named_github(url: str, network: Network) -> Endpoint:
    """Where `RECALIBRATE_GITHUB_URL` is served.

    Raises:
        UserError: it is no GitHub's address; the message names the variable.
    """
    with naming("GITHUB_URL"):
        return Endpoint.of(url, network)
