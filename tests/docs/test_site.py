"""The site's navigation: every page of `docs` stands in it once, and it names none that is not there."""

import re

from tests.paths import DOCS, ROOT


def test_every_page_is_in_the_navigation_and_the_other_way_round():
    text = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r"([\w/-]+\.md)$", text, re.M)
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert sorted(listed) == sorted(pages)
