"""Every state that a model can reach, breadth first, and what is wrong among them.

A model is two pure functions: its initial states, and the steps that a state allows. The explorer
knows nothing of Kafka; invariants come in as values, so this module imports no property.
Breadth-first order makes every counterexample a shortest one, and nothing here depends on hash
order, so that a second run finds the same counterexample. The design follows stateright's trait
`Model` (four pure functions) and its insistence on three verdicts: a spent budget is `unknown`.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

S = TypeVar("S", bound=Hashable)
S_co = TypeVar("S_co", bound=Hashable, covariant=True)


class Action(NamedTuple):
    """One step's name: who does what to whom, with which answer.

    `fault` marks what only a spent fault budget allows; `fair` what weak fairness promises (enabled
    for ever means taken at last). `disturbs` marks the end of a quiet stretch (first join of a
    member id, removal, eviction, return with a new id) and `rounds` counts the generations begun:
    both are for the convergence bounds.
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


class Model(Protocol[S]):
    """What the explorer walks. Actions must be distinct within one state's steps."""

    def initial(self) -> Iterable[S]:
        """The states to begin from."""

    def steps(self, state: S) -> Iterable[tuple[Action, S]]:
        """Every enabled action with the state it leads to, in a fixed order."""

    def canonical(self, state: S) -> S:
        """The representative of the states that differ only in what never matters."""

    def converged(self, state: S) -> bool:
        """Whether a run may rest here for ever."""


class Severity(StrEnum):
    """How grave a finding is: a fault, an expected zombie, or a promise never made."""

    REAL = "real"
    ZOMBIE = "zombie"
    BY_DESIGN = "by design"


class Finding(NamedTuple):
    """What an invariant says against a state or a step; `message` is the evidence."""

    severity: Severity
    message: str


@dataclass(frozen=True)
class Invariant(Generic[S]):
    """A named predicate over states, or over steps, that yields what is wrong.

    `reads` projects a state to what the predicate looks at: verdicts are remembered by projection,
    which is what keeps fourteen invariants affordable. A step predicate is consulted only when the
    projections of both ends differ, and only where `relevant`, a cheap look at both, lets it.
    """

    name: str
    claim: str
    check: Callable[[S], Iterable[Finding]] | None = None
    check_step: Callable[[S, S], Iterable[Finding]] | None = None
    reads: Callable[[S], Hashable] | None = None
    relevant: Callable[[S, S], bool] | None = None


class Verdict(StrEnum):
    """The three answers; `unknown` is a spent budget and never becomes `holds`."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


class Step(NamedTuple, Generic[S]):
    """One line of a trace: the action and the state it led to (None: the start)."""

    action: Action | None
    state: S


@dataclass(frozen=True)
class Violation(Generic[S]):
    """The shortest way to an invariant's first violation, and how many states or steps show it."""

    invariant: str
    claim: str
    severity: Severity
    message: str
    trace: tuple[Step[S], ...]
    seen: int

    @property
    def length(self) -> int:
        """The number of actions on the trace."""
        return len(self.trace) - 1


@dataclass(frozen=True)
class Stuck(Generic[S]):
    """A state (dead end) or a cycle's first state (livelock) from which nothing better follows."""

    trace: tuple[Step[S], ...]
    states: int
    cycle: tuple[Action, ...] = ()


class Progress(NamedTuple):
    """What the progress callback is told now and then."""

    states: int
    edges: int
    depth: int
    waiting: int
    elapsed_s: float


@dataclass
class Graph(Generic[S]):
    """The reached states by number and their edges, those of one state side by side.

    States are numbered in the order of discovery and expanded in that order, so that the edges of
    state `i` are `first[i] .. first[i + 1]`. Sixteen bytes an edge and a state.
    """

    states: list[S] = field(default_factory=list)
    parents: array[int] = field(default_factory=lambda: array("l"))
    depths: array[int] = field(default_factory=lambda: array("H"))
    first: array[int] = field(default_factory=lambda: array("L", [0]))
    targets: array[int] = field(default_factory=lambda: array("L"))
    labels: array[int] = field(default_factory=lambda: array("L"))
    actions: dict[Action, int] = field(default_factory=dict)

    @property
    def expanded(self) -> int:
        """How many states have all their edges."""
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


