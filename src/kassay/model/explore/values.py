"""The explorer's values: models, invariants and budgets in; the graph, findings, traces and verdicts out.

* `Graph`: the reached states and the steps between them, in flat arrays.
* `Model`: what is walked; `Reduced` walks one of several symmetric states.
* `Invariant`, `Finding`, `Exploration`: what is checked, and what came of it.
* Runs: `retrace` finds the way to a state that a search reached, `run` plays actions by hand.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from kassay.model.kinds import Verdict

S = TypeVar("S", bound=Hashable)


class Action(NamedTuple):
    """The name of one step: actor, action and details.

    `fault`: the step uses up fault budget. `fair`: weak fairness applies (if enabled for ever, it is
    eventually taken). `disturbs`: the step ends a quiet stretch (first join of a member id, removal,
    eviction, return with a new id). `rounds`: the number of generations that the step begins. The last two
    serve the convergence bounds.
    """

    actor: str
    name: str
    to: str = ""
    detail: str = ""
    reply: str = ""
    fault: bool = False
    fair: bool = True
    disturbs: bool = False
    rounds: int = 0

    def __str__(self) -> str:
        arrow = f" -> {self.to}" if self.to else ""
        inside = f"({self.detail})" if self.detail else ""
        answer = f" => {self.reply}" if self.reply else ""
        return f"{self.actor}{arrow}: {self.name}{inside}{answer}"


class States(Protocol[S]):
    """The visited states, numbered in the order of their first `put`."""

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""

    def expanded(self, node: int) -> None:
        """Mark all steps of this state as taken: from now on, only `number` needs it."""

    def __getitem__(self, node: int) -> S:
        """The state with this number."""

    def __len__(self) -> int:
        """The number of states."""

    def __iter__(self) -> Iterator[S]:
        """All stored states, by number."""


class WholeStates(list[S], Generic[S]):
    """The states stored as objects, and their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[S, int] = {}

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""
        number = self.numbers.setdefault(state, len(self))
        if number == len(self):
            self.append(state)
        return number

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self.numbers.get(state, -1)

    def expanded(self, node: int) -> None:
        """Do nothing: all states stay stored."""


@dataclass
class Graph(Generic[S]):
    """The reached states by number and their edges, grouped by source state.

    States are numbered and expanded in the order of discovery, so the edges of state `i` are `first[i] ..
    first[i + 1]`. An edge takes eight bytes and a state seventeen, plus the state itself. `good` marks the
    states in which a run may stay for ever; it is empty if this was not evaluated.
    """

    states: States[S] = field(default_factory=WholeStates)
    good: bytearray = field(default_factory=bytearray)
    parents: array[int] = field(default_factory=lambda: array("i"))
    depths: array[int] = field(default_factory=lambda: array("I"))
    first: array[int] = field(default_factory=lambda: array("Q", [0]))
    targets: array[int] = field(default_factory=lambda: array("I"))
    labels: array[int] = field(default_factory=lambda: array("I"))
    actions: dict[Action, int] = field(default_factory=dict)

    @property
    def expanded(self) -> int:
        """The number of states with all their edges."""
        return len(self.first) - 1

    def edges(self, node: int) -> Iterator[tuple[int, int]]:
        """The (action number, target) pairs of an expanded state."""
        low, high = self.first[node], self.first[node + 1]
        return zip(self.labels[low:high], self.targets[low:high], strict=True)

    def path(self, node: int) -> list[int]:
        """The state numbers from an initial state to this one along the search tree."""
        back = [node]
        while (parent := self.parents[back[-1]]) >= 0:
            back.append(parent)
        return back[::-1]


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
    """The severity of a finding: a fault, an expected zombie, or a guarantee that Kafka never gave.

    An outcome is what a user has to know though nothing forbids it: a client that an error ends.
    """

    REAL = "real"
    ZOMBIE = "zombie"
    BY_DESIGN = "by design"
    OUTCOME = "outcome"


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
    """The result of the liveness check, without fault edges; `cycles_judged`: whether for livelocks too."""

    dead_ends: tuple[Stuck[S], ...]
    livelocks: tuple[Stuck[S], ...]
    hopeless: int
    undecided: int = 0
    cycles_judged: bool = True


