"""Plays one case with two targets up to the first call whose answers differ, in assignment or quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, NamedTuple

from kassay.certify.diff.pair import CallOfBoth, Notebook, Pairs, is_answer
from kassay.kinds.judging import Examination, Subject
from kassay.kinds.protocol import Driver
from kassay.model.calls import Failure, Refusal
from kassay.model.shape.codec import Shape
from kassay.properties.registry import Evidence, Violation

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


class Promised(NamedTuple):
    """The claim for shrinking."""

    id: str


DIFFERENT: Final = Promised("different")


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
        return replace(lead, new=Pairs(lead.new, other.new, notebook), promises=(), twin=None)

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
            lead, other = self.driver.beside(lead, other), self.driver.beside(other, lead)
        one, two = self._said(exchange, lead), self._said(exchange, other)
        if self.lead is Lead.RIGHT:
            one, two = two, one
        for part in dict.fromkeys((*one, *two)):
            values = one.get(part, NOTHING), two.get(part, NOTHING)
            if values[0] != values[1]:
                yield Evidence(part, dict(zip(self.names, map(_shown, values), strict=True)))

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
