"""What an answer that breaks a promise could have been: the certified optimum, or a reference's answer.

Whatever is offered was put in the place of the wrong answer and judged by the same promise, which it keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kassay.assignors import registry
from kassay.certify.findings.offers import OPTIMUM, offers, references
from kassay.certify.findings.words import record_words, words_of
from kassay.kinds.broken import BROKEN_MAX, BrokenStep, broken_steps, evidence_of, plain
from kassay.kinds.judging import PreparedPromise, Subject
from kassay.kinds.protocol import Driver
from kassay.model.calls import Failure
from kassay.model.groups.kinds import GROUPS
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.partitioners.sends import ProducerSendsStep
from kassay.model.placement.step import PlacementStep
from kassay.properties.registry import Promise


@dataclass(frozen=True)
class Possible:
    """An answer that keeps the promise, for the step at `place`; `by` says whose it is.

    `answer` stands as in the told step, and `measures` are its goals by name, as are those of the
    answer that it would replace (`instead_of`, empty where there was none). `words` is one line.
    """

    place: tuple[int, ...]
    by: str
    answer: Any
    measures: Mapping[str, Any]
    instead_of: Mapping[str, Any]
    words: str

    def to_json(self) -> dict[str, Any]:
        """As it stands in a trace and a certificate."""
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
    driver: Driver[Any], case: Any, subject: Subject, promised: Promise
) -> tuple[tuple[Mapping[str, Any], ...], Mapping[str, Any] | None]:
    """Where the case breaks the promise, and the answer that could have been at the first such place.

    A promise that compares an answer with a second one has no answer that is right by itself.
    """
    broken = broken_steps(driver, case, subject, promised)
    by_itself = broken and not promised.claim.looks
    possible = could_be(driver, promised, broken[0]) if by_itself else None
    if by_itself and possible is None:
        possible = _by_another(driver, case, subject, promised, broken[0])
    places = tuple(each.to_json() for each in broken[:BROKEN_MAX])
    return places, None if possible is None else possible.to_json()


def could_be(driver: Driver[Any], promised: Promise, broken: BrokenStep) -> Possible | None:
    """The first answer that keeps the promise where this one breaks it; None if none is known."""
    check = PreparedPromise.of(promised)
    step = step_of(broken)
    for by, answer in offers(driver, promised, broken, step):
        if not evidence_of(driver, check, _instead(broken, step, answer)):
            return _possible(driver, broken, step, by, answer)
    return None


def step_of(broken: BrokenStep) -> Any:
    """The step whose answer is wrong."""
    thing = broken.thing
    if isinstance(thing, Rebalanced):
        return thing.steps[broken.place[-1]]
    return thing.steps[broken.place[0]] if hasattr(thing, "steps") else thing


def _instead(broken: BrokenStep, step: Any, answer: Any) -> Any:
    """What was judged, with this answer in the step; what followed in a group is left out."""
    then = replace(step, answer=answer)
    thing = broken.thing
    if step is thing:
        return then
    if isinstance(thing, Rebalanced):
        return replace(thing, steps=(*thing.steps[: broken.place[-1]], then))
    return replace(thing, steps=tuple(then if each is step else each for each in thing.steps))


def _by_another(
    driver: Driver[Any], case: Any, subject: Subject, promised: Promise, broken: BrokenStep
) -> Possible | None:
    """What a reference that keeps the promise all the way comes to in the same case; None if none does."""
    protocol = subject.protocol if driver.kind in GROUPS else None
    for reference in references(driver.kind, promised, protocol, all_of_them=True):
        other = replace(subject, new=_maker(reference), twin=None, protocol=reference.protocol)
        played = list(driver.play(case, other))
        last = played[-1].steps[-1] if played else None
        if last is None or isinstance(last.answer, Failure | tuple):
            continue
        if not broken_steps(driver, case, other, promised):
            by = f"as {reference.spec} ends in the same case"
            return _possible(driver, broken, last, by, last.answer)
    return None


def _maker(reference: registry.Reference) -> Callable[[Mapping[str, str]], Any]:
    """What makes the reference's objects."""

    def new(config: Mapping[str, str]) -> Any:
        target = reference.factory()
        if reference.configures:
            target.configure(config)
        return target

    return new


def _possible(driver: Driver[Any], broken: BrokenStep, step: Any, by: str, answer: Any) -> Possible:
    then, place_ = replace(step, answer=answer), broken.place
    if isinstance(step, ProducerSendsStep):
        (number,) = place_
        sent = answer[number]
        return Possible(place_, by, plain(sent.answer), {}, {}, record_words(sent))
    document = driver.document_of(then)
    return Possible(
        place=place_,
        by=by,
        answer=document.get("answer", document.get("moves", document.get("refused"))),
        measures=_measures(driver, step, answer),
        instead_of={} if isinstance(step.answer, Failure) else _measures(driver, step, step.answer),
        words=words_of(then),
    )


def _measures(driver: Driver[Any], step: Any, answer: Any) -> dict[str, Any]:
    """The goals of an answer by name; none of a refusal."""
    asked = (step.cluster, step.group) if isinstance(step, Step) else (step.request,)
    if isinstance(step, PlacementStep) and not isinstance(answer, tuple):
        return {}
    return {name: plain(value) for name, value in driver.measures(asked, answer).items()}
