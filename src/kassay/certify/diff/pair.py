"""Two objects that are asked as one: each call goes to both, and the first one's answer is what happens.

What an object says for itself comes back to it alone, as the driver of its kind has it (`own_words`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from kassay.kinds.answers import OwnWords
from kassay.model.calls import Failure, Refusal, failure_of


class CallOfBoth(NamedTuple):
    """One call of both: the method, what was asked, and what the leading and the other one answered."""

    method: str
    arguments: tuple[Any, ...]
    lead: Any
    other: Any


@dataclass
class Notebook:
    """What two objects said to the same calls: answers, and other calls in which only one of them failed.

    `own_words` is what comes back to the other object alone.
    """

    answers_by: str
    exchanges: list[CallOfBoth] = field(default_factory=list)
    own_words: OwnWords = field(default_factory=OwnWords)

    def note(self, method: str, arguments: tuple[Any, ...], lead: Any, other: Any) -> None:
        """Keep the exchange if it is an answer, or if one of the two failed and the other did not."""
        if method == self.answers_by or is_answer(lead) is not is_answer(other):
            self.exchanges.append(CallOfBoth(method, arguments, lead, other))
        self.own_words.note(method, other)

    def for_other(self, argument: Any) -> Any:
        """The argument as the other object gets it."""
        return self.own_words.for_other(argument)


NewObject = Callable[[Mapping[str, str]], Any]
"""Makes a configured object; one with an `of_group` makes those of one group by what that returns."""


class Pair:
    """An object in the full form of its kind that stands for two; what the first one raises it raises."""

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
    """What makes pairs of objects out of what makes one of each."""

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
        """What makes the pairs of one group."""
        return Pairs(_of_group(self.lead), _of_group(self.other), self.notebook)


def _of_group(new: NewObject) -> NewObject:
    """What makes the objects of one group, where that is another maker."""
    of_group: Callable[[], NewObject] | None = getattr(new, "of_group", None)
    return new if of_group is None else of_group()


def both(
    notebook: Notebook,
    method: str,
    arguments: tuple[Any, ...],
    lead: Callable[[], Any],
    other: Callable[[], Any],
) -> Any:
    """What the first one answers, noted beside what the other one does; raises what the first one raises."""
    try:
        answer = lead()
    except Exception as error:  # the target's own code
        notebook.note(method, arguments, refused_or_failed(error), _outcome(other))
        raise
    notebook.note(method, arguments, answer, _outcome(other))
    return answer


def _outcome(ask: Callable[[], Any]) -> Any:
    """The answer, or how there is none."""
    try:
        return ask()
    except Exception as error:  # the target's own code
        return refused_or_failed(error)


def _call(target: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    return getattr(target, method)(*arguments)


def is_answer(outcome: object) -> bool:
    """Whether what came of a call is an answer, not a refusal or a failure."""
    return not isinstance(outcome, Failure | Refusal)


def refused_or_failed(error: Exception) -> Failure | Refusal:
    """A refusal where the target declined as Kafka would, else the failure."""
    java_class = getattr(error, "java_class", None)
    return failure_of(error) if java_class is None else Refusal(java_class, str(error))
