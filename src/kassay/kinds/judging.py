"""The one judge: where what somebody promised meets what happened, for targets of every kind.

A driver of a kind makes cases, plays them, and hands over what is to be judged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from kassay.model.calls import Failure, Look
from kassay.model.errors import KassayError
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.lazy import lazy
from kassay.model.shape.codec import Shape
from kassay.properties.answers import OF_UNANSWERED
from kassay.properties.groups.histories.generator import GroupProfile
from kassay.properties.registry import Evidence, Promise, Scope, Violation, always, situations_within
from kassay.properties.sources import Source

Best = Callable[[Any, Promise], Any]
"""The certified best for an outcome, as the promise's claim reads it; None where there is none to be had."""


T = TypeVar("T")


class InternalError(KassayError):
    """kassay itself is wrong; never the target's fault."""


class PreparedPromise(NamedTuple):
    """A promise as it is put to what happened, time and again: all that is looked up is looked up before.

    Its functions are asked with one thing: with what is judged, or with a pair of that and the certified best
    where the claim is held against it. `applies` and `breakable` are None where that is so everywhere.
    `of_unanswered` says whether calls without an answer are judged too, `elsewhere` whether other processes
    count.
    """

    promise: Promise
    name: str
    applies: Callable[[Any], bool] | None
    breakable: Callable[[Any], bool] | None
    predicate: Callable[[Any], Iterator[Evidence]]
    of_unanswered: bool
    elsewhere: bool

    @classmethod
    def of(cls, promise: Promise) -> PreparedPromise:
        """What the promise's claim says of itself."""
        claim = promise.claim
        return cls(
            promise=promise,
            name=promise.id,
            applies=None if claim.applies is None else _of_one(promise, claim.applies),
            breakable=None if claim.breakable is always else _of_one(promise, claim.breakable),
            predicate=_of_one(promise, claim.predicate),
            of_unanswered=claim.id in OF_UNANSWERED,
            elsewhere=Look.PROCESS in claim.looks,
        )


def _of_one(promise: Promise, function: Callable[..., T]) -> Callable[[Any], T]:
    """The claim's function as one of a single thing, the promise's argument put in."""
    argument = () if promise.claim.parameter is None else (promise.value,)
    if promise.claim.scope is Scope.OPTIMUM:
        return lambda pair: function(*pair, *argument)
    return (lambda thing: function(thing, *argument)) if argument else function


class PreparedPromises(NamedTuple):
    """Those of a subject by what they look at; `unanswered` are those of steps without an answer."""

    steps: tuple[PreparedPromise, ...]
    unanswered: tuple[PreparedPromise, ...]
    rebalances: tuple[PreparedPromise, ...]
    outcomes: tuple[PreparedPromise, ...]
    optima: tuple[PreparedPromise, ...]

    @classmethod
    def of(cls, promises: Iterable[Promise]) -> PreparedPromises:
        """The checks of these promises, each scope's in their order; timings are nobody's here."""
        by_scope: dict[Scope, list[PreparedPromise]] = {scope: [] for scope in Scope}
        for promise in promises:
            by_scope[promise.claim.scope].append(PreparedPromise.of(promise))
        steps = tuple(by_scope[Scope.STEP])
        return cls(
            steps,
            tuple(check for check in steps if check.of_unanswered),
            *(tuple(by_scope[scope]) for scope in (Scope.REBALANCE, Scope.OUTCOME, Scope.OPTIMUM)),
        )


@dataclass(frozen=True)
class Subject:
    """What is put to the test: how to make its objects, what it promises, and what is assumed.

    `new` makes a configured object of the target. `twin`, if given, makes objects of the same target
    in another process with another hash seed. `watch` is shown every rebalance of a history after it
    was judged; it measures and never judges.
    """

    new: Callable[[Mapping[str, str]], Any]
    protocol: RebalanceProtocol
    promises: tuple[Promise, ...]
    assume: frozenset[str] = frozenset()
    twin: Callable[[Mapping[str, str]], Any] | None = None
    watch: Callable[[Any], None] | None = None

    @lazy
    def checks(self) -> PreparedPromises:
        """The promises, ready to be judged."""
        return PreparedPromises.of(self.promises)

    @lazy
    def looks(self) -> frozenset[Look]:
        """The second looks that the promises need, those in another process left out."""
        return frozenset(look for p in self.promises for look in p.claim.looks) - {Look.PROCESS}

    @lazy
    def confirms(self) -> bool:
        """Whether a promise needs an eager target to be asked once more, to see that it is at rest."""
        return any(promise.claim.confirm for promise in self.promises)

    @property
    def new_twin(self) -> Callable[[], Any] | None:
        """What makes an object without a configuration in another process, if there is one."""
        twin = self.twin
        return None if twin is None else lambda: twin({})


