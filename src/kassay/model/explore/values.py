"""The explorer's values: models, invariants and budgets in; findings, traces and verdicts out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.verdict import Verdict

S = TypeVar("S", bound=Hashable)


class Model(Protocol[S]):
    """What the explorer walks. Actions must be distinct within one state's steps."""

    def initial(self) -> Iterable[S]:
        """The initial states."""

    def steps(self, state: S) -> Iterable[tuple[Action, S]]:
        """Every enabled action with the state it leads to, in a fixed order."""

    def canonical(self, state: S) -> S:
        """The representative of the states that differ only in irrelevant details."""

    def converged(self, state: S) -> bool:
        """Whether a run may stay here for ever."""


class Severity(StrEnum):
    """The severity of a finding: a fault, an expected zombie, or a guarantee that Kafka never gave."""

    REAL = "real"
    ZOMBIE = "zombie"
    BY_DESIGN = "by design"


class Finding(NamedTuple):
    """What an invariant reports about a state or a step; `message` is the evidence."""

    severity: Severity
    message: str


@dataclass(frozen=True)
class Invariant(Generic[S]):
    """A named predicate over states or over steps that yields findings.

    It returns None instead of an empty list if it is not applicable. `reads` projects a state to what the
    predicate depends on. Results are cached by projection, which makes sixteen invariants affordable. A step
    predicate is evaluated only if the projections of both ends differ, and only if the cheap test `relevant`
    accepts them.
    """

    name: str
    claim: str
    check: Callable[[S], Iterable[Finding] | None] | None = None
    check_step: Callable[[S, S], Iterable[Finding] | None] | None = None
    reads: Callable[[S], Hashable] | None = None
    relevant: Callable[[S, S], bool] | None = None

    def judge(self, before: S | None, after: S) -> Iterator[Finding]:
        """The findings for a state and, except for an initial one, for the step that led there."""
        if self.check is not None:
            yield from self.check(after) or ()
        if before is None or self.check_step is None:
            return
        if self.relevant is None or self.relevant(before, after):
            yield from self.check_step(before, after) or ()


class WalkStep(NamedTuple, Generic[S]):
    """One line of a trace: the action and the state it leads to (None: the start)."""

    action: Action | None
    state: S


@dataclass(frozen=True)
class InvariantViolation(Generic[S]):
    """The shortest trace to an invariant's first violation, and how many states or steps show it."""

    invariant: str
    claim: str
    severity: Severity
    message: str
    trace: tuple[WalkStep[S], ...]
    seen: int

    @property
    def length(self) -> int:
        """The number of actions in the trace."""
        return len(self.trace) - 1


@dataclass(frozen=True)
class Stuck(Generic[S]):
    """A dead end, or the first state of a livelock's cycle: no converged state follows."""

    trace: tuple[WalkStep[S], ...]
    states: int
    cycle: tuple[Action, ...] = ()


class WalkProgress(NamedTuple):
    """The argument of the progress callback."""

    states: int
    edges: int
    depth: int
    waiting: int
    elapsed_s: float


@dataclass(frozen=True)
class Liveness(Generic[S]):
    """The result of the liveness check, without fault edges."""

    dead_ends: tuple[Stuck[S], ...]
    livelocks: tuple[Stuck[S], ...]
    hopeless: int
    undecided: int = 0


@dataclass(frozen=True)
class Exploration(Generic[S]):
    """The outcome of one walk. `limit` names the budget that ended it early, if one did.

    `asked` are the invariants that were applicable at least once; for the others nothing was observed.
    """

    graph: Graph[S]
    violations: tuple[InvariantViolation[S], ...]
    liveness: Liveness[S] | None
    limit: str | None
    elapsed_s: float
    asked: frozenset[str] = frozenset()

    @property
    def states(self) -> int:
        """The number of distinct states after canonicalisation."""
        return len(self.graph.states)

    @property
    def edges(self) -> int:
        """The number of steps taken, self-loops included."""
        return len(self.graph.targets)

    @property
    def diameter(self) -> int:
        """The greatest distance of a state from the start."""
        return max(self.graph.depths, default=0)

    @property
    def verdict(self) -> Verdict:
        """Violated only by real violations, dead ends and livelocks; unknown if the walk ended early."""
        real = any(violation.severity is Severity.REAL for violation in self.violations)
        live = self.liveness
        if real or (live is not None and (live.dead_ends or live.livelocks)):
            return Verdict.VIOLATED
        if self.limit is not None or live is None or live.undecided:
            return Verdict.UNKNOWN
        return Verdict.HOLDS


@dataclass(frozen=True)
class WalkLimits:
    """The budget of a walk; None is no limit. `stop_at_first` ends it at the first real violation."""

    states_max: int | None = 500_000
    time_s: float | None = None
    stop_at_first: bool = False
