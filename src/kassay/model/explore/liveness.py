"""What a complete graph says of convergence: dead ends, livelocks, and rounds between disturbances."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.reduced import Reduced
from kassay.model.explore.traces import retrace
from kassay.model.explore.values import Liveness, Model, Stuck

S = TypeVar("S", bound=Hashable)

Edges: TypeAlias = Callable[[int], Iterable[tuple[Action, int]]]
"""The actions enabled in a numbered state and where they lead."""

TRACES_MAX = 3
"""Dead ends that are told with the way there."""


def judge_liveness(model: Model[S], graph: Graph[S], *, unfolded_max: int = 1_000_000) -> Liveness[S]:
    """Dead ends, states that can no longer converge, and fair cycles outside convergence.

    Fault edges are deleted first. A state with no step but self-loops must be converged; from every
    state a converged one must be reachable; and a strongly connected component with a state that
    is not converged is a livelock, unless weak fairness forbids staying: some fair action is
    enabled in all its states and taken inside it in none.

    The actions of a reduced graph do not say who takes them, so that fairness cannot be read off it:
    such a component is unfolded into the states of the full model and judged there. One of more than
    `unfolded_max` states is counted `undecided`.
    """
    import networkx as nx

    names = list(graph.actions)
    faulty = [action.fault for action in names]
    good = bytearray(model.converged(state) for state in graph.states)
    links: Any = nx.DiGraph()
    links.add_nodes_from(range(graph.expanded))
    links.add_edges_from((a, b) for a, _, b in _progress_edges(graph) if a != b)

    hopeful = {n for n in range(graph.expanded) if good[n]}
    waiting = list(hopeful)
    while waiting:
        for before in links.pred[waiting.pop()]:
            if before not in hopeful:
                hopeful.add(before)
                waiting.append(before)

    def edges(node: int) -> Iterator[tuple[Action, int]]:
        return ((names[label], target) for label, target in graph.edges(node))

    livelocks: list[Stuck[S]] = []
    undecided = 0
    turning: set[int] = set()
    for component in nx.strongly_connected_components(links):
        if all(good[n] for n in component):
            continue
        entry = min(component)
        inside: set[int] = component
        look: Edges = edges
        if isinstance(model, Reduced) and (len(component) > 1 or _repeats(graph, faulty, entry)):
            steps = _unfolded(model, graph, component, unfolded_max)
            if steps is None:
                undecided += 1
                continue
            inside, look = set(range(len(steps))), steps.__getitem__
            turning |= component if len(steps) > 1 else set()
        if len(inside) > 1 and not _unfair(look, inside):
            cycle = _cycle(look, inside, min(inside))
            livelocks.append(Stuck(retrace(model, graph, entry), len(inside), cycle))
    ends = [n for n in links if links.out_degree(n) == 0 and not good[n] and n not in turning]
    dead = tuple(Stuck(retrace(model, graph, n) if i < TRACES_MAX else (), 1) for i, n in enumerate(ends))
    livelocks.sort(key=lambda stuck: len(stuck.trace))
    return Liveness(dead, tuple(livelocks), graph.expanded - len(hopeful), undecided)


def _progress_edges(graph: Graph[S]) -> Iterator[tuple[int, int, int]]:
    """(source, action number, target) of every edge that is not a fault."""
    faulty = [action.fault for action in graph.actions]
    for node in range(graph.expanded):
        for label, target in graph.edges(node):
            if not faulty[label]:
                yield node, label, target


def _repeats(graph: Graph[S], faulty: list[bool], node: int) -> bool:
    """Whether a step that is no fault leads back to the state's own number."""
    return any(target == node and not faulty[label] for label, target in graph.edges(node))


def _unfolded(
    model: Reduced[S], graph: Graph[S], component: set[int], states_max: int
) -> list[list[tuple[Action, int]]] | None:
    """The steps (-1: out of it) of all states of the full model that a component stands for.

    None if they are too many. They are one component as well: from each state some renaming of it can
    be reached, and because renamings come round again, so can the state itself. The first is the one
    that `retrace` ends in.
    """
    full = model.full
    inside = {graph.states[n] for n in component}
    states = [full.canonical(retrace(model, graph, min(component))[-1].state)]
    ids = {states[0]: 0}
    steps: list[list[tuple[Action, int]]] = []
    for state in states:
        edges: list[tuple[Action, int]] = []
        for action, after in full.steps(state):
            after = full.canonical(after)
            if action.fault or model.symmetry(after) not in inside:
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


def _unfair(edges: Edges, component: set[int]) -> bool:
    """Whether weak fairness forbids staying in the component.

    An action is the same in two states when actor and name agree, whatever it carries.
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


def _cycle(edges: Edges, component: set[int], entry: int) -> tuple[Action, ...]:
    """The shortest round trip from the entry through the component without faults."""
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
