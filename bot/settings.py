"""The server's settings: read once from the environment, frozen, secrets hidden.

A setting of a watched repository is not here but in `bot.repo_config`; single variables are read by
`bot.environment`.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bot.environment import PREFIX, Environment
from bot.errors import UserError
from bot.network import DIRECT, Network, Proxy, trusted
from bot.operating import DEFAULT, LogLevel, LogStyle, Operating
from bot.page_settings import NEEDED, PageSettings, page_settings
from bot.records.work import ProcessRole

MOST_STOP_S = 45  # a process that does not beat for 60 s is taken for gone
# As SQLAlchemy reads an address: one with `/`, `#` or `[` in it is a password too, and no address to `urlsplit`.
_DATABASE_PASSWORD = re.compile(r"[\w+]+://[^:/]*:([^@]*)@")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything the environment says. Secrets never show in a repr.

    `github_url` is a web or API address (github.com, GHES, GHE.com, a local server).
    `database_url` is what is remembered, `queue_url` the durable engine's own database.
    """

    github_url: str
    app_id: int
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    database_url: str = field(repr=False)  # may hold a password
    queue_url: str = field(repr=False)
    work_dir: Path
    host: str
    port: int
    executor_id: str
    workers: int
    role: ProcessRole = ProcessRole.ALL
    sweep_minutes: int = 0  # 0: nothing is swept
    forget_days: int = 30
    network: Network = DIRECT
    pages: PageSettings | None = None  # None: there are no pages
    operating: Operating = DEFAULT

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be written down; empty ones are left out."""
        pages = (self.pages.client_secret,) if self.pages else ()
        databases = [
            found[1] for url in (self.database_url, self.queue_url) if (found := _DATABASE_PASSWORD.match(url))
        ]
        proxies = [urlsplit(one.url).password or "" for one in (self.network.https, self.network.http) if one]
        written = (*databases, *proxies)
        every = (self.private_key, self.webhook_secret, *pages, *written, *map(unquote, written))
        return tuple(one for one in dict.fromkeys(every) if one)


@dataclass(frozen=True, slots=True)
class Credentials:
    """How `recalibrate run` signs its requests: as an App, or with a given token."""

    github_url: str
    app_id: int = 0
    private_key: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    network: Network = DIRECT


def server_settings(environment: Mapping[str, str], role: ProcessRole = ProcessRole.ALL) -> Settings:
    """The settings of the service, or of one of its processes.

    Raises:
        UserError: a setting is missing or wrong; the message names the variable and the remedy.
    """
    read = Environment(environment)
    databases = databases_of(environment)
    return Settings(
        github_url=github_url(environment),
        app_id=read.whole("APP_ID", low=1, high=2**31 - 1),
        private_key=read.secret_if_set("PRIVATE_KEY") if role is ProcessRole.WEB else read.secret("PRIVATE_KEY"),
        webhook_secret=read.secret_if_set("WEBHOOK_SECRET")
        if role is ProcessRole.WORKER
        else read.secret("WEBHOOK_SECRET"),
        database_url=databases.store_url,
        queue_url=databases.queue_url,
        work_dir=databases.work_dir,
        host=read.text("HOST", "127.0.0.1"),
        port=read.whole("PORT", default=8080, low=0, high=65535),
        executor_id=_executor(read.text("EXECUTOR_ID", socket.gethostname()), role),
        workers=read.whole("WORKERS", default=4, low=1, high=64),
        role=role,
        sweep_minutes=read.whole("SWEEP_MINUTES", default=60, low=0, high=1440),
        forget_days=read.whole("FORGET_DAYS", default=30, low=1, high=3650),
        network=network(environment),
        pages=None if role is ProcessRole.WORKER else _pages(read),
        operating=_operating(read),
    )


def _operating(read: Environment) -> Operating:
    log = read.text("LOG", "")
    return Operating(
        log=LogStyle(read.one_of("LOG", log, LogStyle)) if log else None,
        level=LogLevel(read.one_of("LOG_LEVEL", read.text("LOG_LEVEL", LogLevel.INFO.value), LogLevel)),
        metrics_host=read.text("METRICS_HOST", "127.0.0.1"),
        metrics_port=read.whole("METRICS_PORT", default=0, low=0, high=65535),
        stop_s=read.whole("STOP_SECONDS", default=20, low=1, high=MOST_STOP_S),
        keep_days=read.whole("KEEP_DAYS", default=90, low=7, high=3650),
    )


def _pages(read: Environment) -> PageSettings | None:
    given = {name: read.secret_if_set(f"PAGES_{name}") for name in NEEDED}
    return page_settings({**given, "OPERATORS": read.text("PAGES_OPERATORS", "")})


@dataclass(frozen=True, slots=True)
class Databases:
    """Where the service keeps what lasts. The URLs may hold passwords."""

    work_dir: Path
    store_url: str = field(repr=False)
    queue_url: str = field(repr=False)


def databases_of(environment: Mapping[str, str]) -> Databases:
    """The service's databases, as named or by default.

    Raises:
        UserError: one is given twice, or its file cannot be read.
    """
    read = Environment(environment)
    work_dir = Path(read.text("WORK_DIR", "recalibrate-data")).resolve()
    store = database_url(environment) or f"sqlite:///{work_dir / 'recalibrate.sqlite'}"
    default_queue = f"sqlite:///{work_dir / 'queue.sqlite'}" if store.startswith("sqlite") else store
    return Databases(work_dir, store, read.secret_if_set("QUEUE_URL") or default_queue)


def database_url(environment: Mapping[str, str]) -> str:
    """The store's URL; empty where none is given. It may hold a password, so it may be a file's content too.

    Raises:
        UserError: it is given twice, or its file cannot be read.
    """
    read = Environment(environment)
    return read.secret_if_set("DATABASE_URL")


def credentials(environment: Mapping[str, str]) -> Credentials:
    """How `recalibrate run` signs its requests.

    Raises:
        UserError: neither an App key nor a token is given, or both are.
    """
    read = Environment(environment)
    url = github_url(environment)
    token = read.secret_if_set("TOKEN") or environment.get("GITHUB_TOKEN", "")
    if PREFIX + "APP_ID" in environment:
        number = read.whole("APP_ID", low=1, high=2**31 - 1)
        return Credentials(url, number, read.secret("PRIVATE_KEY"), network=network(environment))
    if not token:
        raise UserError(
            f"no credentials: set {PREFIX}APP_ID and {PREFIX}PRIVATE_KEY_FILE for an App, or {PREFIX}TOKEN for a token"
        )
    return Credentials(url, token=token, network=network(environment))


def github_url(environment: Mapping[str, str]) -> str:
    """Which GitHub, as a person writes it."""
    return Environment(environment).text("GITHUB_URL", "https://github.com")


def network(environment: Mapping[str, str]) -> Network:
    """The way out: RECALIBRATE_PROXY for everything, or else the proxies that other programs go by too.

    Raises:
        UserError: a proxy is no address, or the CA's file cannot be used.
    """
    read = Environment(environment)
    ca_file = read.text("CA_FILE", "")
    own = read.secret_if_set("PROXY")
    every = Proxy.of(own, f"{PREFIX}PROXY") if own else None
    return Network(
        https=every or _shared_proxy(environment, "HTTPS_PROXY"),
        http=every or _shared_proxy(environment, "HTTP_PROXY"),
        without=_either_case(environment, "NO_PROXY"),
        ca_file=trusted(ca_file, f"{PREFIX}CA_FILE") if ca_file else "",
    )


def _shared_proxy(environment: Mapping[str, str], name: str) -> Proxy | None:
    url = _either_case(environment, name)
    return Proxy.of(url, name) if url else None


def _either_case(environment: Mapping[str, str], name: str) -> str:
    """As with curl, the lower case wins."""
    return (environment.get(name.lower()) or environment.get(name, "")).strip()


def _executor(name: str, role: ProcessRole) -> str:
    """A host may run a process of each role; two of one role on one host need names of their own."""
    return name if role is ProcessRole.ALL else f"{name}.{role.value}"
