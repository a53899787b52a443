"""What is wished for: the manifest of the App, and the address of GitHub's page that takes it. Values only."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from bot.dashboard.addresses import SIGNED_IN
from bot.forge.endpoint import Endpoint
from bot.forge.needs import EVENTS, PERMISSIONS

LONGEST_NAME = 34  # GitHub's limit for an App's name


@dataclass(frozen=True, slots=True)
class Wish:
    """Which App, on which GitHub, whose ("": the person's own), for the service whose scheme and host are `url`."""

    endpoint: Endpoint
    url: str
    organization: str = ""
    name: str = ""

    @property
    def proposed_name(self) -> str:
        """The given one, else one that nobody else is likely to have: GitHub wants names that are unique everywhere."""
        whose = self.organization or (urlsplit(self.url).hostname or "").removeprefix("recalibrate.")
        return (self.name or f"recalibrate-{whose}")[:LONGEST_NAME]

    def manifest(self, back: str) -> str:
        """The manifest as JSON; `back` is where GitHub sends the browser with the code.

        docs.github.com, "Registering a GitHub App from a manifest". The App asks for what is needed and nothing else.
        """
        return json.dumps(
            {
                "name": self.proposed_name,
                "url": self.url,
                "hook_attributes": {"url": f"{self.url}/webhook", "active": True},
                "redirect_url": back,
                "callback_urls": [f"{self.url}{SIGNED_IN}"],
                "public": False,
                "default_permissions": dict(PERMISSIONS),
                "default_events": list(EVENTS),
            }
        )

    def address(self, state: str) -> str:
        """GitHub's page for it."""
        owner = f"/organizations/{self.organization}" if self.organization else ""
        return f"{self.endpoint.web}{owner}/settings/apps/new?{urlencode({'state': state})}"
