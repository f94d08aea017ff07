"""The functions of sentences: exact, and undefined where there is no value."""

from fractions import Fraction

import pytest

from kassay.properties.sentences.functions import ARITHMETIC, COMPARISONS, FUNCTIONS, divide
from kassay.properties.sentences.vocabulary import Undefined


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
