"""The pages stay short: a limit for the words of the root's pages and of `docs`, which only goes down."""

import pytest

from tests.paths import DOCS, ROOT

WORDS_MAX = 85_000
"""Words of all pages, console blocks and tables included."""

OPENING = 75
"""Words within which a page asks the question that it answers."""
TUTORIALS = ("python", "counterexample", "rollout", "placement")
NEWCOMER_MAX = 3_600
"""Words of the README and the tutorials that it sends a newcomer to."""
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


def test_the_pages_stay_short() -> None:
    words = {path.name: len(path.read_text("utf-8").split()) for path in PAGES}
    largest = sorted(words.items(), key=lambda page: -page[1])[:5]
    assert sum(words.values()) <= WORDS_MAX, f"{sum(words.values()):,} words; the largest: {largest}"


def test_the_pages_of_a_newcomer_stay_short() -> None:
    pages = [ROOT / "README.md", *(DOCS / "tutorials" / f"{name}.md" for name in TUTORIALS)]
    assert sum(len(path.read_text("utf-8").split()) for path in pages) <= NEWCOMER_MAX
    assert all(f"docs/tutorials/{name}.md" in pages[0].read_text("utf-8") for name in TUTORIALS)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "RELEASING.md"], ids=lambda page: page.stem
)
def test_a_page_opens_with_the_question_that_it_answers(page) -> None:
    assert any(word.endswith("?") for word in page.read_text("utf-8").split()[:OPENING])
