"""Helpers for pages in a real Chromium, for tests with the mark `browser`.

The fixture `open_page(html)` opens the text as an offline file and returns Playwright's page. At the end of
the test, a page that requested anything, or about which the browser complained, fails it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Page = Any
"""Playwright's page; Playwright is installed in a separate environment."""
Opener = Callable[..., Page]

NAMING = {"cat.name-role-value", "cat.text-alternatives", "cat.tables", "cat.structure"}
"""The rules about accessible names, including tables and headings."""
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
    wide = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
        .map(e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 40))"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def axe(page: Page) -> None:
    """The page has no serious violation of axe-core's rules, and none of the rules about accessible names.

    Skips without axe-core.
    """
    from tests.npm import unpacked

    source = unpacked("axe-core") / "axe.min.js"
    page.evaluate(source.read_text(encoding="utf-8"))
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    grave = [
        f"{rule['id']} ({rule['impact']}): {node['html'][:200]} {node['failureSummary']}"
        for rule in result["violations"]
        if rule["impact"] in ("serious", "critical") or NAMING.intersection(rule["tags"])
        for node in rule["nodes"][:3]
    ]
    assert not grave, "\n".join(grave)


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
