"""The one judge: checks claims on what happened, for targets of every kind.

The driver of a kind makes cases, plays them, and passes on what is to be judged.
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
from kassay.properties.registry import Claim, Evidence, Scope, Violation, always, as_text

Best = Callable[[Any, Claim], Any]
"""The certified best for an outcome, as the claim reads it; None where none is known."""


T = TypeVar("T")


class InternalError(KassayError):
    """A fault of kassay itself, never of the target."""


class PreparedClaim(NamedTuple):
    """A claim ready to be checked many times: everything that needs a lookup is looked up in advance.

    Its functions take one argument: what is judged, or a pair of that and the certified best where the claim
    compares the two. `applies` and `breakable` are None where they hold everywhere. `of_unanswered` says
    whether calls without an answer are judged too, `elsewhere` whether answers of other processes count.
    """

    claim: Claim
    name: str
    applies: Callable[[Any], bool] | None
    breakable: Callable[[Any], bool] | None
    predicate: Callable[[Any], Iterator[Evidence]]
    of_unanswered: bool
    elsewhere: bool

    @classmethod
    def of(cls, claim: Claim) -> PreparedClaim:
        """The claim with what its kind declares."""
        kind = claim.kind
        return cls(
            claim=claim,
            name=claim.id,
            applies=None if kind.applies is None else _of_one(claim, kind.applies),
            breakable=None if kind.breakable is always else _of_one(claim, kind.breakable),
            predicate=_of_one(claim, kind.predicate),
            of_unanswered=kind.id in OF_UNANSWERED,
            elsewhere=Look.PROCESS in kind.looks,
        )


def _of_one(claim: Claim, function: Callable[..., T]) -> Callable[[Any], T]:
    """The claim's function of a single thing, with the claim's argument filled in."""
    argument = () if claim.kind.parameter is None else (claim.value,)
    if claim.kind.scope is Scope.OPTIMUM:
        return lambda pair: function(*pair, *argument)
    return (lambda thing: function(thing, *argument)) if argument else function


class PreparedClaims(NamedTuple):
    """The claims of a subject by their scope; `unanswered` are those of steps without an answer."""

    steps: tuple[PreparedClaim, ...]
    unanswered: tuple[PreparedClaim, ...]
    rebalances: tuple[PreparedClaim, ...]
    outcomes: tuple[PreparedClaim, ...]
    optima: tuple[PreparedClaim, ...]

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> PreparedClaims:
        """The checks of these claims, those of each scope in order; claims about time are not among them."""
        by_scope: dict[Scope, list[PreparedClaim]] = {scope: [] for scope in Scope}
        for claim in claims:
            by_scope[claim.kind.scope].append(PreparedClaim.of(claim))
        steps = tuple(by_scope[Scope.STEP])
        return cls(
            steps,
            tuple(check for check in steps if check.of_unanswered),
            *(tuple(by_scope[scope]) for scope in (Scope.REBALANCE, Scope.OUTCOME, Scope.OPTIMUM)),
        )


def _nothing() -> None:
    """What most subjects do before a play."""


@dataclass(frozen=True)
class Subject:
    """The target under test: how to make its objects, the claims to check, and the assumptions.

    `new` makes a configured object of the target. `twin`, if given, makes objects of the same target in
    another process with another hash seed. `watch` receives every rebalance of a history after it was judged;
    it measures and never judges. Without `repeats` no call is repeated; with `looks_apart_only`, the twin
    takes the only second look. `renew` is called before each play, for objects that have lived through other
    cases before.
    """

    new: Callable[[Mapping[str, str]], Any]
    protocol: RebalanceProtocol
    claims: tuple[Claim, ...]
    assume: frozenset[str] = frozenset()
    twin: Callable[[Mapping[str, str]], Any] | None = None
    watch: Callable[[Any], None] | None = None
    repeats: bool = True
    looks_apart_only: bool = False
    renew: Callable[[], None] = _nothing

    @lazy
    def checks(self) -> PreparedClaims:
        """The claims, ready to be checked."""
        return PreparedClaims.of(self.claims)

    @lazy
    def looks(self) -> frozenset[Look]:
        """The second looks that the claims need, without those in another process."""
        if not self.repeats or self.looks_apart_only:
            return frozenset()
        return frozenset(look for p in self.claims for look in p.kind.looks) - {Look.PROCESS}

    @lazy
    def confirms(self) -> bool:
        """Whether a claim needs another call of an eager target, to see that it is stable."""
        return any(claim.kind.confirm for claim in self.claims)

    @property
    def new_twin(self) -> Callable[[], Any] | None:
        """What makes an object without a configuration in another process, if there is one."""
        twin = self.twin
        return None if twin is None else lambda: twin({})


_counts = partial[dict[str, int]](defaultdict, int)


@dataclass
class Examination:
    """The result of one case.

    By claim id, `judged` counts all judgements, `checked` those that some well-formed answer would have
    broken, and `elsewhere` those of these with a second look in another process. `reached` counts situations
    (a part is `id:part`), `rebalances` the checked rebalances (or requests). `plays` is what was judged.
    `covered` are the wide classes (`kinds.wide`) on which a claim was checked, `silent` those on which none
    was even judged, `seconds` the time of the case, `wide_seconds` the same if it is wide.
    """

    judged: dict[str, int] = field(default_factory=_counts)
    checked: dict[str, int] = field(default_factory=_counts)
    elsewhere: dict[str, int] = field(default_factory=_counts)
    violations: list[Violation] = field(default_factory=list)
    reached: dict[str, int] = field(default_factory=_counts)
    rebalances: int = 0
    covered: tuple[tuple[str, str], ...] = ()
    silent: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    wide_seconds: float = 0.0
    plays: list[Any] = field(default_factory=list)


class JudgedCall(Protocol):
    """A call, and whether its input contradicts itself."""

    @property
    def answer(self) -> Any:
        """The answer, or why there is none."""

    @property
    def contradictory(self) -> bool:
        """Whether its input contradicts itself."""


C = TypeVar("C", bound=JudgedCall)


class Played(Protocol):
    """What is judged together: calls, and those of their outcomes that balance and movement are judged on."""

    @property
    def steps(self) -> Sequence[JudgedCall]:
        """Every call."""

    @property
    def outcomes(self) -> Sequence[Any]:
        """The outcomes of the calls."""

    @property
    def contradictory(self) -> bool:
        """Whether the input of any call contradicts itself."""


@dataclass(frozen=True)
class Calls(Generic[C]):
    """Calls of a target without a history."""

    steps: tuple[C, ...]
    outcomes: tuple[C, ...] = ()
    contradictory: bool = False


def judge(
    played: Played, subject: Subject, examination: Examination, best: Best, compared: Sequence[Any]
) -> None:
    """Check every claim wherever it applies; calls without an answer only by the claims about those.

    What is `compared` is checked against the certified best.
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
            optimum = best(outcome, check.claim)
            if optimum is not None:
                _apply((check,), examination, played, (outcome, optimum))


def _apply(
    checks: tuple[PreparedClaim, ...], examination: Examination, played: JudgedCall | Played, thing: Any
) -> None:
    """Check each claim on the thing, if it applies; the check counts if the claim could fail."""
    judged, checked = examination.judged, examination.checked
    for _, name, applies, breakable, predicate, _, elsewhere in checks:
        if applies is not None and not applies(thing):
            continue
        judged[name] += 1
        if breakable is None or breakable(thing):
            checked[name] += 1
            if elsewhere and _was_repeated_elsewhere(thing):
                examination.elsewhere[name] += 1
        for evidence in predicate(thing):
            examination.violations.append(Violation(name, evidence, played.contradictory))


def _was_repeated_elsewhere(step: Any) -> bool:
    """Whether another process took a second look."""
    return Look.PROCESS in [probe.look for probe in step.probes]


def plain(value: object) -> Any:
    """A fact's value as JSON: its text, unless it is a number, boolean, list or object."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [plain(item) for item in value]
    return as_text(value) if type(value).__str__ is object.__str__ else str(value)
