"""The pages without a mouse: signing in, walking down to a log line, and out again, by keys alone."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.scene import Scene, paths

MOST_KEYS = 400
WAY = (
    ("Sign in with GitHub", "**/login/oauth/authorize?**"),
    ("as olga", "**/pages"),
    ("zoo/engine", "**/r/7"),
    ("tests/e2e/zoo/", "**/test?**"),
    ("timing", "**/log?**"),
    ("Sign out", "**/signed-out"),
)
FOCUSED = """() => {
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const style = getComputedStyle(it), box = it.getBoundingClientRect();
  return {text: (it.textContent || it.value || '').trim().replace(/\\s+/g, ' '), tag: it.tagName.toLowerCase(),
          outline: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
          seen: box.width > 0 && box.right > 0 && box.bottom > 0};
}"""


def tab_to(page: Page, start: str) -> None:
    """Press Tab until what is focused begins with these words."""
    for _ in range(MOST_KEYS):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUSED)
        if at and at["text"].startswith(start):
            return
    raise AssertionError(f"no Tab leads to {start!r}")


def test_a_visitor_signs_in_reads_down_to_a_log_line_and_signs_out(seen: Scene) -> None:
    with seen.page(known=False) as page:
        page.goto("/pages")
        for words, there in WAY:
            tab_to(page, words)
            page.keyboard.press("Enter")
            page.wait_for_url(there)
        page.goto("/pages")
        assert page.get_by_role("link", name="Sign in with GitHub").is_visible()


def test_the_first_key_skips_to_the_content(seen: Scene) -> None:
    with seen.page() as page:
        page.goto(paths()["repository"])
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED)["text"] == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_every_stop_of_the_tab_key_is_seen(seen: Scene) -> None:
    for name in ("repository", "test", "operator"):
        with seen.page() as page:
            page.goto(paths()[name])
            stops = 0
            for _ in range(MOST_KEYS):
                page.keyboard.press("Tab")
                at = page.evaluate(FOCUSED)
                if at is None:
                    break
                assert at["outline"], at
                assert at["seen"], at
                stops += 1
            assert stops > 5
