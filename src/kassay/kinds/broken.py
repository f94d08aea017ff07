"""Where a case breaks a claim, and what the evidence marks in it.

What the evidence marks in a case: names at places, and a correct answer to replace a wrong one.

Where a case breaks a claim: the reported steps, and the evidence at each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from kassay.kinds.judging import PreparedClaim, Subject, plain
from kassay.model.calls import Failure
from kassay.properties.registry import Claim, Evidence, Scope

if TYPE_CHECKING:
    from kassay.kinds.protocol import Driver


Place = tuple[int, int | None]
"""The number of a step, and of the round in it where steps have rounds."""


class CouldBe(NamedTuple):
    """An answer that keeps the claim, to replace the one at `place`.

    `by` names the rule that gives it, and `certified` says whether a solver proved that none is better.
    `answer` is in the form of the reported answer; `measures` are its goals, `instead_of` those of the wrong
    answer.
    """

    place: Place
    by: str
    certified: bool
    words: str
    answer: Any
    measures: Mapping[str, Any]
    instead_of: Mapping[str, Any]


def could_be_of(document: Mapping[str, Any] | None) -> CouldBe | None:
    """The value of `could_be` in a trace or a counterexample; None where none is known."""
    if document is None:
        return None
    fields = {name: document[name] for name in CouldBe._fields if name != "place"}
    return CouldBe((document["step"], document["round"]), **fields)


@dataclass(frozen=True)
class Guilt:
    """The names in the violations, their places, and an answer that keeps the claim, with its place.

    `names` apply to places that are not in `at`: a trace recorded before places were kept has none, and its
    last step counts as the broken one.
    """

    names: frozenset[str] = frozenset()
    at: Mapping[Place, frozenset[str]] | None = None
    could_be: CouldBe | None = None

    def broken(self, place: Place, last: bool) -> bool:
        """Whether the claim is broken at the place."""
        return last and bool(self.names) if self.at is None else place in self.at

    def guilty(self, place: Place, last: bool) -> frozenset[str]:
        """The names that are marked at the place."""
        if self.at is None:
            return self.names if last else frozenset()
        return self.at.get(place, frozenset())

    def alternative(self, place: Place) -> CouldBe | None:
        """The alternative answer at the place."""
        return None if self.could_be is None or self.could_be.place != place else self.could_be


def evidence(
    violations: Iterable[str],
    broken: Iterable[Mapping[str, Any]] = (),
    could_be: Mapping[str, Any] | None = None,
) -> Guilt:
    """The evidence of a trace: `violations` in words, `broken` and `could_be` in the form of its document."""
    names = frozenset(name for violation in violations for name in _named(violation))
    return Guilt(names, guilty_at(broken) or None, could_be_of(could_be))


def _named(violation: str) -> set[str]:
    """The words of a violation's sentence, without plain numbers."""
    words = re.split(r"[\s,:;()]+", violation.partition(": ")[2].removesuffix("."))
    return {word for word in words if word and not word.lstrip("-").isdigit()}


def guilty_at(broken: Iterable[Mapping[str, Any]]) -> dict[tuple[int, int | None], frozenset[str]]:
    """The names in the evidence of a trace, by the number of the step and, for a group, of the round."""
    guilty: dict[tuple[int, int | None], frozenset[str]] = {}
    for each in broken:
        place = each["step"], each["round"]
        named = {each["subject"], *_names_in(each["facts"].values())}
        guilty[place] = guilty.get(place, frozenset()) | named
    return guilty


def _names_in(values: Iterable[Any]) -> Iterator[str]:
    """The texts among the values, and in lists of them."""
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _names_in(value)


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
        """The JSON form in a trace: the step, the round or null, the subject, the facts, and the sentence."""
        return {
            "step": self.place[0],
            "round": self.place[1] if len(self.place) > 1 else None,
            "subject": self.evidence.subject,
            "facts": {name: plain(value) for name, value in self.evidence.facts.items()},
            "words": self.evidence.words,
        }


def broken_steps(
    driver: Driver[Any], plays: Iterable[Any], subject: Subject, claim: Claim
) -> list[BrokenStep]:
    """The evidence in the plays of a case, in order; only that on ordinary input if there is any."""
    check = PreparedClaim.of(claim)
    subject.renew()
    steps: list[BrokenStep] = []
    for number, played in enumerate(plays):
        if not subject.assume or driver.is_within(played, subject.assume):
            steps += _broken_in(driver, number, played, check)
    return [step for step in steps if not step.contradictory] or steps


def evidence_of(driver: Driver[Any], check: PreparedClaim, thing: Any) -> list[Evidence]:
    """The evidence against the claim in the thing; none where the claim does not apply."""
    if check.claim.kind.scope is Scope.OPTIMUM:
        optimum = driver.best(thing, check.claim)
        if optimum is None:
            return []
        thing = thing, optimum
    if check.applies is not None and not check.applies(thing):
        return []
    return list(check.predicate(thing))


def _judged(driver: Driver[Any], played: Any, check: PreparedClaim) -> Sequence[Any]:
    """What the claim is checked on, as the judge chooses it."""
    scope = check.claim.kind.scope
    if scope is Scope.STEP:
        return [s for s in played.steps if check.of_unanswered or not isinstance(s.answer, Failure)]
    if scope is Scope.REBALANCE:
        return [] if isinstance(played.steps[-1].answer, Failure) else [played]
    if scope is Scope.OUTCOME:
        outcomes: Sequence[Any] = played.outcomes
        return outcomes
    return driver.compared(played) if scope is Scope.OPTIMUM else []


def _broken_in(driver: Driver[Any], number: int, played: Any, check: PreparedClaim) -> Iterator[BrokenStep]:
    for thing in _judged(driver, played, check):
        evidence = evidence_of(driver, check, thing)
        if not evidence:
            continue
        contradictory = bool((thing if check.claim.kind.scope is Scope.STEP else played).contradictory)
        places = driver.places(number, played, thing, evidence, partial(evidence_of, driver, check))
        yield from (BrokenStep(place, each, thing, contradictory) for place, each in zip(places, evidence))
