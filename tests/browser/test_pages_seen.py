"""The pages in a real browser: light and dark, narrow, on paper, for a screen reader; nothing hostile comes alive."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

from tests.browser.scene import NARROW, SIZE, Scene, paths

PATHS = paths()
AXE = Axe()
LINKED = "them => them.map(one => one.getAttribute('href') || one.getAttribute('xlink:href'))"  # a plot's links are SVG
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

CUT_OFF = "them => them.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText.slice(0, 60))"
PAPER: ViewportSize = {"width": 718, "height": 1000}  # A4 between its margins, in CSS pixels
SPOILT = """() => {
  document.querySelector('h1').style.color = '#ddd';
  document.querySelector('label').remove();
  document.querySelector('main table a').textContent = '';
  document.querySelector('thead th').textContent = '';
}"""


def violations(page: Page) -> list[str]:
    """What axe finds: rule, and the first element that breaks it."""
    found: list[dict[str, Any]] = AXE.run(page).response["violations"]
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:300]}" for one in found]


@pytest.mark.parametrize("name", PATHS)
def test_a_page_is_accessible_in_light_and_dark(seen: Scene, name: str) -> None:
    with seen.page("light") as page:
        page.goto(PATHS[name])
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page) == []
        assert page.evaluate("document.scripts.length") == 0
        assert page.evaluate("document.querySelectorAll('h1').length") == 1


def test_the_check_for_accessibility_finds_what_is_wrong(seen: Scene) -> None:
    with seen.page() as page:
        page.goto(PATHS["repository"])
        page.evaluate(SPOILT)
        found = {one.partition(":")[0] for one in violations(page)}
    assert {"color-contrast", "label", "link-name", "empty-table-header"} <= found


@pytest.mark.parametrize("width", [1440, 1100])
@pytest.mark.parametrize("name", ["repositories", "repository", "test", "operator"])
def test_no_column_of_a_table_is_cut_off(seen: Scene, name: str, width: int) -> None:
    with seen.page(size={"width": width, "height": 900}) as page:
        page.goto(PATHS[name])
        assert page.locator(".wide").count() > 0
        assert page.eval_on_selector_all(".wide", CUT_OFF) == []


@pytest.mark.parametrize("name", ["repositories", "repository", "test", "log", "operator"])
def test_on_paper_nothing_is_wider_than_the_sheet(seen: Scene, name: str) -> None:
    with seen.page(size=PAPER) as page:
        page.goto(PATHS[name])
        page.emulate_media(media="print")
        assert page.evaluate(TOO_WIDE) <= 0


@pytest.mark.parametrize("name", PATHS)
def test_a_page_fits_a_telephone_and_asks_nobody_else(seen: Scene, name: str) -> None:
    asked: list[str] = []
    with seen.page(size=NARROW) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(PATHS[name])
        assert page.evaluate(TOO_WIDE) <= 0
    assert [url for url in asked if not url.startswith((seen.url, "data:"))] == []


def test_the_readers_setting_chooses_light_or_dark(seen: Scene) -> None:
    grounds = []
    with seen.page("light") as page:
        page.goto(PATHS["repositories"])
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


@pytest.mark.parametrize("name", ["repositories", "repository", "test", "operator"])
def test_on_paper_a_page_is_light_and_has_no_buttons(seen: Scene, name: str) -> None:
    with seen.page("dark") as page:
        page.goto(PATHS[name])
        page.emulate_media(media="print")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        assert page.locator("button, .skip, .top nav a:not(.name)").filter(visible=True).count() == 0
        assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("name", ["hostile-repository", "hostile-test", "repositories", "operator"])
def test_hostile_names_are_shown_and_nothing_of_them_comes_alive(seen: Scene, name: str) -> None:
    with seen.page() as page:
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        page.goto(PATHS[name])
        text = page.inner_text("main")
        assert "\u202e" not in text
        assert "\x1b" not in text
        assert page.locator("main img, main script, main [onload], main [onerror], main [onmouseover]").count() == 0
        targets = page.eval_on_selector_all("main a", LINKED)
        assert "evil.invalid" not in {urlsplit(target).netloc for target in targets}


def test_a_hostile_name_is_read_as_it_is_spelled(seen: Scene) -> None:
    with seen.page() as page:
        page.goto(PATHS["hostile-test"])
        assert page.inner_text("h1").startswith("tests/<img src=x onerror=alert(1)>/\\u202etxt.exe\\x1b[31m")


def test_a_plot_has_a_point_for_each_row_with_a_date_and_says_what_it_shows(seen: Scene) -> None:
    with seen.page() as page:
        page.goto(PATHS["test"])
        rows = page.locator("table tbody tr").count()
        assert rows == SIZE.nights
        assert page.locator("svg a").count() == rows
        assert page.locator("svg title").first.text_content()


def test_a_point_leads_to_its_log_line(seen: Scene) -> None:
    with seen.page() as page:
        page.goto(PATHS["test"])
        page.locator('svg a[*|href*="/log?"]').last.click()
        page.wait_for_url("**/log?**")
        assert page.evaluate("document.querySelector(':target') !== null")
