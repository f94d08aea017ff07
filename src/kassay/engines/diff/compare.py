"""Plays one case with two targets up to the first call whose answers differ, in assignment or quality.

Two objects behind one: each call goes to both, and the history continues with the first one's answer.
Each object gets only its own data back, as the driver of its kind defines it (`own_words`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple

from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.words import OwnWords
from kassay.model.calls import Failure, Refusal, failure_of
from kassay.model.shape.codec import Shape
from kassay.properties.answers import shown_lists
from kassay.properties.registry import Evidence, Violation
from kassay.writing.text import series


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


NOTHING: Final = "nothing"


class By(StrEnum):
    """What to compare of two answers: the assignments, or their quality, goal by goal."""

    ANSWER = "answer"
    QUALITY = "quality"


class Lead(StrEnum):
    """Whose answers a history follows; the other target gets the same calls."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Compared:
    """The result of one case: how many inputs both received, and the lines of the first difference, if any.

    On `unanswered` of the inputs both failed in the same way.
    """

    inputs: int
    unanswered: int = 0
    lines: tuple[Evidence, ...] = ()
    contradictory: bool = False


class ShrunkClaim(NamedTuple):
    """The claim for shrinking."""

    id: str


DIFFERENT: Final = ShrunkClaim("different")


@dataclass(frozen=True)
class Comparison:
    """Two targets compared; for shrinking, a driver that finds where they differ.

    `left` and `right` are the subjects, `names` the names of the two.
    """

    driver: Driver[Any]
    left: Subject
    right: Subject
    names: tuple[str, str]
    by: By = By.ANSWER
    lead: Lead = Lead.LEFT

    @property
    def form(self) -> Shape[Any]:
        """The case as JSON."""
        return self.driver.form

    def led_by(self, lead: Lead) -> Comparison:
        """The same comparison with another leading target."""
        return replace(self, lead=lead)

    def shrink_candidates(self, case: Any) -> Iterator[Any]:
        """Slightly smaller cases, the largest reductions first."""
        return self.driver.shrink_candidates(case)

    def restarts(self, case: Any, _: Subject) -> Iterator[Any]:
        """Cases that start in a state which this case reaches with the leading target."""
        return self.driver.restarts(case, self.leading)

    def size(self, case: Any) -> tuple[int, ...]:
        """The size by which cases are compared."""
        return self.driver.size(case)

    def examine(self, case: Any, _: Subject) -> Examination:
        """The first difference of the case as violations of `DIFFERENT`; the subject has no effect."""
        compared = self.compare(case)
        return Examination(
            violations=[Violation(DIFFERENT.id, line, compared.contradictory) for line in compared.lines]
        )

    @property
    def leading(self) -> Subject:
        """The target whose answers a history follows."""
        return self.left if self.lead is Lead.LEFT else self.right

    def subject(self, notebook: Notebook) -> Subject:
        """The leading target, with the same calls made to the other one."""
        lead, other = (self.left, self.right) if self.lead is Lead.LEFT else (self.right, self.left)
        return replace(lead, new=Pairs(lead.new, other.new, notebook), claims=(), twin=None)

    def compare(self, case: Any) -> Compared:
        """Play the case until the two differ, or to its end."""
        notebook = Notebook(self.driver.asks, own_words=self.driver.own_words())
        subject = self.subject(notebook)
        inputs, unanswered, contradictory = 0, 0, False
        for played in self.driver.play(case, subject):
            contradictory = played.contradictory
            exchanges, notebook.exchanges = notebook.exchanges, []
            if subject.assume and not self.driver.is_within(played, subject.assume):
                continue
            for exchange in exchanges:
                inputs += exchange.method == self.driver.asks
                if lines := tuple(self._differences(exchange)):
                    return Compared(inputs, unanswered, lines, contradictory)
                unanswered += isinstance(exchange.lead, Failure)
        for exchange in notebook.exchanges:
            if lines := tuple(self._differences(exchange)):
                return Compared(inputs, unanswered, lines, contradictory)
        return Compared(inputs, unanswered)

    def _differences(self, exchange: CallOfBoth) -> Iterator[Evidence]:
        """The differences between the two answers, one line each."""
        lead, other = exchange.lead, exchange.other
        if exchange.method == self.driver.asks and is_answer(lead) and is_answer(other):
            lead, other = self.driver.comparable(lead, other), self.driver.comparable(other, lead)
        one, two = self._said(exchange, lead), self._said(exchange, other)
        if self.lead is Lead.RIGHT:
            one, two = two, one
        for part in dict.fromkeys((*one, *two)):
            values = one.get(part, NOTHING), two.get(part, NOTHING)
            if values[0] != values[1]:
                yield Evidence(part, dict(zip(self.names, map(_shown, values))), self._words(part, values))

    def _words(self, part: str, values: tuple[object, object]) -> str:
        """The sentence on a part that differs."""
        one, two = values
        if isinstance(one, tuple) and isinstance(two, tuple) and self.by is By.ANSWER:
            one, two = shown_lists(one, two)
        shown = (series(value, most=8) if isinstance(value, tuple) else value for value in (one, two))
        return f"{part} differs: {', '.join(f'{n} gives {v}' for n, v in zip(self.names, shown))}."

    def _said(self, exchange: CallOfBoth, outcome: Any) -> Mapping[str, object]:
        """The part of the outcome that is compared."""
        if isinstance(outcome, Refusal):
            return {exchange.method: f"refuses with {outcome.java_class}"}
        if isinstance(outcome, Failure):
            return {exchange.method: f"{outcome.kind} {outcome.raised[0] if outcome.raised else ''}".strip()}
        if exchange.method != self.driver.asks:
            return {exchange.method: "answers"}
        if self.by is By.ANSWER:
            return self.driver.parts(outcome)
        return self.driver.measures(exchange.arguments, outcome)


def _shown(value: object) -> object:
    """The value in words; a tuple item by item."""
    return tuple(map(str, value)) if type(value) is tuple else value