_counts = partial[dict[str, int]](defaultdict, int)


@dataclass
class Examination:
    """What one case showed.

    By claim id, `judged` counts all judgements, `checked` those of them that some well-formed answer would
    have broken, and `elsewhere` those of these for which another process was asked too. `reached` counts
    situations (a part is `id:part`), `asked` the rebalances (or requests) that were checked.
    """

    judged: dict[str, int] = field(default_factory=_counts)
    checked: dict[str, int] = field(default_factory=_counts)
    elsewhere: dict[str, int] = field(default_factory=_counts)
    violations: list[Violation] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=_counts)
    asked: int = 0


class JudgedCall(Protocol):
    """A call, and whether what was asked contradicts itself."""

    @property
    def answer(self) -> Any:
        """The answer, or how there is none."""

    @property
    def contradictory(self) -> bool:
        """Whether it does."""


C = TypeVar("C", bound=JudgedCall)


class Played(Protocol):
    """What is judged together: calls, and those of their outcomes that balance and movement are judged on."""

    @property
    def steps(self) -> Sequence[JudgedCall]:
        """Every call."""

    @property
    def outcomes(self) -> Sequence[Any]:
        """What came of them."""

    @property
    def contradictory(self) -> bool:
        """Whether anything that was asked contradicts itself."""


@dataclass(frozen=True)
class Calls(Generic[C]):
    """Calls of a target without a history."""

    steps: tuple[C, ...]
    outcomes: tuple[C, ...] = ()
    contradictory: bool = False


def judge(
    played: Played, subject: Subject, examination: Examination, best: Best, compared: Sequence[Any]
) -> None:
    """Judge every promise wherever it says something; calls without an answer by their own claims alone.

    What is `compared` is held against the certified best.
    """
    checks = subject.checks
    for step in played.steps:
        answered = step.answer.__class__ is not Failure
        _apply(checks.steps if answered else checks.unanswered, examination, step, step)
    if played.steps[-1].answer.__class__ is not Failure:
        _apply(checks.rebalances, examination, played, played)
    for outcome in played.outcomes:
        _apply(checks.outcomes, examination, played, outcome)
    for outcome in compared if checks.optima else ():
        for check in checks.optima:
            optimum = best(outcome, check.promise)
            if optimum is not None:
                _apply((check,), examination, played, (outcome, optimum))


def _apply(
    checks: tuple[PreparedPromise, ...], examination: Examination, asked: JudgedCall | Played, thing: Any
) -> None:
    """Judge each promise on the thing, if it says anything about it; it counts if it could fail."""
    judged, checked = examination.judged, examination.checked
    for _, name, applies, breakable, predicate, _, elsewhere in checks:
        if applies is not None and not applies(thing):
            continue
        judged[name] += 1
        if breakable is None or breakable(thing):
            checked[name] += 1
            if elsewhere and _was_asked_elsewhere(thing):
                examination.elsewhere[name] += 1
        for evidence in predicate(thing):
            examination.violations.append(Violation(name, evidence, asked.contradictory))


def _was_asked_elsewhere(step: Any) -> bool:
    """Whether a second look was taken in another process."""
    return Look.PROCESS in [probe.look for probe in step.probes]


Case = TypeVar("Case")


