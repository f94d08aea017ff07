"""Events and answers in words, and an answer as Python.

The events of histories in words: each family has one table, with two forms of each event.

What explains an answer: the assertions that it must pass as Python, its call, and a few words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, NamedTuple, TypeAlias

from kassay.model.java import JavaRandom
from kassay.model.kinds import Verdict
from kassay.model.shape.removal import plain_event

Event: TypeAlias = Mapping[str, Any]
"""The document of an event; its field `event` holds the name."""


class EventForm(NamedTuple):
    """The words for an event: as a noun (`m1 leaving`) and as a sentence (`m1 leaves`)."""

    noun: Callable[[Event], str]
    sentence: Callable[[Event], str]


def noun_of(forms: Mapping[str, EventForm], event: Event) -> str:
    """The event as a noun; built from its fields where the table has no entry.

    >>> noun_of({}, {"event": "ProcessLeave", "process": "p1"})
    'the process leave p1'
    """
    form = forms.get(event["event"])
    return plain_event(event) if form is None else form.noun(event)


def sentence_of(forms: Mapping[str, EventForm], event: Event) -> str:
    """The event as a sentence; built from its fields where the table has no entry.

    >>> sentence_of({}, {"event": "ProcessLeave", "process": "p1"})
    'process leave p1'
    """
    form = forms.get(event["event"])
    return plain_event(event).removeprefix("the ") if form is None else form.sentence(event)


OPTIMUM: Final = "the certified optimum"
BEFORE: Final = "the previous assignment"
Offer = tuple[str, Any]
"""The name of the rule that answers, and its answer."""
_SHOWN: Final = 6
"""Members, moves or partitions that one line names."""


class Asserts(NamedTuple):
    """Lines after the call; `raises` replaces them where an error is the correct answer."""

    lines: tuple[str, ...] = ()
    raises: str = ""

    @property
    def imports(self) -> tuple[str, ...]:
        """Imports that the lines need."""
        return ("import pytest", "") if self.raises else ()

    @property
    def assigns(self) -> str:
        """Lines before the call."""
        return "answer = " if self.lines else ""

    def around(self, call: Sequence[str]) -> list[str]:
        """The call, inside the block that expects the error if one is correct."""
        if not self.raises:
            return list(call)
        return [f"with pytest.raises({self.raises}):", *(f"    {line}" for line in call)]


class PlainCall(NamedTuple):
    """How to call a class in one of its forms: the method, and its arguments, positional and named.

    `full` says whether the values are those of the full form, which a test has to import.
    """

    method: str
    arguments: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()
    full: bool = False


class ShownAnswer(NamedTuple):
    """A traced answer: its document, its measures, the measures of the answer it replaces, and a line."""

    answer: Any
    measures: dict[str, Any]
    instead_of: dict[str, Any]
    words: str


class TimedSizes(NamedTuple):
    """The result of timing a target for a claim: the verdict, the reason, and the number of sizes timed."""

    verdict: Verdict
    why: str
    sizes: int = 0


class OwnWords:
    """What an object gets back from its own answers where two get the same calls: here its random numbers."""

    def note(self, method: str, outcome: Any) -> None:
        """Record the other object's answer, or its failure."""

    def for_other(self, argument: Any) -> Any:
        """The argument as the other object receives it."""
        return deepcopy(argument) if isinstance(argument, JavaRandom) else argument


def few(words: Sequence[str], between: str = ", ") -> str:
    """The first items, and the number of the others."""
    rest = len(words) - _SHOWN
    return between.join(words[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
