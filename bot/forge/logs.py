"""One job log from GitHub to disk: streamed, measured, bounded, and never half-written.

A log's address is a signed link to another host, valid for one minute; it is fetched without a
credential. Nothing here reads what a log says.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import aiohttp

from bot.forge.answers import BusyError
from bot.forge.transport import no_answer

_CHUNK = 1 << 18


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much and how long. `links` counts the signed links asked for before giving up."""

    max_bytes: int = 1 << 30
    total_s: float = 900.0
    links: int = 3


DEFAULT_LIMITS = LogLimits()


@dataclass(frozen=True, slots=True)
class Measured:
    """A complete log on disk. `lines` counts LF bytes."""

    path: Path
    sha256: str
    size: int
    lines: int


class LogTooLargeError(Exception):
    """The log has more bytes than the limits allow."""


class LogGoneError(Exception):
    """The signed link leads nowhere: the log was deleted."""


async def fetch(
    session: aiohttp.ClientSession,
    link: Callable[[], Awaitable[str]],
    target: Path,
    limits: LogLimits = DEFAULT_LIMITS,
) -> Measured:
    """Stream a log to `target`, which appears only when it is complete.

    `link` gives a fresh signed link; it is called again where one has expired or the connection
    broke. What `link` raises is passed on.

    Raises:
        LogGoneError: the link's host has no such log.
        LogTooLargeError: it is larger than `limits.max_bytes`.
        BusyError: the log's host did not deliver it in time.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    reason = ""
    for _ in range(limits.links):
        address = await link()
        try:
            async with asyncio.timeout(limits.total_s):
                return await _stream(session, address, target, limits.max_bytes)
        except _ExpiredError:
            reason = "the link had expired"
        except (aiohttp.ClientError, TimeoutError) as error:
            reason = no_answer(error)
    raise BusyError(f"a job log could not be downloaded: {reason}")


def measure(path: Path) -> Measured:
    """Measure a log that is on disk already."""
    sink = _Measure()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sink.add(chunk)
    return sink.result(path)


class _ExpiredError(Exception):
    """The link is no longer, or not yet, valid: another one may be."""


async def _stream(session: aiohttp.ClientSession, address: str, target: Path, max_bytes: int) -> Measured:
    async with session.get(address, allow_redirects=False) as response:
        if response.status in (404, 410):
            raise LogGoneError
        if response.status != 200:  # Azure answers an expired signature with 403
            raise _ExpiredError
        with _PartFile(target) as part:
            async for chunk in response.content.iter_chunked(_CHUNK):
                part.write(chunk)
                if part.measure.size > max_bytes:
                    raise LogTooLargeError
            return part.complete()


class _Measure:
    """SHA-256, size and LF count of bytes that go by."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self.size = 0
        self._lines = 0

    def add(self, chunk: bytes) -> None:
        self._sha256.update(chunk)
        self.size += len(chunk)
        self._lines += chunk.count(b"\n")

    def result(self, path: Path) -> Measured:
        return Measured(path, self._sha256.hexdigest(), self.size, self._lines)


class _PartFile:
    """`target.part` while it grows; renamed by `complete`, removed otherwise."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._part = target.with_name(target.name + ".part")
        self._file: BinaryIO = self._part.open("wb")
        self.measure = _Measure()

    def __enter__(self) -> _PartFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self.measure.add(chunk)

    def complete(self) -> Measured:
        self._file.close()
        self._part.replace(self._target)
        return self.measure.result(self._target)
