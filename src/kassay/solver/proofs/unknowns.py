"""The parts of a closed form: terms of Z3 by the words of a sentence, and the facts about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Unknowns(NamedTuple):
    """Terms by the text that names them in a sentence, and the facts about their unknowns."""

    terms: Mapping[str, Any]
    known: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


class AnyAnswer(NamedTuple):
    """The unknowns of a closed form without its rule: the same inputs, and every possible answer."""

    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]


class ClosedForm(NamedTuple):
    """A rule's formula: its conditions, its unknowns, and those of one of its things.

    A claim that holds for `anything`, whatever the rule answers, says nothing about the rule.
    """

    needs: frozenset[str]
    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]
    anything: AnyAnswer
    exact: bool = True
