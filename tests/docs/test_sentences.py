"""The page of the claim language has its grammar and its limits; `kassay list words` has its words."""

from kassay.cli.commands.list import THINGS
from kassay.properties.sentences.grammar import DEPTH_MAX, GRAMMAR, LENGTH_MAX
from kassay.properties.sentences.vocabulary import FUNCTIONS
from kassay.properties.sentences.words import VOCABULARIES
from tests.docs.markdown import fenced, section
from tests.paths import DOCS

PAGE = (DOCS / "sentences.md").read_text(encoding="utf-8")


def test_the_grammar_of_the_page_is_that_of_the_code() -> None:
    assert fenced(section(PAGE, "Grammar"))[0] == GRAMMAR.strip()
    assert f"{LENGTH_MAX} characters" in PAGE
    assert f"{DEPTH_MAX} deep" in PAGE


def test_every_word_and_function_is_listed() -> None:
    listed = {(row["kinds"], row["word"]) for row in THINGS["words"]()}
    assert {("every kind", name) for name in FUNCTIONS} < listed
    for kind, words in VOCABULARIES.items():
        kinds = " ".join(map(str, words.kinds))
        assert str(kind) in kinds.split()
        assert {(kinds, words.form(each)) for each in words.measures} < listed
