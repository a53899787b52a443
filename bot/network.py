"""How requests leave this machine: through which proxy, and which certificates are trusted. Sends nothing.

The environment is read in `bot.settings`; both HTTP halves of `bot.forge` go by these values.
"""

from __future__ import annotations

import ipaddress
import ssl
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed has it for macOS only

from bot.errors import UserError

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy. `url` may hold a name and a password, so only `address` is ever told."""

    url: str = field(repr=False)
    address: str  # scheme://host:port

    @classmethod
    def of(cls, url: str, named: str) -> Proxy:
        """The proxy at `http://[NAME:PASSWORD@]HOST[:PORT]`; `named` is the variable that gave it.

        Raises:
            UserError: it is no such address. The message does not show it.
        """
        full = url if "://" in url else f"http://{url}"
        try:
            parts = urlsplit(full)
            usual = _DEFAULT_PORTS[parts.scheme]
            port = parts.port or usual
        except (ValueError, KeyError):
            raise _no_proxy_address(named) from None
        if not parts.hostname or parts.path not in ("", "/") or parts.query or parts.fragment:
            raise _no_proxy_address(named)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        return cls(full, f"{parts.scheme}://{host}:{port}")


def _no_proxy_address(named: str) -> UserError:
    return UserError(f"{named}: not a proxy's address; give http://HOST:PORT or https://HOST:PORT")


@dataclass(frozen=True, slots=True)
class Network:
    """The way out. `without` is NO_PROXY's list of hosts; `ca_file`, in PEM, is trusted besides the machine's own."""

    https: Proxy | None = None
    http: Proxy | None = None
    without: str = ""
    ca_file: str = ""

    def proxy_for(self, url: str) -> Proxy | None:
        """The proxy for an address, None for one that is reached directly. Loopback always is."""
        parts = urlsplit(url)
        proxy = self.https if parts.scheme == "https" else self.http
        host = parts.hostname or ""
        if proxy is None or is_loopback(host) or _is_listed(host, parts.port, self.without):
            return None
        return proxy

    def tls(self) -> ssl.SSLContext:
        """What a server's certificate is held against."""
        return _trusting(self.ca_file)

    def way_to(self, url: str) -> str:
        """How an address is reached, for a person to read: no name and no password in it."""
        proxy = self.proxy_for(url)
        way = f"through {proxy.address}" if proxy else "directly"
        return f"{way}, trusting {self.ca_file} too" if self.ca_file else way


DIRECT = Network()


def trusted(ca_file: str, named: str) -> str:
    """The path itself, after its certificates were read; `named` is the variable that gave it.

    Raises:
        UserError: it cannot be read, or holds no certificate.
    """
    try:
        _trusting(ca_file)
    except ssl.SSLError:
        raise UserError(f"{named}: {ca_file}: no certificate in PEM; give the CA's certificate") from None
    except OSError as error:
        raise UserError(f"{named}: {ca_file}: cannot be read: {type(error).__name__}") from None
    return ca_file


@lru_cache(maxsize=4)
def _trusting(ca_file: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context


def is_loopback(host: str) -> bool:
    """True for a name or address of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_listed(host: str, port: int | None, without: str) -> bool:
    """NO_PROXY as curl and others read it: names with what is below them, `*`, host:port, and networks."""
    if without.strip() == "*" or _in_networks(host, without):
        return True
    return bool(proxy_bypass_environment(f"{host}:{port}" if port else host, {"no": without}))


def _in_networks(host: str, without: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    for text in without.split(","):
        try:
            if address in ipaddress.ip_network(text.strip(), strict=False):
                return True
        except ValueError:
            continue
    return False
