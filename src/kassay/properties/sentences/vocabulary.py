"""The vocabulary of sentences: things, measures of them, and functions of numbers.

The vocabulary of sentences about one kind of target: things, and measures of them.

The functions of numbers in sentences: exact, never rounded, and undefined where there is no result.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, NamedTuple

from kassay.model.kinds import Kind
from kassay.model.lazy import lazy
from kassay.properties.registry import Scope

Number = int | Fraction
Value = Number | bool | Sequence[Number]


class Undefined(ArithmeticError):
    """A value that does not exist: the largest of nothing, a quotient by 0. Such a check does not count."""


class Type(StrEnum):
    """The type of a value, in the words of errors."""

    NUMBER = "a number"
    NUMBERS = "several numbers"
    TRUTH = "something that is true or false"
    THING = "a thing"


class Things(NamedTuple):
    """Things that a sentence can go through: their name, the letter of one, their meaning.

    `each` returns those of a scene.
    """

    name: str
    letter: str
    each: Callable[[Any], Sequence[Any]]
    meaning: str


class Quantity(NamedTuple):
    """A measure of a scene, or of one or two things in it.

    `of` are the names of the things, `scope` is the input of a claim that uses it: None for any.
    """

    name: str
    of: tuple[str, ...]
    type: Type
    read: Callable[..., Any]
    meaning: str
    scope: Scope | None = None


@dataclass(frozen=True)
class Vocabulary:
    """The words of a kind.

    `scene` builds a scene from the input of a claim of a scope; it raises `Undefined` where there is none.
    `others` returns scenes with other well-formed answers to the same input. `scope` is that of claims with
    no measure that needs another.
    """

    kinds: tuple[Kind, ...]
    things: tuple[Things, ...]
    measures: tuple[Quantity, ...]
    scope: Scope
    scene: Callable[[Scope, tuple[Any, ...]], Any]
    others: Callable[[Any], Iterable[Any]]
    everything: str
    fix: str = "give an answer of which the sentence is true wherever its conditions hold"

    @lazy
    def by_name(self) -> Mapping[str, tuple[Quantity, ...]]:
        """The measures of each name, in order."""
        names = dict.fromkeys(measure.name for measure in self.measures)
        return {name: tuple(m for m in self.measures if m.name == name) for name in names}

    @lazy
    def things_by_name(self) -> Mapping[str, Things]:
        """The things by name."""
        return {things.name: things for things in self.things}

    @lazy
    def things_by_letter(self) -> Mapping[str, Things]:
        """The things by the letter of one."""
        return {things.letter: things for things in self.things}

    def form(self, measure: Quantity) -> str:
        """The measure as a sentence writes it: `load(m)`."""
        letters = [self.things_by_name[of].letter for of in measure.of]
        return f"{measure.name}({', '.join(letters)})" if letters else measure.name


def checked_on(measure: Quantity) -> str:
    """What a claim with this measure is checked on; empty for a single answer."""
    if measure.type is Type.TRUTH:
        return "a condition"
    return {"rebalance": "a rebalance with all its rounds", "optimum": "an answer and the optimum"}.get(
        str(measure.scope), ""
    )


def number(
    name: str, of: str, read: Callable[..., Any], meaning: str, scope: Scope | None = None
) -> Quantity:
    """A measure that is a number; `of` names the things with blanks between."""
    return Quantity(name, tuple(of.split()), Type.NUMBER, read, meaning, scope)


def numbers(name: str, read: Callable[..., Any], meaning: str, scope: Scope | None = None) -> Quantity:
    """A measure that is several numbers."""
    return Quantity(name, (), Type.NUMBERS, read, meaning, scope)


def flag(name: str, read: Callable[..., Any], meaning: str) -> Quantity:
    """A measure that is true or false of a scene."""
    return Quantity(name, (), Type.TRUTH, read, meaning)


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
