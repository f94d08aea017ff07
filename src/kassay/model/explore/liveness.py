"""Convergence of a complete graph: dead ends, livelocks, and rounds between disturbances.

On a reduced graph, `ends_by_fairness` finds out whether weak fairness ends a component, without the
states that the component stands for. A state of the full model is a renaming of a representative. So a
component is traversed by representatives, each with one renaming under which the full component contains
it. All such renamings are the group that these generate, and the full component is what that group makes
of the representatives: what is enabled in all its states, and what is taken in any, follows from them.
(Voltage graphs: Gross and Tucker, Topological Graph Theory, 1987, chapter 2.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from kassay.model.explore.states import trim
from kassay.model.explore.values import Action, Graph, Liveness, Model, Reduced, Stuck, retrace

S = TypeVar("S", bound=Hashable)

Deed: TypeAlias = tuple[str, str]
"""Actor and name of an action; its details do not distinguish it."""
_TRIMS: Final = 1024
"""The number of states between two calls of `trim`."""


class Renaming(Hashable, Protocol):
    """One element of the group of all renamings."""

    def then(self, other: Self) -> Self:
        """This renaming followed by the other."""

    def inverse(self) -> Self:
        """The inverse renaming."""


class GroupSymmetry(ABC, Generic[S]):
    """A symmetry that provides the renamings from a state to its representative."""

    @abstractmethod
    def __call__(self, state: S) -> S:
        """The representative."""

    @abstractmethod
    def ways(self, state: S) -> Sequence[Any]:
        """All renamings from a state to its representative; for a representative, its stabiliser."""

    @abstractmethod
    def deed(self, action: Action, way: Any) -> Deed:
        """Actor and name of an action after a renaming."""


def ends_by_fairness(model: Reduced[S], graph: Graph[S], component: Set[int]) -> bool:
    """Whether some fair action is enabled in all states that a component represents, and taken in none.

    Also False if the symmetry does not provide its renamings.
    """
    symmetry = model.symmetry
    if not isinstance(symmetry, GroupSymmetry):
        return False
    refused: set[Deed] | None = None
    taken: set[Deed] = set()
    folded = _Folded(model, symmetry, graph, component)
    for enabled, inside in folded.representatives():
        taken |= inside
        refused = (enabled if refused is None else refused & enabled) - taken
        if not refused:
            return False
    # Only what the whole group preserves is enabled everywhere and taken nowhere.
    group = folded.group()
    return any(_orbit(symmetry, deed, group) <= (refused or set()) for deed in refused or ())


class _Folded(Generic[S]):
    """A component by its representatives; `placed` holds the renaming of each into the full component."""

    def __init__(
        self, model: Reduced[S], symmetry: GroupSymmetry[S], graph: Graph[S], component: Set[int]
    ) -> None:
        self.full = model.full
        self.symmetry = symmetry
        self.number = graph.states.number
        self.component = component
        self.first = symmetry(self.full.canonical(retrace(model, graph, min(component))[-1].state))
        self.generators: set[Any] = set()
        self.placed: dict[int, Any] = {}

    def representatives(self) -> Iterator[tuple[set[Deed], set[Deed]]]:
        """For each representative, the fair enabled deeds, and those of them that stay in the component."""
        stays = self.symmetry.ways(self.first)[0]
        self.placed[self.number(self.first)] = stays.then(stays.inverse())
        queue = [self.first]
        for count, state in enumerate(queue):
            if count % _TRIMS == 0:
                trim()
            place = self.placed[self.number(state)]
            self.generators |= {place.inverse().then(way).then(place) for way in self.symmetry.ways(state)}
            enabled: set[Deed] = set()
            taken: set[Deed] = set()
            for action, after in self.full.steps(state):
                if action.fault:
                    continue
                inside = self._go(self.full.canonical(after), place, queue)
                if action.fair:
                    deed = self.symmetry.deed(action, place)
                    enabled.add(deed)
                    if inside:
                        taken.add(deed)
            yield enabled, taken

    def _go(self, after: S, place: Any, queue: list[S]) -> bool:
        """Whether a step stays in the component; places its target or records the renaming it yields."""
        representative = self.symmetry(after)
        node = self.number(representative)
        if node not in self.component:
            return False
        there = self.symmetry.ways(after)[0].inverse().then(place)
        if node not in self.placed:
            self.placed[node] = there
            queue.append(representative)
        else:
            self.generators.add(self.placed[node].inverse().then(there))
        return True

    def group(self) -> list[Any]:
        """All renamings of the full component into itself."""
        identity = self.placed[self.number(self.first)]
        known = {identity: None}
        queue = [identity]
        for each in queue:
            for generator in self.generators:
                product = each.then(generator)
                if product not in known:
                    known[product] = None
                    queue.append(product)
        return queue


def _orbit(symmetry: GroupSymmetry[Any], deed: Deed, group: Sequence[Any]) -> Set[Deed]:
    """The orbit of a deed under a group."""
    actor, name = deed
    return {symmetry.deed(Action(actor, name), way) for way in group}


Edges: TypeAlias = Callable[[int], Iterable[tuple[Action, int]]]
"""The enabled actions of a numbered state and their target states."""

TRACES_MAX = 3
"""The maximum number of dead ends that are reported with a trace."""


def judge_liveness(model: Model[S], graph: Graph[S], *, unfolded_max: int = 1_000_000) -> Liveness[S]:
    """Find dead ends, states that can no longer converge, and fair cycles outside convergence.

    Fault edges are removed first. A state whose only steps are self-loops must be converged. From every
    state, a converged one must be reachable. A strongly connected component with a state that is not
    converged is a livelock, unless weak fairness forbids staying: some fair action is enabled in all its
    states and never taken inside it.

    The actions of a reduced graph do not identify their actors, so fairness cannot be read from it. If the
    symmetry provides its renamings, `quotient` decides with their help. A component that fairness does not
    end is unfolded into the states of the full model and checked there; one with more than `unfolded_max`
    states counts as `undecided`.
    """
    names = list(graph.actions)
    faulty = bytes(action.fault for action in names)
    good = graph.good or bytearray(model.converged(state) for state in graph.states)
    hopeful = bytearray(graph.expanded)

    def edges(node: int) -> Iterator[tuple[Action, int]]:
        return ((names[label], target) for label, target in graph.edges(node))

    livelocks: list[Stuck[S]] = []
    ends: list[int] = []
    undecided = 0
    for component in components(graph, faulty):
        ahead, repeats, hope = _ways_out(graph, faulty, component, hopeful)
        unsettled = len(component) - sum([good[n] for n in component])
        if hope or unsettled < len(component):
            for n in component:
                hopeful[n] = 1
        if not unsettled or (ahead and len(component) == 1 and not repeats):
            continue
        entry = min(component)
        inside: Set[int] = set(component)
        look: Edges = edges
        turning = False
        if isinstance(model, Reduced) and (len(component) > 1 or repeats):
            if len(component) > 1 and ends_by_fairness(model, graph, inside):
                continue
            steps = _unfolded(model, graph, inside, unfolded_max)
            if steps is None:
                undecided += 1
                continue
            inside, look = set(range(len(steps))), steps.__getitem__
            turning = len(steps) > 1
        if len(inside) > 1 and not _unfair(look, inside):
            cycle = _cycle(look, inside, min(inside))
            livelocks.append(Stuck(retrace(model, graph, entry), len(inside), cycle))
        if not turning and not ahead:
            ends.append(entry)
    ends.sort()
    dead = tuple(Stuck(retrace(model, graph, n) if i < TRACES_MAX else (), 1) for i, n in enumerate(ends))
    livelocks.sort(key=lambda stuck: len(stuck.trace))
    return Liveness(dead, tuple(livelocks), graph.expanded - sum(hopeful), undecided)


def _ways_out(
    graph: Graph[S], skipped: Sequence[int], component: Sequence[int], hopeful: Sequence[int]
) -> tuple[bool, bool, bool]:
    """Whether a step that is not skipped leads to another state, to the same one, and to a hopeful one.

    An explicit loop, because nearly all components of a large graph have one state.
    """
    first, targets, labels = graph.first, graph.targets, graph.labels
    ahead = repeats = hope = False
    for node in component:
        for at in range(first[node], first[node + 1]):
            if skipped[labels[at]]:
                continue
            target = targets[at]
            if target == node:
                repeats = True
            else:
                ahead = True
                if hopeful[target]:
                    hope = True
    return ahead, repeats, hope


def _unfolded(
    model: Reduced[S], graph: Graph[S], component: Set[int], states_max: int
) -> list[list[tuple[Action, int]]] | None:
    """The steps (-1: out of it) of all states of the full model that a component represents.

    None if there are too many. They form one component as well: from each state some renaming of it can be
    reached, and since renamings have finite order, so can the state itself. The first is the state in which
    `retrace` ends.
    """
    full = model.full
    number = graph.states.number
    states = [full.canonical(retrace(model, graph, min(component))[-1].state)]
    ids = {states[0]: 0}
    steps: list[list[tuple[Action, int]]] = []
    for state in states:
        edges: list[tuple[Action, int]] = []
        for action, after in full.steps(state):
            after = full.canonical(after)
            if action.fault or number(model.symmetry(after)) not in component:
                edges.append((action, -1))
                continue
            if after not in ids:
                ids[after] = len(states)
                states.append(after)
            edges.append((action, ids[after]))
        steps.append(edges)
        if len(states) > states_max:
            return None
    return steps


def _unfair(edges: Edges, component: Set[int]) -> bool:
    """Whether weak fairness forbids staying in the component.

    Actions in two states are the same if actor and name agree, whatever their details.
    """
    always: set[tuple[str, str]] | None = None
    taken: set[tuple[str, str]] = set()
    for node in sorted(component):
        enabled = set()
        for action, target in edges(node):
            if action.fault or not action.fair:
                continue
            key = (action.actor, action.name)
            enabled.add(key)
            if target in component:
                taken.add(key)
        always = enabled if always is None else always & enabled
        if not always - taken:
            return False
    return True


def _cycle(edges: Edges, component: Set[int], entry: int) -> tuple[Action, ...]:
    """The shortest cycle from the entry through the component without faults."""
    back: dict[int, tuple[int, Action]] = {}
    queue = [entry]
    for node in queue:
        for action, target in edges(node):
            if target not in component or action.fault or target == node:
                continue
            if target == entry:
                taken = [action]
                while node != entry:
                    node, step = back[node]
                    taken.append(step)
                return tuple(reversed(taken))
            if target not in back:
                back[target] = (node, action)
                queue.append(target)
    return ()


def rounds_between_disturbances(graph: Graph[S]) -> int | None:
    """The most generations begun on any path without fault and disturbance, or None if unbounded.

    Paths start in every reachable state. The longest path is computed on the condensation; a component that
    begins a generation inside itself can do so for ever.
    """
    skipped = bytes(action.fault or action.disturbs for action in graph.actions)
    rounds = [action.rounds for action in graph.actions]
    first, targets, labels = graph.first, graph.targets, graph.labels
    best = array("I", bytes(4 * graph.expanded))
    inside = bytearray(graph.expanded)
    most = 0
    for component in components(graph, skipped):
        for node in component:
            inside[node] = 1
        top = 0
        for node in component:
            for at in range(first[node], first[node + 1]):
                label, target = labels[at], targets[at]
                if skipped[label]:
                    continue
                if not inside[target]:
                    top = max(top, best[target] + rounds[label])
                elif rounds[label]:
                    return None
        for node in component:
            inside[node], best[node] = 0, top
        most = max(most, top)
    return most


def components(graph: Graph[Any], skipped: Sequence[int]) -> Iterator[list[int]]:
    """The expanded states in strongly connected components of the actions that are not `skipped`.

    Tarjan's algorithm (1972) on arrays and without recursion: twenty bytes per state instead of two thousand
    with graphs of dicts. Each component comes after all components that it reaches; edges to states that are
    not expanded are ignored.
    """
    count, first, targets, labels = graph.expanded, graph.first, graph.targets, graph.labels
    order = array("I", bytes(4 * count))  # 0: not visited; `count + 1`: its component is complete
    low = array("I", bytes(4 * count))
    cursor = array("Q", first[:count])
    met = 0
    open_states: list[int] = []
    for root in range(count):
        if order[root]:
            continue
        way = [root]
        while way:
            node = way[-1]
            if not order[node]:
                met += 1
                order[node] = low[node] = met
                open_states.append(node)
            lowest, deeper = low[node], False
            at, end = cursor[node], first[node + 1]
            while at < end:
                target = targets[at]
                if target < count and not skipped[labels[at]]:
                    if not order[target]:
                        deeper = True
                        break
                    if low[target] < lowest and order[target] <= count:
                        lowest = low[target]
                at += 1
            low[node], cursor[node] = lowest, at
            if deeper:
                way.append(target)
                continue
            way.pop()
            if lowest < order[node]:
                continue
            if open_states[-1] == node:
                order[open_states.pop()] = count + 1
                yield [node]
            else:
                yield _closed(open_states, node, order, count + 1)


def _closed(open_states: list[int], entry: int, order: array[int], complete: int) -> list[int]:
    """The component with this entry state, now closed."""
    at = len(open_states) - 1
    while open_states[at] != entry:
        at -= 1
    component = open_states[at:]
    del open_states[at:]
    for node in component:
        order[node] = complete
    return component