@dataclass(frozen=True)
class Liveness(Generic[S]):
    """What the graph check found once fault edges are gone."""

    dead_ends: tuple[Stuck[S], ...]
    livelocks: tuple[Stuck[S], ...]
    hopeless: int
    undecided: int = 0


@dataclass(frozen=True)
class Exploration(Generic[S]):
    """The outcome of one walk. `limit` says which budget ended it early, if one did."""

    graph: Graph[S]
    violations: tuple[Violation[S], ...]
    liveness: Liveness[S] | None
    limit: str | None
    elapsed_s: float

    @property
    def states(self) -> int:
        """Distinct states after canonicalisation."""
        return len(self.graph.states)

    @property
    def edges(self) -> int:
        """Steps taken, self-loops included."""
        return len(self.graph.targets)

    @property
    def diameter(self) -> int:
        """The greatest distance of a state from the start."""
        return max(self.graph.depths, default=0)

    @property
    def verdict(self) -> Verdict:
        """Violated by real violations, dead ends and livelocks only; unknown when cut short."""
        real = any(found.severity is Severity.REAL for found in self.violations)
        live = self.liveness
        if real or (live is not None and (live.dead_ends or live.livelocks)):
            return Verdict.VIOLATED
        if self.limit is not None or live is None or live.undecided:
            return Verdict.UNKNOWN
        return Verdict.HOLDS


@dataclass(frozen=True)
class Budget:
    """What a walk may cost; None is no limit. `stop_at_first` ends it at the first real violation."""

    states_max: int | None = 500_000
    time_s: float | None = None
    stop_at_first: bool = False


_Found: TypeAlias = tuple[tuple[str, Finding], ...]


def _grouped(
    invariants: Iterable[Invariant[S]],
) -> list[tuple[Any, Any, list[Invariant[S]], dict[Any, _Found]]]:
    """Invariants that read alike are judged, and remembered, together."""
    groups: dict[tuple[Any, Any], list[Invariant[S]]] = {}
    for invariant in invariants:
        groups.setdefault((invariant.reads, invariant.relevant), []).append(invariant)
    return [(reads, relevant, group, {}) for (reads, relevant), group in groups.items()]


