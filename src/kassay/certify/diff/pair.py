"""Two objects behind one: each call goes to both, and the history continues with the first one's answer.

Each object gets only its own data back, as the driver of its kind defines it (`own_words`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from kassay.kinds.answers import OwnWords
from kassay.model.calls import Failure, Refusal, failure_of


class CallOfBoth(NamedTuple):
    """One call of both: the method, the arguments, and the answers of the leading and the other object."""

    method: str
    arguments: tuple[Any, ...]
    lead: Any
    other: Any


@dataclass
class Notebook:
    """The answers of two objects to the same calls, and other calls in which only one of them failed.

    `own_words` selects what goes back to the other object alone.
    """

    answers_by: str
    exchanges: list[CallOfBoth] = field(default_factory=list)
    own_words: OwnWords = field(default_factory=OwnWords)

    def note(self, method: str, arguments: tuple[Any, ...], lead: Any, other: Any) -> None:
        """Record the exchange if it is an answer, or if exactly one of the two failed."""
        if method == self.answers_by or is_answer(lead) is not is_answer(other):
            self.exchanges.append(CallOfBoth(method, arguments, lead, other))
        self.own_words.note(method, other)

    def for_other(self, argument: Any) -> Any:
        """The argument as the other object receives it."""
        return self.own_words.for_other(argument)


NewObject = Callable[[Mapping[str, str]], Any]
"""Makes a configured object; if it has an `of_group`, that returns the maker for the objects of one group."""


class Pair:
    """Forwards each call to two objects, in the full form of their kind; raises what the first one raises."""

    def __init__(self, lead: Any, other: Any, notebook: Notebook) -> None:
        self._lead, self._other, self._notebook = lead, other, notebook

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._lead, name)
        return partial(self._both, name) if callable(attribute) else attribute

    def _both(self, method: str, *arguments: Any) -> Any:
        theirs = tuple(map(self._notebook.for_other, arguments))
        lead, other = (
            partial(_call, self._lead, method, arguments),
            partial(_call, self._other, method, theirs),
        )
        return both(self._notebook, method, arguments, lead, other)


@dataclass(frozen=True)
class Pairs:
    """Makes pairs from a maker for each side."""

    lead: NewObject
    other: NewObject
    notebook: Notebook

    def __call__(self, config: Mapping[str, str]) -> Pair:
        """A new pair."""
        others: list[Any] = []
        lead, other = partial(self.lead, config), partial(self.other, config)
        first = both(self.notebook, "new", (config,), lead, lambda: others.append(other()))
        return Pair(first, others[0] if others else None, self.notebook)

    def of_group(self) -> Pairs:
        """The maker of one group's pairs."""
        return Pairs(_of_group(self.lead), _of_group(self.other), self.notebook)


def _of_group(new: NewObject) -> NewObject:
    """The maker of one group's objects, if it is a separate one."""
    of_group: Callable[[], NewObject] | None = getattr(new, "of_group", None)
    return new if of_group is None else of_group()


def both(
    notebook: Notebook,
    method: str,
    arguments: tuple[Any, ...],
    lead: Callable[[], Any],
    other: Callable[[], Any],
) -> Any:
    """The first object's answer, recorded with that of the other; raises what the first one raises."""
    try:
        answer = lead()
    except Exception as error:  # the target's own code
        notebook.note(method, arguments, refused_or_failed(error), _outcome(other))
        raise
    notebook.note(method, arguments, answer, _outcome(other))
    return answer


def _outcome(ask: Callable[[], Any]) -> Any:
    """The answer, or the failure."""
    try:
        return ask()
    except Exception as error:  # the target's own code
        return refused_or_failed(error)


def _call(target: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(target, method)(*arguments)


def is_answer(outcome: object) -> bool:
    """Whether the outcome of a call is an answer, not a refusal or a failure."""
    return not isinstance(outcome, Failure | Refusal)


def refused_or_failed(error: Exception) -> Failure | Refusal:
    """A refusal if the target declined as Kafka would, else the failure."""
    java_class = getattr(error, "java_class", None)
    return failure_of(error) if java_class is None else Refusal(java_class, str(error))
