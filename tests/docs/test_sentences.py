"""The page of the claim language is what its writer writes now."""

from tests.paths import DOCS
from writers.sentences import page

AGAIN = "regenerate it: python docs/writers/sentences.py > docs/sentences.md"


def test_the_page_is_what_the_writer_writes() -> None:
    assert (DOCS / "sentences.md").read_text(encoding="utf-8") == page(), AGAIN
