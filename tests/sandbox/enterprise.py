"""A company's network in front of the local GitHub: names only a proxy can reach, TLS by a CA of its own."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from bot.sandbox.state.world import World

GITHUB, LOGS = "github.corp.example", "logs.corp.example"
USER, PASSWORD = "robot", "planted-p@ss-9"
_LONGEST_HEAD = 64 * 1024


@dataclass(frozen=True)
class Authority:
    """A CA made for one test: its certificate, and one that it signed for the names behind the proxy."""

    ca_file: Path
    server: ssl.SSLContext

    @classmethod
    def made(cls, folder: Path, *names: str) -> Authority:
        key, name = ec.generate_private_key(ec.SECP256R1()), _named("Corp CA")
        ca = _certificate(name, name, key, key, [x509.BasicConstraints(ca=True, path_length=0)])
        own = ec.generate_private_key(ec.SECP256R1())
        here = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        alternatives = x509.SubjectAlternativeName([*(x509.DNSName(one) for one in names), here])
        leaf = _certificate(_named(names[0]), name, own, key, [alternatives])
        (folder / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
        (folder / "leaf.pem").write_bytes(leaf.public_bytes(serialization.Encoding.PEM) + _private(own))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "leaf.pem")
        return cls(folder / "ca.pem", context)


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signing: ec.EllipticCurvePrivateKey,
    extensions: list[x509.ExtensionType],
) -> x509.Certificate:
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(hours=1))
    for one in extensions:
        made = made.add_extension(one, critical=isinstance(one, x509.BasicConstraints))
    return made.sign(signing, hashes.SHA256())


async def _flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, copy: bytearray | None = None) -> None:
    try:
        while data := await reader.read(65536):
            if copy is not None:
                copy += data
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


@dataclass
class Front:
    """TLS, or plain bytes, in front of a port of this machine. `heard` is what clients said."""

    port: int
    heard: bytearray = field(default_factory=bytearray)
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.port)
        await asyncio.gather(_flow(reader, inner_writer, self.heard), _flow(inner_reader, writer))


@dataclass
class SmallProxy:
    """A forward proxy: CONNECT and absolute-form. It alone knows where names lead."""

    routes: dict[str, int]
    credentials: str = ""  # name:password it asks for
    asked: list[str] = field(default_factory=list)  # what it was asked for, granted or not
    granted: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n"))[:_LONGEST_HEAD]
        except asyncio.IncompleteReadError:
            writer.close()
            return
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        self.asked.append(f"{method} {target}")
        port = self.routes.get(target if method == "CONNECT" else urlsplit(target).netloc)
        if self.credentials and base64.b64encode(self.credentials.encode()) not in head:
            await self._refuse(writer, b"407 Proxy Authentication Required")
        elif port is None:
            await self._refuse(writer, b"502 Bad Gateway")
        else:
            self.granted += 1
            await self._lead(reader, writer, port, b"" if method == "CONNECT" else _origin_form(head))

    async def _refuse(self, writer: asyncio.StreamWriter, status: bytes) -> None:
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, first: bytes) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        if first:
            inner_writer.write(first)
        else:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_flow(reader, inner_writer), _flow(inner_reader, writer))


def _origin_form(head: bytes) -> bytes:
    line, rest = head.split(b"\r\n", 1)
    method, target, version = line.decode().split(" ")
    parts = urlsplit(target)
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    kept = [one for one in rest.split(b"\r\n") if one and not one.lower().startswith((b"proxy-", b"connection:"))]
    return f"{method} {path} {version}\r\n".encode() + b"\r\n".join([*kept, b"Connection: close", b"", b""])


@asynccontextmanager
async def listening(serve: Front | SmallProxy, server: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """One of them on a port of its own."""
    made = await asyncio.start_server(serve.serve, "127.0.0.1", 0, ssl=server)
    try:
        yield made.sockets[0].getsockname()[1]
    finally:
        made.close()


@dataclass(frozen=True)
class Enterprise:
    """The local GitHub as `https://github.corp.example`, to be reached by the proxy alone."""

    proxy: SmallProxy
    address: str  # the proxy's, without credentials
    fronts: Mapping[str, Front]
    ca_file: Path

    @property
    def with_credentials(self) -> str:
        return self.address.replace("://", f"://{USER}:{PASSWORD.replace('@', '%40')}@")

    @property
    def settings(self) -> dict[str, str]:
        """What the environment of a command here holds."""
        return {
            "RECALIBRATE_GITHUB_URL": f"https://{GITHUB}",
            "RECALIBRATE_PROXY": self.with_credentials,
            "RECALIBRATE_CA_FILE": str(self.ca_file),
        }


@asynccontextmanager
async def enterprise(folder: Path, world: World, scheme: str = "http") -> AsyncIterator[Enterprise]:
    """Put a running sandbox's two origins behind it; the proxy itself is spoken to over `scheme`."""
    authority = Authority.made(folder, GITHUB, LOGS)
    ports = {GITHUB: urlsplit(world.html_url).port or 0, LOGS: urlsplit(world.logs_url).port or 0}
    fronts = {name: Front(port) for name, port in ports.items()}
    async with AsyncExitStack() as stack:
        routes = {
            f"{name}:443": await stack.enter_async_context(listening(front, authority.server))
            for name, front in fronts.items()
        }
        proxy = SmallProxy(routes, f"{USER}:{PASSWORD}")
        tls = authority.server if scheme == "https" else None
        port = await stack.enter_async_context(listening(proxy, tls))
        world.html_url, world.logs_url = f"https://{GITHUB}", f"https://{LOGS}"
        world.api_url = f"{world.html_url}/api/v3"
        yield Enterprise(proxy, f"{scheme}://127.0.0.1:{port}", fronts, authority.ca_file)
