"""Vocabularies: every word can be looked up, and none means two things."""

import pytest

from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.properties.sentences.functions import FUNCTIONS
from kassay.properties.sentences.words import VOCABULARIES


@pytest.mark.parametrize("kind", VOCABULARIES)
def test_words_are_of_one_meaning(kind):
    words = VOCABULARIES[kind]
    assert len({(m.name, m.of) for m in words.measures}) == len(words.measures)
    assert len(words.things_by_letter) == len(words.things_by_name) == len(words.things)
    assert not {m.name for m in words.measures} & {*FUNCTIONS, *words.things_by_letter}
    assert all(of in words.things_by_name for m in words.measures for of in m.of)


def test_both_kinds_of_consumer_groups_have_the_same_words():
    assert VOCABULARIES[CLIENT] is VOCABULARIES[SERVER]