@dataclass(frozen=True)
class Exploration(Generic[S]):
    """The outcome of one walk. `limit` names the budget that ended it early, if one did.

    `checked` are the invariants that were applicable at least once; for the others nothing was observed.
    """

    graph: Graph[S]
    violations: tuple[InvariantViolation[S], ...]
    liveness: Liveness[S] | None
    limit: str | None
    elapsed_s: float
    checked: frozenset[str] = frozenset()

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
    def widths(self) -> list[int]:
        """The number of states at each distance from the start."""
        counts = Counter(self.graph.depths)
        return [counts[depth] for depth in range(max(counts, default=-1) + 1)]

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
    """The budget of a walk; None is no limit. `stop_at_first` ends it at the first real violation.

    With `all_causes` each cause of an invariant is kept apart, with its own trace: messages that are equal
    up to names and numbers are of one cause.
    """

    states_max: int | None = 500_000
    time_s: float | None = None
    stop_at_first: bool = False
    all_causes: bool = False


class Reduced(Generic[S]):
    """The model with its canonical form taken up to a symmetry; `full` is the model itself.

    `symmetry` maps a canonical state to the representative of its class. The steps must respect it: what one
    state of a class can do, every other can do under the same renaming. Actions name actors in the
    representative, so only `full` has runs.
    """

    def __init__(self, full: Model[S], symmetry: Callable[[S], S]) -> None:
        self.full = full
        self.symmetry = symmetry

    def initial(self) -> Iterable[S]:
        """The initial states."""
        return self.full.initial()

    def steps(self, state: S) -> Iterable[tuple[Action, S]]:
        """The steps of the representative."""
        return self.full.steps(state)

    def canonical(self, state: S) -> S:
        """The representative of the state's class."""
        return self.symmetry(self.full.canonical(state))

    def converged(self, state: S) -> bool:
        """Whether a run may stay here for ever."""
        return self.full.converged(state)


RENUMBERED: Final = ", numbers reassigned before"
"""Appended to a step's name if the run reaches the step only from the canonical form of its state."""


def retrace(model: Model[S], graph: Graph[S], node: int) -> tuple[WalkStep[S], ...]:
    """A run of real steps to a state, or to one identical up to symmetry.

    The search stores representatives, whose names may be permuted from one to the next. The trace follows the
    classes of the representatives from the real start, so its actions compose.

    If the steps do not fully respect a canonical form, it may have steps that no state of the run has
    (docs/explorer-speed.md, "Numbers that are used again"). The run then continues from the canonical state,
    and the name of the step says so.
    """
    path = graph.path(node)
    number = graph.states.number
    state = next(s for s in model.initial() if number(model.canonical(s)) == path[0])
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for goal in path[1:]:
        step = _step_to(model, graph, state, goal)
        if step is None:
            full = model.full if isinstance(model, Reduced) else model
            step = _step_to(model, graph, full.canonical(state), goal)
            if step is None or step.action is None:
                raise LookupError(f"no step leads from state {number(model.canonical(state))} to {goal}")
            step = WalkStep(step.action._replace(name=step.action.name + RENUMBERED), step.state)
        trace.append(step)
        state = step.state
    return tuple(trace)


def _step_to(model: Model[S], graph: Graph[S], state: S, goal: int) -> WalkStep[S] | None:
    """The first step to a state of that class, or None."""
    for action, after in model.steps(state):
        if graph.states.number(model.canonical(after)) == goal:
            return WalkStep(action, after)
    return None


def run(model: Model[S], actions: Iterable[Callable[[Action], bool] | Action]) -> tuple[WalkStep[S], ...]:
    """Play actions, or the first enabled action that each predicate accepts, from the first initial state.

    Raises LookupError with the enabled actions if none fits.
    """
    state = next(iter(model.initial()))
    trace: list[WalkStep[S]] = [WalkStep(None, state)]
    for wanted in actions:
        trace.append(pick(model, state, wanted))
        state = trace[-1].state
    return tuple(trace)


def pick(model: Model[S], state: S, wanted: Callable[[Action], bool] | Action) -> WalkStep[S]:
    """The first enabled step that equals, or satisfies, `wanted`."""
    enabled = list(model.steps(state))
    for action, after in enabled:
        if action == wanted or (callable(wanted) and wanted(action)):
            return WalkStep(action, after)
    listing = "\n  ".join(str(action) for action, _ in enabled)
    raise LookupError(f"no enabled action is {wanted}; enabled are\n  {listing}")
