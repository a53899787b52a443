"""Promises of `recalibrate setup` over HTTP: from the code on the console to a service that GitHub knows."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.errors import UserError
from bot.forge.endpoint import Endpoint
from bot.sandbox.auth import install
from bot.sandbox.faults import FaultKind, planned
from bot.settings import network
from bot.setup.dialogue import MOST_TRIES
from bot.setup.keeping import Folder, Keeper
from bot.setup.server import Done, Place, set_up
from bot.setup.wish import Wish
from tests.sandbox.enterprise import enterprise
from tests.sandbox.hub import Hub, Reply, http
from tests.sandbox.manifest_flow import Form, agreed, post
from tests.sandbox.test_command_lines import command

URL = "https://recalibrate.zoo"


@dataclass
class Visit:
    """A set-up that runs, and what a browser does with it."""

    hub: Hub
    ended: asyncio.Task[Done] = field(repr=False)
    address: str = ""
    code: str = ""

    async def get(self, path: str, **headers: str) -> Reply:
        return await asyncio.to_thread(http, "GET", self.address + path, None, headers)

    async def types(self, code: str, **headers: str) -> Reply:
        return await asyncio.to_thread(post, self.address, {"code": code}, headers)

    async def wish(self) -> Form:
        """The right code: the form that goes to GitHub."""
        reply = await self.types(self.code)
        assert reply.status == 200, reply.body
        return Form(reply.body)

    async def sent_back(self) -> str:
        """All the way to GitHub and its agreement: the address it sends the browser back to."""
        reply = await asyncio.to_thread(agreed, await self.wish())
        assert reply.status == 302, reply.body
        return str(reply.headers["Location"])

    async def returns(self, address: str) -> Reply:
        return await asyncio.to_thread(http, "GET", address)


@asynccontextmanager
async def visit(hub: Hub, keeper: Keeper, wish: Wish | None = None, total_s: float = 60.0) -> AsyncIterator[Visit]:
    invited: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
    usual = Wish(Endpoint.of(hub.running.urls.html), URL, "octo")

    def invite(address: str, code: str) -> None:
        invited.set_result((address, code))

    task = asyncio.ensure_future(set_up(wish or usual, keeper, Place(total_s=total_s), invite))
    made = Visit(hub, task)
    try:
        made.address, made.code = await asyncio.wait_for(invited, 20)
        yield made
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def reason(reply: Reply) -> str:
    return reply.body.decode().split("<code>")[1].split("</code>")[0]


def made_apps(hub: Hub) -> int:
    return len(hub.world.apps) - 1


def test_from_the_code_to_the_last_page_and_the_end(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            asks = await at.get("")
            assert asks.status == 200
            assert at.code not in asks.body.decode()
            last = await at.returns(await at.sent_back())
            done = await asyncio.wait_for(at.ended, 20)
            assert last.status == 200
            assert done.app.install_url in Form(last.body).links
            assert done.app.install_url == f"{hub.running.urls.html}/apps/recalibrate-octo/installations/new"
            assert done.command in last.body.decode()
            assert "PRIVATE KEY" not in last.body.decode()
            app = hub.world.apps[done.app.app_id]
            assert (tmp_path / "app" / "webhook-secret").read_text() == app.webhook_secret
            assert (app.owner.login, app.webhook_url) == ("octo", f"{URL}/webhook")

    asyncio.run(act())


def test_every_answer_forbids_scripts_frames_and_keeping_and_only_githubs_form_leads_away(
    hub: Hub, tmp_path: Path
) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            replies = [await at.get(""), await at.get("nowhere"), await at.types("wrong"), await at.types(at.code)]
            for reply in replies:
                policy = reply.headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'; style-src 'sha256-")
                assert "frame-ancestors 'none'" in policy
                assert reply.headers["Cache-Control"] == "no-store"
                assert reply.headers["X-Content-Type-Options"] == "nosniff"
                assert "<script" not in reply.body.decode()
            stays = ["form-action 'self'" in it.headers["Content-Security-Policy"] for it in replies]
            assert stays == [True, True, True, False]

    asyncio.run(act())


def test_without_the_code_nothing_is_done_and_too_many_wrong_ones_end_it(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            assert reason(await at.get("created?code=0123&state=x")) == "not_begun"
            replies = [await at.types("AAAA-AAAA-AAAA") for _ in range(MOST_TRIES)]
            assert [reason(it) for it in replies] == ["wrong_code"] * (MOST_TRIES - 1) + ["too_many_tries"]
            with pytest.raises(UserError, match="too many wrong codes"):
                await asyncio.wait_for(at.ended, 20)
        assert made_apps(hub) == 0
        assert list((tmp_path / "app").iterdir()) == []

    asyncio.run(act())


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::", "10.0.0.1"])
def test_a_name_that_leads_here_from_elsewhere_is_refused(hub: Hub, tmp_path: Path, host: str) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            for reply in (await at.get("", Host=host), await at.types(at.code, Host=host)):
                assert (reply.status, reason(reply)) == (421, "wrong_host")
            await at.wish()  # the code was not used up

    asyncio.run(act())


def test_a_form_of_another_site_costs_no_try_and_this_machines_names_serve(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            for origin in ("https://evil.example", "null", "http://localhost:1"):
                for _ in range(MOST_TRIES):
                    assert reason(await at.types("wrong", Origin=origin)) == "foreign_origin"
            wish = await at.types(at.code, Host="localhost:4711", Origin="http://localhost:4711")
            manifest = json.loads(Form(wish.body).values["manifest"])
            assert manifest["redirect_url"] == "http://localhost:4711/created"  # through a tunnel, say

    asyncio.run(act())


def test_an_answer_with_another_state_is_not_taken_to_github_and_the_right_one_still_serves(
    hub: Hub, tmp_path: Path
) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            back = await at.sent_back()
            calls = len(hub.world.journal)
            for query in ("code=0123&state=x", "code=0123", "", f"{back.split('?')[1][:-1]}"):
                assert reason(await at.get(f"created?{query}")) == "wrong_state"
            bent = back.split("?")[1].replace("code=", "code=..%2F")
            assert reason(await at.get(f"created?{bent}")) == "no_answer_code"
            assert len(hub.world.journal) == calls
            assert (await at.returns(back)).status == 200
            await asyncio.wait_for(at.ended, 20)

    asyncio.run(act())


def test_an_answer_that_comes_twice_at_once_is_taken_once(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            back = await at.sent_back()
            replies = await asyncio.gather(at.returns(back), at.returns(back), return_exceptions=True)
            statuses = sorted(it.status for it in replies if isinstance(it, Reply))
            assert statuses[0] == 200
            assert set(statuses[1:]) <= {409}  # or the page had ended
            await asyncio.wait_for(at.ended, 20)
        assert hub.world.calls()["POST /app-manifests/{code}/conversions"] == 1

    asyncio.run(act())


def test_a_code_that_github_refuses_ends_it_with_its_words(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            back = await at.sent_back()
            hub.world.manifests.clear()
            assert reason(await at.returns(back)) == "conversion_refused"
            with pytest.raises(UserError, match=r"not found.*Run recalibrate setup again"):
                await asyncio.wait_for(at.ended, 20)

    asyncio.run(act())


def test_a_github_that_does_not_answer_is_asked_again_when_the_page_is_loaded_again(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            back = await at.sent_back()
            hub.world.faults.append(planned(FaultKind.BROKEN, "POST", "/app-manifests/{code}/conversions"))
            away = await at.returns(back)
            assert (away.status, reason(away)) == (503, "github_away")
            assert (await at.returns(back)).status == 200
            await asyncio.wait_for(at.ended, 20)

    asyncio.run(act())


def test_secrets_that_cannot_be_kept_end_it_with_where_to_delete_the_app(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app")) as at:
            back = await at.sent_back()
            (tmp_path / "app" / "private-key").write_text("came meanwhile")
            assert reason(await at.returns(back)) == "not_kept"
            with pytest.raises(UserError, match="organizations/octo/settings/apps/recalibrate-octo/advanced") as told:
                await asyncio.wait_for(at.ended, 20)
            assert "PRIVATE KEY" not in str(told.value)

    asyncio.run(act())


def test_nobody_who_comes_is_the_end_after_a_while(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with visit(hub, Folder(tmp_path / "app"), total_s=0.3) as at:
            with pytest.raises(UserError, match="no App was made"):
                await asyncio.wait_for(at.ended, 20)

    asyncio.run(act())


def test_an_earlier_set_up_is_found_before_a_page_is_served(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "recalibrate.env").write_text("earlier")
    invited: list[str] = []
    wish = Wish(Endpoint.of("https://github.com"), URL)
    with pytest.raises(UserError, match="--replace"):
        asyncio.run(set_up(wish, Folder(tmp_path), Place(), lambda address, _code: invited.append(address)))
    assert invited == []


def test_an_enterprises_app_is_made_through_its_proxy_with_its_ca(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        html = hub.running.urls.html
        async with enterprise(tmp_path, hub.world) as corp:
            endpoint = Endpoint.of("https://github.corp.example", network(corp.settings))
            async with visit(hub, Folder(tmp_path / "app"), Wish(endpoint, URL, "octo")) as at:
                wish = await at.wish()
                assert wish.action.startswith("https://github.corp.example/organizations/octo/settings/apps/new?state=")
                wish.action = wish.action.replace("https://github.corp.example", html)
                reply = await asyncio.to_thread(agreed, wish)
                assert (await at.returns(str(reply.headers["Location"]))).status == 200
                done = await asyncio.wait_for(at.ended, 20)
                assert done.app.html_url == "https://github.corp.example/apps/recalibrate-octo"
                assert corp.proxy.asked == ["CONNECT github.corp.example:443"]

    asyncio.run(act())


@asynccontextmanager
async def typed(hub: Hub, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command as a process, until it has invited."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECALIBRATE_", "GITHUB_"))}
    environment = {**kept, "RECALIBRATE_GITHUB_URL": hub.running.urls.html}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "setup", "--url", URL, "--organization", "octo", *arguments),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def led(process: asyncio.subprocess.Process) -> tuple[int, str, str]:
    """Read the console, go all the way, and give status, output and the rest of the console."""
    assert process.stderr
    invitation = (await asyncio.wait_for(process.stderr.readline(), 60)).decode().split()
    address, code = invitation[1], invitation[-1]
    wish = Form((await asyncio.to_thread(post, address, {"code": code})).body)
    back = await asyncio.to_thread(agreed, wish)
    assert (await asyncio.to_thread(http, "GET", str(back.headers["Location"]))).status == 200
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), err.decode()


def test_typed_it_makes_an_app_with_which_the_doctor_reaches_github(hub: Hub, tmp_path: Path) -> None:
    async def act() -> None:
        async with typed(hub, "--out", str(tmp_path / "app")) as process:
            status, out, err = await led(process)
        assert (status, out) == (0, "")
        assert f"install it: {hub.running.urls.html}/apps/recalibrate-octo/installations/new" in err
        assert f"then: set -a; . {tmp_path}/app/recalibrate.env; set +a; recalibrate serve" in err
        lines = (tmp_path / "app" / "recalibrate.env").read_text().splitlines()
        settings = dict(shlex.split(line)[0].split("=", 1) for line in lines if not line.startswith("#"))
        app = hub.world.apps[int(settings["RECALIBRATE_APP_ID"])]
        install(hub.world, app, app.owner)
        hub.clock.now = datetime.now(UTC)
        environment = {**os.environ, **settings, "RECALIBRATE_WORK_DIR": str(tmp_path / "work")}
        _, told, _ = await command(environment, "doctor")
        for line in ("ok   app: recalibrate-octo", "ok   app permissions: as needed", "ok   app events: as needed"):
            assert line in told

    asyncio.run(act())


def test_printed_secrets_are_all_that_is_on_standard_output(hub: Hub) -> None:
    async def act() -> None:
        async with typed(hub, "--print") as process:
            status, out, err = await led(process)
        values = json.loads(out)
        assert status == 0
        assert hub.world.apps[int(values["RECALIBRATE_APP_ID"])].webhook_secret == values["RECALIBRATE_WEBHOOK_SECRET"]
        assert "PRIVATE KEY" in values["RECALIBRATE_PRIVATE_KEY"]
        assert "PRIVATE KEY" not in err

    asyncio.run(act())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--url", "http://r.zoo"), "--url"),
        (("--url", "https://r.zoo/below"), "--url"),
        (("--url", "https://r.zoo", "--organization", "a/b"), "login"),
        (("--url", "https://r.zoo", "--github", "http://git.zoo"), "https://"),
        (("--url", "https://r.zoo", "--port", "70000"), "no port"),
        (("--url", "https://r.zoo", "--out", "x", "--print"), "not allowed"),
        ((), "--url"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    assert main(["setup", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert says in err
