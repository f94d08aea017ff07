"""The site: its navigation has every page of `docs` once and no other, and no page of it asks for anything elsewhere."""

import os
import re
import subprocess
import sys

import pytest

from tests.npm import unpacked
from tests.paths import DOCS, ROOT


def test_every_page_is_in_the_navigation_and_the_other_way_round():
    text = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/-]+\.md)$", text, re.M)
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages)


def test_the_index_links_every_page():
    linked = re.findall(r"\]\(([\w/-]+\.md)\)", (DOCS / "index.md").read_text())
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert set(linked) == pages - {"index.md"}


def built(folder, **variables):
    pytest.importorskip("material", reason="mkdocs-material is not installed")
    argv = [sys.executable, "-m", "mkdocs", "build", "--quiet", "-d", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", **variables}
    subprocess.run(argv, cwd=ROOT, env=environment, check=True)
    return (folder / "protocols" / "index.html").read_text(encoding="utf-8")


@pytest.mark.browser
def test_a_page_with_diagrams_draws_them_and_asks_for_nothing_elsewhere(chromium, tmp_path):
    unpacked("mermaid")
    page = built(tmp_path)
    diagrams = page.count('<pre class="mermaid">')
    assert diagrams == (DOCS / "protocols.md").read_text().count("```mermaid")
    context = chromium.new_context()
    view, asked = context.new_page(), []
    context.route("**/*", lambda route: (asked.append(route.request.url), served(route, tmp_path)))
    view.goto("http://site.invalid/protocols/index.html")
    view.locator("div.mermaid").nth(diagrams - 1).wait_for()
    assert view.locator("pre.mermaid").count() == 0
    assert {url.split("/")[2] for url in asked} == {"site.invalid"}
    context.close()


def served(route, folder):
    """Answers out of the folder; what lies elsewhere is refused."""
    _, _, host, *path = route.request.url.split("?")[0].split("/")
    file = folder.joinpath(*path)
    if host == "site.invalid" and file.is_file():
        route.fulfill(path=file)
    else:
        route.abort()


@pytest.mark.browser
def test_without_mermaid_diagrams_are_text(tmp_path):
    page = built(tmp_path, KASSAY_NODE_MODULES=str(tmp_path / "nowhere"))
    assert "mermaid.min.js" not in page
    assert '<pre class="mermaid">' not in page
    assert "stateDiagram-v2" in page
