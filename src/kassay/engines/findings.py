"""The answer that could have been instead of one that violates a claim: the optimum, or a reference's answer.

Every answer offered here was substituted for the wrong one and checked: it keeps the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kassay.assignors import registry
from kassay.kinds.broken import BROKEN_MAX, BrokenStep, broken_steps, evidence_of
from kassay.kinds.judging import PreparedClaim, Subject
from kassay.kinds.protocol import Driver
from kassay.kinds.words import OPTIMUM, Offer
from kassay.model.calls import Failure
from kassay.model.errors import KassayError
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.registry import Claim

_REFERENCES_MAX: Final = 6


@dataclass(frozen=True)
class Possible:
    """An answer that keeps the claim, for the step at `place`; `by` names its source.

    `answer` has the form of the reported step's answer, and `measures` are its goals by name. `instead_of`
    are those of the answer that it would replace, empty if there was none. `words` is one line.
    """

    place: tuple[int, ...]
    by: str
    answer: Any
    measures: Mapping[str, Any]
    instead_of: Mapping[str, Any]
    words: str

    def to_json(self) -> dict[str, Any]:
        """The answer as a trace and a certificate have it."""
        return {
            "step": self.place[0],
            "round": self.place[1] if len(self.place) > 1 else None,
            "by": self.by,
            "certified": self.by == OPTIMUM,
            "answer": self.answer,
            "measures": dict(self.measures),
            "instead_of": dict(self.instead_of),
            "words": self.words,
        }


def broken_and_could_be(
    driver: Driver[Any], case: Any, plays: Sequence[Any], subject: Subject, claim: Claim
) -> tuple[tuple[Mapping[str, Any], ...], Mapping[str, Any] | None]:
    """Where the plays of the case violate the claim, and the answer that could have been at the first step.

    A claim that compares two answers has no answer that is right by itself.
    """
    broken = broken_steps(driver, plays, subject, claim)
    by_itself = broken and not claim.kind.looks
    possible = could_be(driver, claim, broken[0]) if by_itself else None
    if by_itself and possible is None:
        possible = _by_another(driver, case, subject, claim, broken[0])
    places = tuple(each.to_json() for each in broken[:BROKEN_MAX])
    return places, None if possible is None else possible.to_json()


def could_be(driver: Driver[Any], claim: Claim, broken: BrokenStep) -> Possible | None:
    """The first answer that keeps the claim where this one violates it; None if none is known."""
    check = PreparedClaim.of(claim)
    step = step_of(broken)
    for by, answer in _offers(driver, claim, broken, step):
        then = replace(step, answer=answer)
        thing = then if step is broken.thing else driver.instead(broken.thing, broken.place, step, then)
        if not evidence_of(driver, check, thing):
            return Possible(broken.place, by, *driver.shown(broken.place, step, answer))
    return None


def step_of(broken: BrokenStep) -> Any:
    """The step with the wrong answer."""
    thing = broken.thing
    return thing.steps[broken.place[-1]] if hasattr(thing, "steps") else thing


def _offers(driver: Driver[Any], claim: Claim, broken: BrokenStep, step: Any) -> Iterator[Offer]:
    """Answers that may keep the claim: those of the kind, then of references, then the kind's other ones."""
    yield from driver.offers(claim, broken, step)
    for reference in _references(driver, claim, getattr(step, "protocol", None)):
        optimal = driver.optimum == reference.spec and driver.is_proven(step)
        try:
            yield (
                OPTIMUM if optimal else f"as {reference.spec} answers",
                driver.answer_of(reference.factory(), step),
            )
        except (KassayError, ValueError, KeyError, LookupError):
            continue  # A reference that refuses the input offers nothing.
    yield from driver.late_offers(step)


def _references(
    driver: Driver[Any], claim: Claim, protocol: RebalanceProtocol | None, *, all_of_them: bool = False
) -> list[registry.Reference]:
    """The references of the kind that declare the claim, closed forms of the optimum first.

    Every reference counts as declaring the validity claims. `all_of_them` adds the references that do not
    declare the claim.
    """

    def declares(reference: registry.Reference) -> bool:
        return claim.kind.validity or any(
            spelled.partition(":")[0] == claim.kind.id for spelled in reference.claims
        )

    of_kind = [
        reference
        for reference in registry.load_all().values()
        if reference.kind is driver.kind and (protocol is None or reference.protocol is protocol)
    ]
    of_kind.sort(key=lambda reference: (not declares(reference), reference.spec != driver.optimum))
    return [each for each in of_kind if all_of_them or declares(each)][:_REFERENCES_MAX]


def _by_another(
    driver: Driver[Any], case: Any, subject: Subject, claim: Claim, broken: BrokenStep
) -> Possible | None:
    """The answer of a reference that keeps the claim through the whole case; None if none does."""
    protocol = subject.protocol if driver.follows_protocol else None
    for reference in _references(driver, claim, protocol, all_of_them=True):
        other = replace(subject, new=_maker(reference), twin=None, protocol=reference.protocol)
        played = list(driver.play(case, other))
        last = played[-1].steps[-1] if played else None
        if last is None or isinstance(last.answer, Failure | tuple):
            continue
        if not broken_steps(driver, played, other, claim):
            by = f"as {reference.spec} ends in the same case"
            return Possible(broken.place, by, *driver.shown(broken.place, last, last.answer))
    return None


def _maker(reference: registry.Reference) -> Callable[[Mapping[str, str]], Any]:
    """What makes the reference's objects."""

    def new(config: Mapping[str, str]) -> Any:
        target = reference.factory()
        if reference.configures:
            target.configure(config)
        return target

    return new
