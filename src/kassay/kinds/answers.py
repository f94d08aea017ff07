"""What an answer is explained with: what must hold of it as Python, the call that gives it, a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple

from kassay.model.java.randomness import JavaRandom
from kassay.model.verdict import Verdict

OPTIMUM: Final = "the certified optimum"
BEFORE: Final = "what it was before"
Offer = tuple[str, Any]
"""Whose answer it is, and the answer."""
_SHOWN: Final = 6
"""Members, moves or partitions that a line names."""


class Asserts(NamedTuple):
    """Lines behind the call; `raises` in place of an answer, where an error is what must come."""

    lines: tuple[str, ...] = ()
    raises: str = ""

    @property
    def imports(self) -> tuple[str, ...]:
        """What the lines need."""
        return ("import pytest", "") if self.raises else ()

    @property
    def assigns(self) -> str:
        """What stands before the call."""
        return "answer = " if self.lines else ""

    def around(self, call: Sequence[str]) -> list[str]:
        """The call, in the block that expects the error if one must come."""
        if not self.raises:
            return list(call)
        return [f"with pytest.raises({self.raises}):", *(f"    {line}" for line in call)]


class PlainCall(NamedTuple):
    """How a class in one of its forms is called: the method, and its arguments as values, by name where
    named.

    `full` says whether the values are those of the full form, which a test has to import.
    """

    method: str
    arguments: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()
    full: bool = False


class ShownAnswer(NamedTuple):
    """An answer as a trace keeps it: its document, its measures, those of the one it replaces, and a line."""

    answer: Any
    measures: dict[str, Any]
    instead_of: dict[str, Any]
    words: str


class TimedSizes(NamedTuple):
    """What timing a target shows of a promise: the verdict, why, and at how many sizes it was timed."""

    verdict: Verdict
    why: str
    sizes: int = 0


class OwnWords:
    """What comes back to one of two objects alone, where both get the same calls: here its random numbers."""

    def note(self, method: str, outcome: Any) -> None:
        """Take in what the other object answered, or how it did not."""

    def for_other(self, argument: Any) -> Any:
        """The argument as the other object gets it."""
        return deepcopy(argument) if isinstance(argument, JavaRandom) else argument


def few(words: Sequence[str], between: str = ", ") -> str:
    """The first of them, and how many more there are."""
    rest = len(words) - _SHOWN
    return between.join(words[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def listed(things: Iterable[object]) -> str:
    """The things with blanks between them; a dash for none."""
    return few([str(thing) for thing in things], " ") or "-"
