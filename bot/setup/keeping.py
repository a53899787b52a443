"""Where a made App's secrets go: files that only their owner can read, or one JSON object for a secret store.

Both are in the shape that `bot.settings` reads. Nothing is shown in a browser or a log.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import stat
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.environment import PREFIX
from bot.errors import UserError
from bot.forge.manifests import MadeApp
from bot.page_settings import KEY_BYTES
from bot.page_settings import PREFIX as PAGES
from bot.setup.wish import Wish

ENV_FILE = "recalibrate.env"
USUAL_GITHUB = "https://github.com"
_PRIVATE = 0o600
_CLOSED = 0o700


class Keeper(Protocol):
    """Takes the secrets of an App."""

    def ready(self) -> None:
        """Find out beforehand what would go wrong; raises UserError."""
        ...

    def keep(self, app: MadeApp, wish: Wish) -> str:
        """Take them, and give the command to run next. Raises UserError where it cannot."""
        ...


def _secrets(app: MadeApp) -> Mapping[str, str]:
    """By the setting that each one is, PREFIX left out."""
    return {
        "PRIVATE_KEY": app.private_key.reveal(),
        "WEBHOOK_SECRET": app.webhook_secret.reveal(),
        "PAGES_CLIENT_SECRET": app.client_secret.reveal(),
        "PAGES_KEY": b64encode(secrets.token_bytes(KEY_BYTES)).decode(),
    }


def _plain(app: MadeApp, wish: Wish) -> Mapping[str, str]:
    """Settings that are no secrets."""
    elsewhere = {} if wish.endpoint.web == USUAL_GITHUB else {"GITHUB_URL": wish.endpoint.web}
    return {"APP_ID": str(app.app_id), **elsewhere, "PAGES_CLIENT_ID": app.client_id, "PAGES_URL": wish.url}


@dataclass(frozen=True, slots=True)
class Printed:
    """One JSON object, setting by setting, to whatever stands behind a pipe.

    What the pages need is an object within it, under `pages`: they are off until somebody turns them on.
    """

    write: Callable[[str], None]

    def __str__(self) -> str:
        return "Its secrets were printed."

    def ready(self) -> None:
        """Nothing can be in the way."""

    def keep(self, app: MadeApp, wish: Wish) -> str:
        """Print them.

        Raises:
            UserError: nobody reads them.
        """
        values = {PREFIX + name: value for name, value in {**_plain(app, wish), **_secrets(app)}.items()}
        pages = {name: value for name, value in values.items() if name.startswith(PAGES)}
        ours = {name: value for name, value in values.items() if name not in pages}
        try:
            self.write(json.dumps({**ours, "pages": pages}, indent=2))
        except OSError as error:
            raise UserError(f"standard output: {error.strerror}") from None
        return "recalibrate serve"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of mode 0700 with a file of mode 0600 for each secret, and one of settings that names them.

    What is there is never overwritten, unless `overwrites` says so.
    """

    path: Path
    overwrites: bool = False

    def __str__(self) -> str:
        return f"Its secrets are in {self.path}."

    def ready(self) -> None:
        """Make the folder, and see that its files can be made.

        Raises:
            UserError: it cannot be made, others may look into it, or it has one of the files already.
        """
        try:
            self.path.mkdir(mode=_CLOSED, parents=True, exist_ok=True)
            mode = stat.S_IMODE(self.path.stat().st_mode)
            there = [name for name in (*_FILES.values(), ENV_FILE) if os.path.lexists(self.path / name)]
            trial = self.path / f".{secrets.token_hex(8)}"
            self._place(self._part(trial.name, b""), trial.name)
            trial.unlink()
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}; give another --out") from None
        if mode & 0o077:
            raise UserError(f"{self.path}: others may look into it; chmod 700 it, or give another --out")
        if there and not self.overwrites:
            raise UserError(f"{self.path}: has {', '.join(there)} already; give another --out, or --replace")

    def keep(self, app: MadeApp, wish: Wish) -> str:
        """Write them, the file of settings last.

        Raises:
            UserError: a file could not be written, or came to be there meanwhile.
        """
        kept = _secrets(app)
        settings = {**_plain(app, wish), **{f"{name}_FILE": str(self.path / _FILES[name]) for name in kept}}
        files = {_FILES[name]: value for name, value in kept.items()} | {ENV_FILE: _lines(settings)}
        try:
            for name, text in files.items():
                self._place(self._part(name, text.encode()), name)
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from None
        return f"set -a; . {shlex.quote(str(self.path / ENV_FILE))}; set +a; recalibrate serve"

    def _part(self, name: str, content: bytes) -> Path:
        """A file beside its place, whole, and readable by its owner alone from the first byte on."""
        part = self.path / f".{name}.{secrets.token_hex(8)}"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            part.unlink(missing_ok=True)
            raise
        return part

    def _place(self, part: Path, name: str) -> None:
        """Put it in its place at once; a file that came to be there meanwhile stays what it is."""
        try:
            if self.overwrites:
                part.replace(self.path / name)
            else:
                (self.path / name).hardlink_to(part)
        finally:
            part.unlink(missing_ok=True)


_FILES = {
    "PRIVATE_KEY": "private-key",
    "WEBHOOK_SECRET": "webhook-secret",
    "PAGES_CLIENT_SECRET": "pages-client-secret",
    "PAGES_KEY": "pages-key",
}


def _lines(settings: Mapping[str, str]) -> str:
    """For a shell, systemd's EnvironmentFile or a container's: what the pages need is there and off."""
    first = "# The service's settings, as `recalibrate setup` made them. All of them: docs/operation.md.\n"
    pages = "# The pages are off until these lines are on:\n"
    lines = {name: f"{PREFIX}{name}={shlex.quote(value)}\n" for name, value in settings.items()}
    ours = "".join(line for line in lines.values() if not line.startswith(PAGES))
    theirs = "".join(f"#{line}" for line in lines.values() if line.startswith(PAGES))
    return first + ours + pages + theirs
