"""The page: whole offline, and shown by a browser."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from kassay.report.pages import html


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.depth = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]


def test_the_page_asks_for_nothing_else(certificates):
    text = html.render(certificates)
    page = Page()
    page.feed(text)
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?://|@import|url\(", text)
    assert "mine &amp; &lt;yours&gt;.py" in text
    assert "<yours>" not in text


def test_a_browser_shows_the_page(certificates, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    path = tmp_path / "report.html"
    path.write_text(html.render(certificates))
    dumped = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "not-certified" in dumped.stdout
    assert 'class="round on"' in dumped.stdout
