"""The functions of numbers in sentences: exact, never rounded, and undefined where there is no result."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from kassay.properties.sentences.vocabulary import Number, Undefined


class Function(NamedTuple):
    """A function of numbers: of one, of two or more, or of several at once."""

    call: Callable[[Sequence[Number]], Number]
    takes: str
    meaning: str


def _most(numbers: Sequence[Number]) -> Number:
    if not numbers:
        raise Undefined("the largest of nothing")
    return max(numbers)


def _least(numbers: Sequence[Number]) -> Number:
    if not numbers:
        raise Undefined("the smallest of nothing")
    return min(numbers)


def _total(numbers: Sequence[Number]) -> Number:
    total: Number = 0
    for each in numbers:
        total += each
    return total


def divide(left: Number, right: Number) -> Number:
    """The exact quotient; raises `Undefined` by 0."""
    if right == 0:
        raise Undefined("a quotient by 0")
    return Fraction(left) / right


FUNCTIONS: Final[Mapping[str, Function]] = {
    "max": Function(_most, "several", "the largest of several numbers, or of those in the brackets"),
    "min": Function(_least, "several", "the smallest"),
    "sum": Function(_total, "several", "their sum"),
    "avg": Function(lambda numbers: divide(_total(numbers), len(numbers)), "several", "their mean, exact"),
    "count": Function(len, "several", "how many; `count(m: ...)` of how many things something is true"),
    "ceil": Function(lambda one: math.ceil(one[0]), "one", "the smallest whole number that is not below"),
    "floor": Function(lambda one: math.floor(one[0]), "one", "the largest whole number that is not above"),
    "abs": Function(lambda one: max(one[0], -one[0]), "one", "without its sign"),
}

ARITHMETIC: Final[Mapping[str, Callable[[Number, Number], Number]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": divide,
}

COMPARISONS: Final[Mapping[str, Callable[[Number, Number], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
}
