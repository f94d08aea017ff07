"""The one judge: where what somebody promised meets what happened, for targets of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from kassay.model.calls import Failure, Look
from kassay.model.errors import KassayError
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.lazy import lazy
from kassay.properties.answers import OF_UNANSWERED
from kassay.properties.registry import Promise, Scope, Violation

Best = Callable[[Any, Promise], Any]
"""The certified best for an outcome, as the promise's claim reads it; None where there is none to be had."""


class InternalError(KassayError):
    """kassay itself is wrong; never the target's fault."""


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
    def by_scope(self) -> dict[Scope, tuple[Promise, ...]]:
        """The promises by what their predicates look at; treat as read-only."""
        return {scope: tuple(p for p in self.promises if p.claim.scope is scope) for scope in Scope}

    @lazy
    def looks(self) -> frozenset[Look]:
        """The second looks that the promises need, those in another process left out."""
        return frozenset(look for p in self.promises for look in p.claim.looks) - {Look.PROCESS}

    @property
    def new_twin(self) -> Callable[[], Any] | None:
        """What makes an object without a configuration in another process, if there is one."""
        twin = self.twin
        return None if twin is None else lambda: twin({})


@dataclass
class Examination:
    """What one case showed.

    `judged` counts judgements by claim id, `reached` situations (a part is `id:part`), `asked` the
    rebalances (or requests) that were checked.
    """

    judged: dict[str, int] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=dict)
    asked: int = 0


class Asked(Protocol):
    """A call, and whether what was asked contradicts itself."""

    @property
    def answer(self) -> Any:
        """The answer, or how there is none."""

    @property
    def contradictory(self) -> bool:
        """Whether it does."""


C = TypeVar("C", bound=Asked)


class Played(Protocol):
    """What is judged together: calls, and those of their outcomes that balance and movement are judged on."""

    @property
    def steps(self) -> Sequence[Asked]:
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


def judge(played: Played, subject: Subject, seen: Examination, best: Best) -> None:
    """Judge every promise wherever it says something; calls without an answer by their own claims alone."""
    scopes = subject.by_scope
    for step in played.steps:
        answered = step.answer.__class__ is not Failure
        for promise in scopes[Scope.STEP]:
            if answered or promise.claim.id in OF_UNANSWERED:
                _apply(promise, seen, step, step.contradictory)
    if played.steps[-1].answer.__class__ is not Failure:
        for promise in scopes[Scope.REBALANCE]:
            _apply(promise, seen, played, played.contradictory)
    for outcome in played.outcomes:
        for promise in scopes[Scope.OUTCOME]:
            _apply(promise, seen, outcome, played.contradictory)
        for promise in scopes[Scope.OPTIMUM]:
            optimum = best(outcome, promise)
            if optimum is not None:
                _apply(promise, seen, outcome, played.contradictory, optimum)


def _apply(promise: Promise, seen: Examination, thing: object, contradictory: bool, *more: object) -> None:
    """Judge one promise on one thing, if it says anything about it."""
    claim = promise.claim
    if claim.applies is not None and not claim.applies(thing):
        return
    name = promise.id
    seen.judged[name] = seen.judged.get(name, 0) + 1
    if claim.argument is not None:
        more = (*more, promise.argument if promise.argument is not None else claim.argument)
    for evidence in claim.predicate(thing, *more):
        seen.violations.append(Violation(name, evidence, contradictory))
