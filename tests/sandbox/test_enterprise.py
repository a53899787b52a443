"""Promises of the way out: everything goes through the proxy and over the company's TLS, or it says why not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from bot.domain import RunId
from bot.forge.answers import BusyError
from bot.forge.logs import fetch
from bot.forge.transport import new_session
from bot.sandbox.generator import Generated
from bot.settings import network
from tests.sandbox.enterprise import GITHUB, LOGS, PASSWORD, USER, Enterprise, SmallProxy, enterprise, listening
from tests.sandbox.service import Lines, Rig, rig
from tests.sandbox.test_action_script import script
from tests.sandbox.test_command_lines import Place, command, place

WORDS = ("run", "--repo", "heron-lab/heron", "--run")


@asynccontextmanager
async def behind(folder: Path, scheme: str = "http") -> AsyncIterator[tuple[Place, Enterprise, dict[str, str]]]:
    """A local GitHub behind the proxy, and the environment of a command there."""
    async with place(folder) as at, enterprise(folder, at.scenario.world, scheme) as corp:
        kept = {name: value for name, value in at.environment.items() if not name.lower().endswith("_proxy")}
        yield at, corp, {**kept, **corp.settings}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_request_of_a_whole_run_goes_through_the_proxy_and_the_companys_tls(tmp_path: Path, scheme: str) -> None:
    async def act() -> None:
        async with behind(tmp_path, scheme) as (at, corp, environment):
            status, out, err = await command(environment, *WORDS, at.newest)
            assert (status, err) == (0, "")
            assert f"published: https://{GITHUB}/heron-lab/heron/pull/" in out
            assert at.written()  # by the other half
            assert set(corp.proxy.asked) == {f"CONNECT {GITHUB}:443", f"CONNECT {LOGS}:443"}
            granted = sum(front.connections for front in corp.fronts.values())
            assert corp.proxy.granted == granted > 1
            assert b"uthorization: " in corp.fronts[GITHUB].heard
            assert b"GET /" in corp.fronts[LOGS].heard
            assert b"uthorization" not in corp.fronts[LOGS].heard

    asyncio.run(act())


def test_the_proxy_that_other_programs_use_is_used_where_none_is_named(tmp_path: Path) -> None:
    async def act() -> None:
        async with behind(tmp_path) as (at, corp, environment):
            del environment["RECALIBRATE_PROXY"]
            environment["https_proxy"] = corp.with_credentials
            status, out, err = await command(environment, *WORDS, at.newest, "--dry-run")
            assert (status, err) == (0, "")
            assert "nothing was written" in out

    asyncio.run(act())


def test_the_action_takes_the_same_settings(tmp_path: Path) -> None:
    async def act() -> None:
        async with behind(tmp_path) as (at, corp, environment):
            settings = corp.settings
            url = settings.pop("RECALIBRATE_GITHUB_URL")
            status, printed = await script(
                tmp_path,
                url,
                {
                    **settings,
                    "INPUT_REPOSITORY": "heron-lab/heron",
                    "INPUT_RUN_ID": at.newest,
                    "INPUT_APP_ID": environment["RECALIBRATE_APP_ID"],
                    "INPUT_PRIVATE_KEY": environment["RECALIBRATE_PRIVATE_KEY"],
                },
            )
            assert status == 0, printed
            assert f"published: https://{GITHUB}/" in printed
            assert PASSWORD not in printed

    asyncio.run(act())


def test_what_is_missing_or_wrong_is_named_with_its_remedy_and_no_password(tmp_path: Path) -> None:
    async def act() -> None:
        async with behind(tmp_path) as (at, corp, environment):
            newest = RunId(int(at.newest))
            wrong_password = corp.with_credentials.replace("planted", "planned")

            async def refused(changed: dict[str, str], *says: str) -> None:
                given = {name: value for name, value in {**environment, **changed}.items() if value}
                status, out, err = await command(given, *WORDS, str(newest))
                assert (status, out) == (2, ""), (changed, err)
                assert all(one in err for one in says), err
                assert len(err.splitlines()) == 1
                assert PASSWORD.split("-", 1)[1] not in err

            await asyncio.gather(
                refused({"RECALIBRATE_CA_FILE": ""}, "certificate_untrusted", "RECALIBRATE_CA_FILE"),
                refused({"RECALIBRATE_PROXY": wrong_password}, "proxy_refused (407)", "RECALIBRATE_PROXY"),
                refused(
                    {"RECALIBRATE_PROXY": f"http://{USER}:{PASSWORD}@127.0.0.1:9"}, "proxy_away", "RECALIBRATE_PROXY"
                ),
            )
            assert at.written() == []

    asyncio.run(act())


@pytest.mark.parametrize("proxy", ["RECALIBRATE_PROXY", "HTTP_PROXY"])
def test_loopback_is_reached_directly_whatever_proxy_is_set(tmp_path: Path, proxy: str) -> None:
    async def act() -> None:
        async with place(tmp_path) as at:
            kept = {name: value for name, value in at.environment.items() if not name.lower().endswith("_proxy")}
            status, _, err = await command({**kept, proxy: "http://127.0.0.1:9"}, *WORDS, at.newest, "--dry-run")
            assert (status, err) == (0, "")

    asyncio.run(act())


def test_the_service_works_a_nightly_through_the_proxy_and_no_log_line_has_its_password(
    tmp_path: Path, generated: Generated
) -> None:
    lines, before = Lines(), logging.getLogger().level
    logging.getLogger().addHandler(lines)
    logging.getLogger().setLevel(logging.DEBUG)
    try:
        stack = AsyncExitStack()
        with rig(tmp_path, prepared=lambda made: _goes_behind(made, stack, tmp_path)) as made:
            case, runs = made.started(generated, "corp")
            assert case.nightly(runs[-1]).outcome == "published"
            made.stop()
            made.sandbox.run(stack.aclose())
    finally:
        logging.getLogger().removeHandler(lines)
        logging.getLogger().setLevel(before)
    assert lines.texts
    assert not [line for line in lines.texts if PASSWORD in line or PASSWORD.replace("@", "%40") in line]


def _goes_behind(made: Rig, stack: AsyncExitStack, folder: Path) -> None:
    """GitHub behind the proxy, before the service starts."""
    corp: Enterprise = made.sandbox.run(stack.enter_async_context(enterprise(folder, made.world)))
    url, way = corp.settings["RECALIBRATE_GITHUB_URL"], network(corp.settings)
    made.settings = replace(made.settings, github_url=url, network=way)
    stack.callback(_all_went_through, corp.proxy)


def _all_went_through(proxy: SmallProxy) -> None:
    assert set(proxy.asked) == {f"CONNECT {GITHUB}:443", f"CONNECT {LOGS}:443"}
    assert proxy.granted == len(proxy.asked)


@pytest.mark.parametrize(("password", "status"), [(PASSWORD, "502"), ("wrong", "407")])
def test_a_log_at_a_plain_address_goes_through_the_proxy_too_and_its_refusal_is_the_proxys(
    tmp_path: Path, password: str, status: str
) -> None:
    async def link() -> str:
        return "http://nowhere.corp.example/1?sig=x"

    async def act() -> None:
        proxy = SmallProxy({}, f"{USER}:{PASSWORD}")
        async with listening(proxy) as port:
            way = network({"RECALIBRATE_PROXY": f"http://{USER}:{password.replace('@', '%40')}@127.0.0.1:{port}"})
            async with new_session(way) as session:
                with pytest.raises(BusyError) as told:
                    await fetch(session, link, tmp_path / "log")
        assert set(proxy.asked) == {"GET http://nowhere.corp.example/1?sig=x"}
        assert ("proxy_refused (407)" in str(told.value)) == (status == "407")

    asyncio.run(act())


def test_a_log_at_a_plain_address_is_read_through_the_proxy(tmp_path: Path) -> None:
    async def act() -> None:
        async def served(_request: web.Request) -> web.Response:
            return web.Response(text="one\ntwo\n")

        app = web.Application()
        app.router.add_get("/log", served)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        proxy = SmallProxy({LOGS: runner.addresses[0][1]})
        async with listening(proxy) as port, new_session(network({"http_proxy": f"127.0.0.1:{port}"})) as session:

            async def link() -> str:
                return f"http://{LOGS}/log?sig=x"

            assert (await fetch(session, link, tmp_path / "log")).lines == 2
        await runner.cleanup()
        assert proxy.asked == [f"GET http://{LOGS}/log?sig=x"]

    asyncio.run(act())