class Driver(ABC, Generic[Case]):
    """One kind of target: how its cases are made, played, shrunk and written down.

    `form` is how a case stands in a document, `narration` how a step of what is told of it does. `aims`
    says which recipe reaches a situation for certain, by the situation's name. `asks` is the method by which
    an object of the kind answers, `goals` are what `measures` has of an answer.
    """

    asks: str = "assign"
    goals: tuple[str, ...] = ()
    form: Shape[Case]
    narration: Shape[Mapping[str, Any]]
    aims: Mapping[str, str] = MappingProxyType({})

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._situations = tuple(
            (within, tuple((each.id, each.seen, bool(each.parts)) for each in alike))
            for within, alike in situations_within(kind)
        )

    @abstractmethod
    def generate(self, source: Source, profile: GroupProfile, aim: str = "") -> Case:
        """A case out of the source's choices: any, or one by the recipe called `aim`."""

    @abstractmethod
    def play(self, case: Case, subject: Subject) -> Iterable[Played]:
        """Put the case to the subject, with the second looks that its promises need."""

    @abstractmethod
    def shrink_candidates(self, case: Case) -> Iterator[Case]:
        """Cases that are a little smaller, the boldest cuts first."""

    def restarts(self, case: Case, subject: Subject) -> Iterator[Case]:
        """Cases whose start is where this one has got to when it is put to the subject; by default none."""
        return iter(())

    @abstractmethod
    def size(self, case: Case) -> tuple[int, ...]:
        """What makes one case smaller than another."""

    @abstractmethod
    def counts(self, case: Case) -> Mapping[str, int]:
        """Members, partitions and events of a case, for the report."""

    @abstractmethod
    def narrate(self, case: Case, subject: Subject) -> list[dict[str, Any]]:
        """What happens when the case is put to the subject, step by step, second looks left out."""

    @abstractmethod
    def parts(self, answer: Any) -> Mapping[str, object]:
        """An answer by what it gives to whom: two answers are alike if these are equal."""

    def beside(self, answer: Any, other: Any) -> Any:
        """The answer without what has no counterpart in the other one that it is compared with."""
        return answer

    def measures(self, asked: tuple[Any, ...], answer: Any) -> Mapping[str, object]:
        """How good an answer is, by each of the `goals`; `asked` are the arguments of the call."""
        return {}

    def best(self, outcome: Any, promise: Promise) -> Any:
        """The certified best for an outcome, as the promise's claim reads it; None if there is none."""
        return None

    def compared(self, played: Any) -> Sequence[Any]:
        """What of it is held against the certified best; by default the outcomes."""
        outcomes: Sequence[Any] = played.outcomes
        return outcomes

    def is_within(self, played: Any, assume: frozenset[str]) -> bool:
        """Whether what was asked is within what is assumed; by default no other is generated."""
        return True

    def places(
        self,
        number: int,
        played: Any,
        thing: Any,
        evidence: Sequence[Evidence],
        evidence_of: Callable[[Any], Sequence[Evidence]],
    ) -> list[tuple[int, ...]]:
        """Where each evidence against what was judged stands in what is told of a case.

        By default all of it is one run. `number` is that of what was played, `evidence_of` says what there is
        against a part of the thing by itself. What is no step of what was played stands where the evidence
        says, or where it came to its end.
        """
        steps = played.steps
        place = next((i for i, step in enumerate(steps) if step is thing), None)
        if place is not None:
            return [(place,)] * len(evidence)
        return [(len(steps) - 1 if each.at is None else each.at,) for each in evidence]

    @abstractmethod
    def document_of(self, step: Any) -> Mapping[str, Any]:
        """One step as it is told."""

    def scene(self, case: Case, played: Any) -> object:
        """What situations are looked for in; None for nothing."""
        return played

    def asked(self, case: Case, played: Any) -> int:
        """How much was asked."""
        return len(played.steps)

    def _look_around(self, scene: object, reached: dict[str, int]) -> None:
        """Count the situations that are in the scene."""
        for within, situations in self._situations:
            if within(scene):
                for name, seen, has_parts in situations:
                    part = seen(scene)
                    if part:
                        reached[f"{name}:{part}" if has_parts else name] += 1

    def examine(self, case: Case, subject: Subject) -> Examination:
        """Play the case, judge every promise on the way, and count the situations that were reached."""
        examination = Examination()
        for played in self.play(case, subject):
            examination.asked += self.asked(case, played)
            if not subject.assume or self.is_within(played, subject.assume):
                judge(played, subject, examination, self.best, self.compared(played))
            scene = self.scene(case, played)
            if scene is not None:
                self._look_around(scene, examination.reached)
            if subject.watch is not None:
                subject.watch(played)
        return examination
