"""Helpers for pages in a real Chromium, for tests with the mark `browser`.

The fixture `open_page(html)` opens the text as an offline file and returns Playwright's page. At the end of
the test, a page that requested anything, or about which the browser complained, fails it.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Page = Any
"""Playwright's page; Playwright is installed in a separate environment."""
Opener = Callable[..., Page]


def expect(found: Any) -> Any:
    """Playwright's assertions, which wait: a page answers a click, a key or a resize after the call has returned."""
    return pytest.importorskip("playwright.sync_api").expect(found)


def eventually(page: Page, script: str, wanted: Any) -> None:
    """The script's answer is `wanted`, now or within the five seconds that Playwright's assertions wait."""
    deadline = time.monotonic() + 5
    while (answer := page.evaluate(script)) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(20)
    assert answer == wanted


NARROW = 400
"""The width of a phone, at which nothing may scroll sideways."""
SHEET = 718
"""The width of a sheet of paper (A4) with margins of a centimetre, in CSS pixels."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser of this test run; skips if there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no Chromium on the PATH")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page: `open_page(html, width=400, dark=True, fragment="#round-2", still=True)`."""
    contexts, complaints, requests = [], [], []

    def show(
        html: str,
        *,
        width: int = 1200,
        dark: bool = False,
        fragment: str = "",
        still: bool = False,
        **options: Any,
    ) -> Page:
        file = tmp_path / f"page-{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
            offline=True,
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{file.as_uri()}{fragment}")
        return page

    yield show
    for context in contexts:
        context.close()
    assert complaints == [], "the browser complained"
    own = tmp_path.as_uri()
    assert [url for url in requests if not url.startswith(own)] == [], "the page asked for something"


def no_overflow(page: Page, width: int = NARROW) -> None:
    """Nothing on the page is wider than a window of this width, so that nothing scrolls sideways."""
    page.set_viewport_size({"width": width, "height": 800})
    eventually(
        page,
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40))""",
        [],
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def axe(page: Page) -> None:
    """The page has no violation of any of axe-core's rules, whatever its impact. Skips without axe-core."""
    from tests.npm import unpacked

    if not page.evaluate("'axe' in window"):
        page.evaluate((unpacked("axe-core") / "axe.min.js").read_text(encoding="utf-8"))
    result = page.evaluate(
        """async () => {
          axe.configure({rules: axe.getRules().map(({ruleId}) => ({id: ruleId, enabled: true}))});
          return axe.run(document, {resultTypes: ['violations']});
        }"""
    )
    found = [
        f"{rule['id']} ({rule['impact']}): {node['html'][:200]} {node['failureSummary']}"
        for rule in result["violations"]
        for node in rule["nodes"][:3]
    ]
    assert not found, "\n".join(found)


def unfold(page: Page) -> None:
    """Open every fold; the pieces that are still packed are left alone."""
    page.evaluate(
        "for (const each of document.querySelectorAll('details:not([data-piece])')) each.open = true"
    )


SIZES_MAX = 4
"""The sizes of type that a page has at most."""


def few_sizes(page: Page) -> None:
    """No more than four sizes of type are on the page."""
    sizes = page.evaluate(
        """() => [...new Set([...document.querySelectorAll('body *')]
        .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
        .map(e => getComputedStyle(e).fontSize))]"""
    )
    assert len(sizes) <= SIZES_MAX, sizes


def reachable(page: Page) -> None:
    """Every fold, link, field and button on the page can be focused by keyboard, and shows that it is."""
    lost = page.evaluate(
        """() => [...document.querySelectorAll('summary, a[href], button, input')].filter(e => e.checkVisibility() && !e.disabled)
        .filter(e => { e.focus({focusVisible: true}); const style = getComputedStyle(e);
          return document.activeElement !== e || e.tabIndex < 0 || (style.outlineStyle === 'none' && !e.matches('svg a')); })
        .map(e => e.outerHTML.slice(0, 120))"""
    )
    assert lost == []


def scrolls_visibly(page: Page) -> None:
    """What is wider than its place says so."""
    eventually(
        page,
        """() => [...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth + 1 && !e.classList.contains('wide'))
        .map(e => e.getAttribute('aria-label'))""",
        [],
    )


def sound(page: Page) -> None:
    """The page is sound as it opens, with every fold open, and at 400 px: axe-core, keys, sizes, width."""
    for unfolded in (False, True):
        if unfolded:
            unfold(page)
        axe(page)
        few_sizes(page)
        reachable(page)
    no_overflow(page)
    axe(page)
    few_sizes(page)
    scrolls_visibly(page)


def on_paper(page: Page, *shown: str) -> None:
    """A printed page: nothing is folded, the elements of these selectors are visible, and no control is.

    Graphics fit the sheet, on white whatever the screen's theme, and no column heading is larger than the
    text below it. Boards that were never opened stay packed.
    """
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for selector in shown:
        every = page.locator(selector).all()
        assert every, selector
        assert all(each.is_visible() for each in every), selector
    assert all(each.is_visible() for each in page.locator("details:not([data-piece]) > *").all())
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    sizes = (
        """name => [...document.querySelectorAll(name)].map(e => parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert max(page.evaluate(sizes, "thead th"), default=0) <= max(
        page.evaluate(sizes, "tbody td"), default=0
    )
    controls = page.locator("button, input, .controls, .copy").all()
    assert not any(each.is_visible() for each in controls)
    no_overflow(page, SHEET)
