"""Where a case breaks a claim: the reported steps, and the evidence at each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from kassay.kinds.judging import PreparedPromise, Subject, plain
from kassay.model.calls import Failure
from kassay.properties.registry import Evidence, Promise, Scope

if TYPE_CHECKING:
    from kassay.kinds.protocol import Driver

BROKEN_MAX = 16
"""Pieces of evidence that a trace keeps at most."""


class BrokenStep(NamedTuple):
    """Evidence against a claim, and its place in the reported case.

    `place` is the number of a reported step, from 0, and for a group's assignor that of the round in it.
    `thing` is what was judged: a step, or everything that one change led to.
    """

    place: tuple[int, ...]
    evidence: Evidence
    thing: Any
    contradictory: bool

    def to_json(self) -> dict[str, Any]:
        """The JSON form in a trace: the step, the round or null, the subject, and the facts."""
        return {
            "step": self.place[0],
            "round": self.place[1] if len(self.place) > 1 else None,
            "subject": self.evidence.subject,
            "facts": {name: plain(value) for name, value in self.evidence.facts.items()},
        }


def broken_steps(
    driver: Driver[Any], plays: Iterable[Any], subject: Subject, promised: Promise
) -> list[BrokenStep]:
    """The evidence in the plays of a case, in order; only that on ordinary input if there is any."""
    check = PreparedPromise.of(promised)
    subject.renew()
    steps: list[BrokenStep] = []
    for number, played in enumerate(plays):
        if not subject.assume or driver.is_within(played, subject.assume):
            steps += _broken_in(driver, number, played, check)
    return [step for step in steps if not step.contradictory] or steps


def evidence_of(driver: Driver[Any], check: PreparedPromise, thing: Any) -> list[Evidence]:
    """The evidence against the claim in the thing; none where the claim does not apply."""
    if check.promise.claim.scope is Scope.OPTIMUM:
        optimum = driver.best(thing, check.promise)
        if optimum is None:
            return []
        thing = thing, optimum
    if check.applies is not None and not check.applies(thing):
        return []
    return list(check.predicate(thing))


def _judged(driver: Driver[Any], played: Any, check: PreparedPromise) -> Sequence[Any]:
    """What the claim is checked on, as the judge chooses it."""
    scope = check.promise.claim.scope
    if scope is Scope.STEP:
        return [s for s in played.steps if check.of_unanswered or not isinstance(s.answer, Failure)]
    if scope is Scope.REBALANCE:
        return [] if isinstance(played.steps[-1].answer, Failure) else [played]
    if scope is Scope.OUTCOME:
        outcomes: Sequence[Any] = played.outcomes
        return outcomes
    return driver.compared(played) if scope is Scope.OPTIMUM else []


def _broken_in(driver: Driver[Any], number: int, played: Any, check: PreparedPromise) -> Iterator[BrokenStep]:
    for thing in _judged(driver, played, check):
        evidence = evidence_of(driver, check, thing)
        if not evidence:
            continue
        contradictory = bool((thing if check.promise.claim.scope is Scope.STEP else played).contradictory)
        places = driver.places(number, played, thing, evidence, partial(evidence_of, driver, check))
        yield from (BrokenStep(place, each, thing, contradictory) for place, each in zip(places, evidence))
