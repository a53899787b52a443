"""How both HTTP halves go out: by the given network alone, never by the process's environment.

The one place where sessions are made, and where a connection that failed gets its name. No request is made here.
"""

from __future__ import annotations

import itertools
import re
import socket
import ssl
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import aiohttp
import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry
from yarl import URL

from bot.forge.calls import NO_ANSWER, Half, Heard, Listener, answered, unheard
from bot.network import Network

_DEEPEST = 12  # causes of one error that are looked through
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3})")


class NoAnswer(StrEnum):
    """Why nobody answered, where an operator can mend it."""

    CERTIFICATE_UNTRUSTED = "certificate_untrusted"
    PROXY_REFUSED = "proxy_refused"
    PROXY_AWAY = "proxy_away"
    HOST_UNKNOWN = "host_unknown"
    HOST_AWAY = "host_away"


_REMEDY = {
    NoAnswer.CERTIFICATE_UNTRUSTED: "give the file of the CA that signed it as RECALIBRATE_CA_FILE",
    NoAnswer.PROXY_REFUSED: "see RECALIBRATE_PROXY or HTTPS_PROXY, its name and password, and what it lets through",
    NoAnswer.PROXY_AWAY: "nobody serves at the address in RECALIBRATE_PROXY or HTTPS_PROXY",
    NoAnswer.HOST_UNKNOWN: "no such name here; see RECALIBRATE_GITHUB_URL, or is RECALIBRATE_PROXY wanted",
    NoAnswer.HOST_AWAY: "nobody serves there; see RECALIBRATE_GITHUB_URL, or is RECALIBRATE_PROXY wanted",
}


def new_session(network: Network, heard: Listener = unheard) -> aiohttp.ClientSession:
    """A session without cookies or default headers, for API calls and for logs. `heard` is told of each request."""

    async def counted(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        half = Half.READS if "authorization" in request.headers else Half.LOGS
        try:
            answer = await send(request)
        except BaseException:  # a time-out arrives as a cancellation
            heard(Heard(half, NO_ANSWER))
            raise
        heard(answered(half, answer.status, answer.headers))
        return answer

    async def by_network(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        proxy = network.proxy_for(str(request.url))
        if proxy is None:
            return await send(request)
        request.update_proxy(URL(proxy.url), None, None)
        answer = await send(request)
        if answer.status == 407:  # to a request without a tunnel the proxy answers as if it were the host
            answer.close()
            raise aiohttp.ClientHttpProxyError(answer.request_info, (), status=407)
        return answer

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=network.tls()),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, connect=15, sock_read=60),  # the whole is bounded where it is known
        middlewares=(counted, by_network),
    )


def new_wire(network: Network, retry: Retry, heard: Listener = unheard) -> requests.Session:
    """The writing half's session. `heard` is told of each request; what `retry` repeats counts once."""
    wire = _Wire(network, heard)
    wire.trust_env = False
    adapter = _Adapter(network, retry)
    wire.mount("https://", adapter)
    wire.mount("http://", adapter)
    return wire


class _Wire(requests.Session):
    """Chooses the proxy for each address, and tells of each answer."""

    def __init__(self, network: Network, heard: Listener) -> None:
        super().__init__()
        self._network = network
        self._heard = heard

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        try:
            answer = super().send(request, **kwargs)
        except requests.RequestException:
            self._heard(Heard(Half.WRITES, NO_ANSWER))
            raise
        self._heard(answered(Half.WRITES, answer.status_code, answer.headers))
        return answer

    def merge_environment_settings(self, url: str, proxies: Any, stream: Any, verify: Any, cert: Any) -> dict[str, Any]:
        settings: dict[str, Any] = super().merge_environment_settings(url, proxies, stream, verify, cert)
        proxy = self._network.proxy_for(url)
        return {**settings, "proxies": {"http": proxy.url, "https": proxy.url} if proxy else {}}


class _Adapter(HTTPAdapter):
    """Holds certificates against what the network trusts, not against a list of its own."""

    def __init__(self, network: Network, retry: Retry) -> None:
        self._network = network
        super().__init__(max_retries=retry)

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        host, _ = super().build_connection_pool_key_attributes(request, verify, cert)
        return host, {"ssl_context": self._network.tls(), "cert_reqs": "CERT_REQUIRED"}

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """A proxy that is spoken to over TLS is held against the same."""
        return super().proxy_manager_for(proxy, proxy_ssl_context=self._network.tls(), **options)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:
        """Nothing: the pool was made with its context, to which this would add another list."""


def no_answer(error: BaseException) -> str:
    """What is told of a connection that failed: a reason with its remedy, else the error's kind, never its text."""
    causes = tuple(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _told(NoAnswer.CERTIFICATE_UNTRUSTED, _verdict(cause))
        if isinstance(cause, aiohttp.ClientHttpProxyError):
            return _told(NoAnswer.PROXY_REFUSED, str(cause.status))
        refused = _TUNNEL.search(str(cause)) if isinstance(cause, OSError) else None
        if refused:
            return _told(NoAnswer.PROXY_REFUSED, refused[1])
    if any(isinstance(cause, aiohttp.ClientProxyConnectionError | requests.exceptions.ProxyError) for cause in causes):
        return _told(NoAnswer.PROXY_AWAY)
    host = next((str(cause.host) for cause in causes if isinstance(cause, aiohttp.ClientConnectorError)), "")
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return _told(NoAnswer.HOST_UNKNOWN, host)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return _told(NoAnswer.HOST_AWAY, host)
    return type(error).__name__


def _verdict(error: ssl.SSLCertVerificationError) -> str:
    """OpenSSL's words. aiohttp's error is of this class too, and has them in one that it holds."""
    return str(getattr(getattr(error, "certificate_error", error), "verify_message", ""))


def _told(reason: NoAnswer, detail: str = "") -> str:
    return f"{reason.value}{f' ({detail[:100]})' if detail else ''}: {_REMEDY[reason]}"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error, and what it was made of; urllib3 keeps that in `reason`, requests in its first argument."""
    found = [error]
    for one in itertools.islice(found, _DEEPEST):  # it grows meanwhile
        yield one
        parts = (one.__cause__, one.__context__, getattr(one, "reason", None), *one.args[:2])
        found += [part for part in parts if isinstance(part, BaseException) and part not in found]
