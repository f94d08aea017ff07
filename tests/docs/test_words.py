"""The pages stay short: a limit for the words of the root's pages and of `docs`, which only goes down."""

from tests.paths import DOCS, ROOT

WORDS_MAX = 85_000
"""Words of all pages, console blocks and tables included."""


def test_the_pages_stay_short() -> None:
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    words = {path.name: len(path.read_text("utf-8").split()) for path in pages}
    largest = sorted(words.items(), key=lambda page: -page[1])[:5]
    assert sum(words.values()) <= WORDS_MAX, f"{sum(words.values()):,} words; the largest: {largest}"
