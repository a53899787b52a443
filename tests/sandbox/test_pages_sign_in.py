"""Signing in to the pages over real HTTP, and every way in which somebody might without being asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from bot.dashboard.session import SESSION_S, Seal, Session
from bot.sandbox.state.accounts import Account, AccountKind
from tests.sandbox.hub import Reply
from tests.sandbox.page_visit import Visitor, page_rig, visitor
from tests.sandbox.service import Rig


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with page_rig(tmp_path_factory.mktemp("pages")) as made:
        for login in ("mona", "olga"):
            made.world.account(login)
        yield made


@pytest.fixture
def mona(pages: Rig) -> Visitor:
    made = visitor(pages)
    assert made.sign_in("mona") == "/pages"
    return made


def cookies(reply: Reply) -> list[str]:
    return [value for name, value in reply.headers.items() if name.lower() == "set-cookie"]


def form_token(page: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found
    return found.group(1)


def test_a_visitor_signs_in_and_goes_on_to_the_page_they_wanted(pages: Rig) -> None:
    browser = visitor(pages)
    asked = browser.get("/pages/r/1/evidence.csv?run=1&attempt=1&x=a%20b")
    assert asked.status == 401
    way = re.search(r'href="(/pages/sign-in\?to=[^"]+)"', asked.body.decode())
    assert way
    to = parse_qs(urlsplit(way.group(1)).query)["to"][0]
    assert browser.sign_in("mona", quote(to, safe="")) == "/pages/r/1/evidence.csv?run=1&attempt=1&x=a%20b"
    assert "Signed in as <b>mona</b>" in browser.text("/pages")


@pytest.mark.parametrize(
    "to",
    ["https://evil.invalid/", "//evil.invalid", "/pagesevil", "/webhook", "/pages/\\evil", "/pages/é", "javascript:1"],
)
def test_nobody_is_sent_elsewhere_after_signing_in(pages: Rig, to: str) -> None:
    assert visitor(pages).sign_in("mona", quote(to, safe="")) == "/pages"


def test_what_is_asked_of_github_carries_a_state_and_a_challenge(pages: Rig) -> None:
    assert pages.settings.pages
    asked = parse_qs(urlsplit(visitor(pages).to_github()).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", asked["code_challenge"][0])
    assert len(asked["state"][0]) >= 43
    assert asked["redirect_uri"] == [f"{pages.settings.pages.url}/pages/signed-in"]


def test_anothers_answer_signs_nobody_in(pages: Rig) -> None:
    attacker, victim = visitor(pages), visitor(pages)
    stolen = attacker.back(attacker.to_github(), "olga")
    assert victim.get(stolen).status == 403  # the victim began nothing
    victim.to_github()
    assert victim.get(stolen).status == 403  # the victim began something else
    assert victim.get("/pages").status == 401


def test_an_answer_serves_once(pages: Rig) -> None:
    browser = visitor(pages)
    back = browser.back(browser.to_github(), "mona")
    assert browser.get(back).status == 303
    assert browser.get(back).status == 403


def test_a_code_that_github_does_not_know_signs_nobody_in(pages: Rig) -> None:
    browser = visitor(pages)
    state = parse_qs(urlsplit(browser.to_github()).query)["state"][0]
    refused = browser.get(f"/pages/signed-in?state={quote(state)}&code=invented")
    assert refused.status == 403
    assert "invented" not in refused.body.decode()
    browser.to_github()
    assert browser.get("/pages/signed-in?code=x&state=%C3%A9").status == 403


def test_a_person_who_does_not_agree_is_not_signed_in(pages: Rig) -> None:
    browser = visitor(pages)
    reply = browser.get(f"{browser.to_github()}&refused=1")
    assert browser.get(str(reply.headers["Location"])).status == 403
    assert browser.get("/pages").status == 401


def test_cookies_are_for_this_host_only_unreadable_and_out_of_scripts_reach(pages: Rig) -> None:
    browser = visitor(pages)
    began = browser.get("/pages/sign-in")
    back = browser.get(browser.back(str(began.headers["Location"]), "mona"))
    set_now = cookies(began) + [one for one in cookies(back) if "Max-Age=0" not in one]
    assert len(set_now) == 2
    for one in set_now:
        assert "HttpOnly" in one
        assert "SameSite=Lax" in one
        assert "Path=/" in one
        assert "Domain" not in one
    tokens = [token for token in pages.world.tokens if token.startswith("ghu_")]
    assert tokens
    assert not any(token in "".join(set_now) for token in tokens)


def test_signing_out_needs_the_form_of_the_session_and_ends_the_token(pages: Rig, mona: Visitor) -> None:
    token = form_token(mona.text("/pages"))
    held = list(pages.world.tokens)[-1]
    for body in (b"", b"token=x", b"token=" + b"y" * 100_000):
        assert mona.get("/pages/sign-out", "POST", body).status == 403
    assert mona.get("/pages/sign-out").status == 405
    done = mona.get("/pages/sign-out", "POST", f"token={token}".encode())
    assert (done.status, done.headers["Location"]) == (303, "/pages/signed-out")
    assert "You are signed out" in mona.text("/pages/signed-out")
    assert mona.get("/pages").status == 401
    assert held not in pages.world.tokens


def test_a_token_that_github_took_back_ends_the_session(pages: Rig, mona: Visitor) -> None:
    del pages.world.tokens[list(pages.world.tokens)[-1]]
    reply = mona.get("/pages/r/123456/evidence.csv")
    assert reply.status == 401
    assert any("Max-Age=0" in one for one in cookies(reply))
    assert "mona" not in mona.get("/pages").body.decode()


def test_the_token_is_in_no_table_and_no_file_of_the_service(pages: Rig, mona: Visitor) -> None:
    mona.text("/pages")
    held = list(pages.world.tokens)[-1].encode()
    work = pages.settings.work_dir.parent
    files = [path for path in work.rglob("*") if path.is_file() and "world" not in path.relative_to(work).parts]
    assert any(path.suffix == ".sqlite" for path in files)
    assert not any(held in path.read_bytes() for path in files)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_pages_are_only_read(pages: Rig, mona: Visitor, method: str) -> None:
    for path in ("/pages", "/pages/r/1", "/pages/operator", "/pages/static/pages.css"):
        assert mona.get(path, method, b"x=1").status in (404, 405)


def test_every_answer_keeps_itself_to_itself(pages: Rig, mona: Visitor) -> None:
    for browser in (visitor(pages), mona):
        for path in ("/pages", "/pages/r/1", "/pages/none", "/pages/sign-in", "/pages/signed-in", "/pages/operator"):
            headers = browser.get(path).headers
            assert headers["Content-Security-Policy"].startswith("default-src 'none';"), path
            assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cache-Control"] == "no-store"


def test_the_style_may_be_kept_and_a_head_is_a_get_without_its_body(pages: Rig, mona: Visitor) -> None:
    style = mona.get("/pages/static/pages.css")
    assert style.headers["Content-Type"].startswith("text/css")
    assert style.headers["Cache-Control"] == "public, max-age=300"
    head = mona.get("/pages", "HEAD")
    assert (head.status, head.body) == (200, b"")


def test_an_operator_by_configuration_sees_that_page_and_nobody_else_does(pages: Rig, mona: Visitor) -> None:
    pages.world.account("olga", AccountKind.USER)
    olga = visitor(pages)
    olga.sign_in("olga")
    assert "Tasks that ended" in olga.text("/pages/operator")
    refused, absent = mona.get("/pages/operator"), mona.get("/pages/none")
    assert refused.status == 404
    assert refused.body == absent.body
    assert "/pages/operator" not in mona.text("/pages")


def test_who_took_an_operators_old_login_is_no_operator(pages: Rig) -> None:
    before = pages.world.account("olga")
    pages.world.accounts["olga"] = Account(pages.world.next_id(), "olga")
    try:
        browser = visitor(pages)
        browser.sign_in("olga")
        assert browser.get("/pages/operator").status == 404
        assert "/pages/operator" not in browser.text("/pages")
    finally:
        pages.world.accounts["olga"] = before


def test_who_has_the_key_alone_is_no_operator(pages: Rig, mona: Visitor) -> None:
    assert pages.settings.pages
    (cookie,) = mona.jar
    session = Seal(pages.settings.pages.key).open(Session, cookie.value, SESSION_S)
    assert session

    def forged(token: str) -> Session:
        return Session(number=pages.world.account("olga").id, login="olga", token=token)

    for token, status in ((session.token, 404), ("invented", 401)):
        cookie.value = Seal(pages.settings.pages.key).close(forged(token))
        assert mona.get("/pages/operator").status == status
