"""What a complete graph says of convergence: dead ends, livelocks, and rounds between disturbances."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, TypeVar

from kassay.model.explore.graph import Action, Graph
from kassay.model.explore.traces import retrace
from kassay.model.explore.values import Liveness, Model, Stuck

S = TypeVar("S", bound=Hashable)


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
