"""The parts of a closed form: terms of Z3 by the words of a sentence, and the facts about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Unknowns(NamedTuple):
    """Terms by the text that names them in a sentence, and the facts about their unknowns."""

    terms: Mapping[str, Any]
    known: tuple[Any, ...]
    shown: tuple[Any, ...] = ()


class ClosedForm(NamedTuple):
    """A rule's formula: its conditions, its unknowns, and those of one of its things."""

    needs: frozenset[str]
    whole: Callable[[], Unknowns]
    each: Mapping[str, Callable[[str], Unknowns]]
    exact: bool = True
