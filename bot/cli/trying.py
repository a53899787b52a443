"""Pages of a service beside the local GitHub: the App there is told where they are, the service what they need.

For `recalibrate demo`, `recalibrate sandbox` and the tests; real settings come from the environment (`bot.settings`).
"""

from __future__ import annotations

import secrets

from bot.dashboard import addresses
from bot.page_settings import KEY_BYTES, PageSettings
from bot.sandbox.state.accounts import App


def pages_at(url: str, app: App, operator: int) -> PageSettings:
    """Settings of pages at `url` (scheme and host) with an operator's account; the App's callback is set to them."""
    app.callback_url = url + addresses.SIGNED_IN
    key = secrets.token_bytes(KEY_BYTES)
    return PageSettings(app.client_id, app.client_secret, url, key, frozenset({operator}))
