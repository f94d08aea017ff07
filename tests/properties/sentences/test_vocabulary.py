"""Vocabularies: every word can be looked up, and none means two things.

The functions of sentences: exact, and undefined where there is no value.
"""

from fractions import Fraction

import pytest

from kassay.model.groups.kinds import CLIENT, SERVER
from kassay.properties.sentences.vocabulary import ARITHMETIC, COMPARISONS, FUNCTIONS, Undefined, divide
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


def test_numbers_are_never_rounded():
    assert divide(1, 3) == Fraction(1, 3)
    assert FUNCTIONS["avg"].call([1, 2]) == Fraction(3, 2)
    assert FUNCTIONS["ceil"].call([Fraction(10**30 + 1, 10**30)]) == 2
    assert FUNCTIONS["floor"].call([Fraction(-1, 2)]) == -1
    assert FUNCTIONS["abs"].call([Fraction(-1, 2)]) == Fraction(1, 2)
    assert FUNCTIONS["sum"].call([]) == FUNCTIONS["count"].call([]) == 0


@pytest.mark.parametrize("name", ["max", "min", "avg"])
def test_of_nothing_there_is_no(name):
    with pytest.raises(Undefined):
        FUNCTIONS[name].call([])


def test_a_quotient_by_0_is_undefined():
    with pytest.raises(Undefined):
        ARITHMETIC["/"](1, 0)


def test_comparisons_are_those_of_numbers():
    assert [name for name, compare in COMPARISONS.items() if compare(1, 2)] == ["<=", "<", "!="]