class _Search(Generic[S]):
    """The walk's working state; one object a run."""

    def __init__(
        self,
        model: Model[S],
        invariants: Sequence[Invariant[S]],
        budget: Budget,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.model = model
        self.budget = budget
        self.progress = progress
        self.graph: Graph[S] = Graph()
        self.ids: dict[S, int] = {}
        self.state_checks = _grouped(inv for inv in invariants if inv.check)
        self.step_checks = _grouped(inv for inv in invariants if inv.check_step)
        # (invariant, severity) -> [times seen, node before, action or None, state, message]
        self.found: dict[tuple[str, Severity], list[Any]] = {}
        self.claims = {inv.name: inv.claim for inv in invariants}
        self.started = time.monotonic()
        self.stop = False

    def note(self, name: str, finding: Finding, node: int, via: tuple[Action, S] | None) -> None:
        """Count a finding; the first of its kind is the one shown, being nearest the start."""
        entry = self.found.get((name, finding.severity))
        if entry is None:
            self.found[name, finding.severity] = [1, node, via, finding.message]
        else:
            entry[0] += 1
        if self.budget.stop_at_first and finding.severity is Severity.REAL:
            self.stop = True

    def judge_state(self, state: S, node: int) -> None:
        """Consult every state predicate, by projection where one is declared."""
        for reads, _, group, seen in self.state_checks:
            key = state if reads is None else reads(state)
            findings = seen.get(key) if reads is not None else None
            if findings is None:
                findings = tuple((inv.name, f) for inv in group for f in inv.check(state))  # type: ignore[misc]
                if reads is not None:
                    seen[key] = findings
            for name, finding in findings:
                self.note(name, finding, node, None)

    def judge_step(self, before: S, node: int, action: Action, after: S) -> None:
        """Consult every step predicate whose projection changed."""
        for reads, relevant, group, seen in self.step_checks:
            if relevant is not None and not relevant(before, after):
                continue
            key: Hashable = None
            findings = None
            if reads is not None:
                left, right = reads(before), reads(after)
                if left == right:
                    continue
                key = (left, right)
                findings = seen.get(key)
            if findings is None:
                findings = tuple(
                    (inv.name, f)
                    for inv in group
                    for f in inv.check_step(before, after)  # type: ignore[misc]
                )
                if reads is not None:
                    seen[key] = findings
            for name, finding in findings:
                self.note(name, finding, node, (action, after))

    def admit(self, state: S, parent: int, depth: int) -> int:
        """Number a new state and judge it."""
        graph = self.graph
        node = self.ids[state] = len(graph.states)
        graph.states.append(state)
        graph.parents.append(parent)
        graph.depths.append(depth)
        self.judge_state(state, node)
        return node

    def expand(self, node: int) -> None:
        """Take every step of one state."""
        graph, ids, actions = self.graph, self.ids, self.graph.actions
        canonical = self.model.canonical
        state = graph.states[node]
        depth = graph.depths[node] + 1
        for action, after in self.model.steps(state):
            if self.step_checks and after is not state:
                self.judge_step(state, node, action, after)
            after = canonical(after)
            target = ids.get(after)
            if target is None:
                target = self.admit(after, node, depth)
            graph.targets.append(target)
            label = actions.get(action)
            if label is None:
                label = actions[action] = len(actions)
            graph.labels.append(label)
        graph.first.append(len(graph.targets))

    def tell(self, node: int) -> None:
        """Report to the progress callback."""
        if self.progress is not None:
            graph = self.graph
            elapsed = time.monotonic() - self.started
            waiting = len(graph.states) - node
            self.progress(
                Progress(len(graph.states), len(graph.targets), graph.depths[node], waiting, elapsed)
            )

    def walk(self) -> str | None:
        """Expand states in order until none is left; the name of the limit that came first, or None."""
        for start in self.model.initial():
            start = self.model.canonical(start)
            if start not in self.ids:
                self.admit(start, -1, 0)
        budget, graph = self.budget, self.graph
        node = 0
        while node < len(graph.states) and not self.stop:
            if budget.states_max is not None and len(graph.states) > budget.states_max:
                return "states"
            if node % 1024 == 0:
                self.tell(node)
                if budget.time_s is not None and time.monotonic() - self.started > budget.time_s:
                    return "time"
            self.expand(node)
            node += 1
        return "first violation" if self.stop else None


def retrace(model: Model[S], graph: Graph[S], node: int) -> tuple[Step[S], ...]:
    """A run of real steps to a state, or to one that differs only by symmetry.

    The search keeps representatives, whose names may be permuted from one to the next. The trace
    follows the representatives' classes from the true start, so that its actions compose.
    """
    path = graph.path(node)
    state = next(s for s in model.initial() if model.canonical(s) == graph.states[path[0]])
    trace: list[Step[S]] = [Step(None, state)]
    for number in path[1:]:
        goal = graph.states[number]
        action, state = next(
            (act, after) for act, after in model.steps(state) if model.canonical(after) == goal
        )
        trace.append(Step(action, state))
    return tuple(trace)


def _violations(search: _Search[S]) -> tuple[Violation[S], ...]:
    found = []
    for (name, severity), (seen, node, via, message) in search.found.items():
        trace = retrace(search.model, search.graph, node)
        if via is not None:
            goal = search.model.canonical(via[1])
            last = trace[-1].state
            same = [
                (act, after)
                for act, after in search.model.steps(last)
                if search.model.canonical(after) == goal
            ]
            # Where names were permuted on the way the action is found by its kind, not by its actor.
            same.sort(key=lambda pair: (pair[0] != via[0], pair[0].name != via[0].name))
            trace = (*trace, Step(*same[0]))
        found.append(Violation(name, search.claims[name], severity, message, trace, seen))
    return tuple(sorted(found, key=lambda violation: (violation.severity != "real", violation.length)))


def explore(
    model: Model[S],
    invariants: Sequence[Invariant[S]] = (),
    *,
    budget: Budget | None = None,
    progress: Callable[[Progress], None] | None = None,
    check_liveness: bool = True,
    symmetric: bool = False,
) -> Exploration[S]:
    """Walk all states of the model within the budget and judge them.

    `symmetric` says that `canonical` permutes names: weak fairness towards one client then cannot
    be read off the reduced graph, and a cycle that only it would excuse is counted `undecided`.
    Liveness is judged only on complete graphs.
    """
    search = _Search(model, invariants, budget or Budget(), progress)
    limit = search.walk()
    search.tell(search.graph.expanded - 1 if search.graph.expanded else 0)
    violations = _violations(search)
    liveness = None
    if check_liveness and limit is None:
        liveness = judge_liveness(model, search.graph, symmetric=symmetric)
    return Exploration(search.graph, violations, liveness, limit, time.monotonic() - search.started)


def _progress_edges(graph: Graph[S]) -> Iterator[tuple[int, int, int]]:
    """(source, action number, target) of every edge that is not a fault."""
    faulty = [action.fault for action in graph.actions]
    for node in range(graph.expanded):
        for label, target in graph.edges(node):
            if not faulty[label]:
                yield node, label, target


def judge_liveness(model: Model[S], graph: Graph[S], *, symmetric: bool = False) -> Liveness[S]:
    """Dead ends, states that can no longer converge, and fair cycles outside convergence.

    Fault edges are deleted first. A state with no step but self-loops must be converged; from every
    state a converged one must be reachable; and a strongly connected component with a state that
    is not converged is a livelock, unless weak fairness forbids staying: some fair action is
    enabled in all its states and taken inside it in none.
    """
    import networkx as nx

    good = bytearray(model.converged(state) for state in graph.states)
    links: Any = nx.DiGraph()
    links.add_nodes_from(range(graph.expanded))
    links.add_edges_from((a, b) for a, _, b in _progress_edges(graph) if a != b)

    ends = [n for n in range(graph.expanded) if links.out_degree(n) == 0 and not good[n]]
    hopeful = {n for n in range(graph.expanded) if good[n]}
    waiting = list(hopeful)
    while waiting:
        for before in links.pred[waiting.pop()]:
            if before not in hopeful:
                hopeful.add(before)
                waiting.append(before)

    livelocks: list[Stuck[S]] = []
    undecided = 0
    for component in nx.strongly_connected_components(links):
        if len(component) == 1 or all(good[n] for n in component):
            continue
        excuse = _unfair(graph, component)
        if excuse == "client" and symmetric:
            undecided += 1
        elif excuse is None:
            entry = min(component)
            cycle = _cycle(graph, component, entry)
            livelocks.append(Stuck(retrace(model, graph, entry), len(component), cycle))
    dead = tuple(Stuck(retrace(model, graph, n), 1) for n in ends[:3])
    if len(ends) > len(dead):
        dead = (*dead, *(Stuck((), 1) for _ in ends[len(dead) :]))
    livelocks.sort(key=lambda stuck: len(stuck.trace))
    return Liveness(dead, tuple(livelocks), graph.expanded - len(hopeful), undecided)


def _unfair(graph: Graph[S], component: set[int]) -> str | None:
    """Why weak fairness forbids staying in the component: "client", "other", or None if it does not.

    An action is the same in two states when actor and name agree, whatever it carries.
    """
    names = list(graph.actions)
    always: set[tuple[str, str]] | None = None
    taken: set[tuple[str, str]] = set()
    for node in sorted(component):
        enabled = set()
        for label, target in graph.edges(node):
            action = names[label]
            if action.fault or not action.fair:
                continue
            key = (action.actor, action.name)
            enabled.add(key)
            if target in component:
                taken.add(key)
        always = enabled if always is None else always & enabled
        if not always - taken:
            return None
    excuses = (always or set()) - taken
    if not excuses:
        return None
    return (
        "other"
        if any(not actor.startswith("c") or actor == "coordinator" for actor, _ in excuses)
        else "client"
    )


def _cycle(graph: Graph[S], component: set[int], entry: int) -> tuple[Action, ...]:
    """The shortest round trip from the entry through the component without faults."""
    names = list(graph.actions)
    back: dict[int, tuple[int, int]] = {}
    queue = [entry]
    for node in queue:
        for label, target in graph.edges(node):
            if target not in component or names[label].fault or target == node:
                continue
            if target == entry:
                labels = [label]
                while node != entry:
                    node, step = back[node]
                    labels.append(step)
                return tuple(names[step] for step in reversed(labels))
            if target not in back:
                back[target] = (node, label)
                queue.append(target)
    return ()


def rounds_between_disturbances(graph: Graph[S]) -> int | None:
    """The most generations begun on any path without fault and without disturbance, or None if endless.

    Paths start in every reachable state. The longest path is taken over the condensation; a
    component that begins a generation inside itself can do so for ever.
    """
    import networkx as nx

    names = list(graph.actions)
    links: Any = nx.DiGraph()
    links.add_nodes_from(range(graph.expanded))
    for source, label, target in _progress_edges(graph):
        action = names[label]
        if action.disturbs or (source == target and not action.rounds):
            continue
        weight = max(
            action.rounds, links.edges[source, target]["rounds"] if links.has_edge(source, target) else 0
        )
        links.add_edge(source, target, rounds=weight)
    component_of: dict[int, int] = {}
    best: dict[int, int] = {}
    # Tarjan's order is reverse topological: every component comes after those it leads to.
    for number, component in enumerate(nx.strongly_connected_components(links)):
        for node in component:
            component_of[node] = number
        top = 0
        for node in component:
            for target, data in links.adj[node].items():
                if component_of[target] == number:
                    if data["rounds"]:
                        return None
                else:
                    top = max(top, best[component_of[target]] + data["rounds"])
        best[number] = top
    return max(best.values(), default=0)


class Cell:
    """A component of a state that stands for its value: equal exactly when it is the same object.

    Made by `Interner.cell` alone. Hash and comparison are those of identity, in C and in constant
    time, however deep the value is.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class Interner:
    """One cell a distinct value."""

    def __init__(self) -> None:
        self._cells: dict[Hashable, Cell] = {}

    def cell(self, value: Hashable) -> Cell:
        """The cell of this value."""
        found = self._cells.get(value)
        if found is None:
            found = self._cells[value] = Cell(value)
        return found

    def __len__(self) -> int:
        return len(self._cells)


def run(model: Model[S], actions: Iterable[Callable[[Action], bool] | Action]) -> tuple[Step[S], ...]:
    """Play actions, or the first enabled one that each predicate picks, from the first initial state.

    Raises LookupError with the enabled actions if none fits.
    """
    state = next(iter(model.initial()))
    trace: list[Step[S]] = [Step(None, state)]
    for wanted in actions:
        trace.append(pick(model, state, wanted))
        state = trace[-1].state
    return tuple(trace)


def pick(model: Model[S], state: S, wanted: Callable[[Action], bool] | Action) -> Step[S]:
    """The first enabled step that is, or satisfies, what is wanted."""
    enabled = list(model.steps(state))
    for action, after in enabled:
        if action == wanted or (callable(wanted) and wanted(action)):
            return Step(action, after)
    listing = "\n  ".join(str(action) for action, _ in enabled)
    raise LookupError(f"no enabled action is {wanted}; enabled are\n  {listing}")
