"""The one judge: where what somebody promised meets what happened, for targets of every kind.

A driver of a kind makes cases, plays them, and hands over what is to be judged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from kassay.model.calls import Failure, Look
from kassay.model.errors import KassayError
from kassay.model.kinds import RebalanceProtocol
from kassay.model.lazy import lazy
from kassay.properties.answers import OF_UNANSWERED
from kassay.properties.registry import Evidence, Promise, Scope, Violation, always, as_text

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


def plain(value: object) -> Any:
    """A fact's value as JSON has it: what is no number, truth, list or object is its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [plain(item) for item in value]
    return as_text(value) if type(value).__str__ is object.__str__ else str(value)
