"""What `exchanges` says, arc by arc: from each holder of a partition to each other reader of it."""

from typing import NamedTuple


class Handing(NamedTuple):
    source: object
    target: object
    moves: int
    mismatches: int


def plainly_moves_more(step, fewest):
    return some_circle_costs({(a.source, a.target, a.moves) for a in arcs_of(step, fewest)})


def plainly_mismatches_more(step, fewest, unmoved):
    arcs = arcs_of(step, fewest)
    if unmoved:
        potential = potentials({(a.source, a.target, a.moves) for a in arcs})
        arcs = {a for a in arcs if a.moves + potential[a.source] == potential[a.target]}
    return some_circle_costs({(a.source, a.target, a.mismatches) for a in arcs})


def arcs_of(step, held):
    rack_of = {member.member_id: member.rack for member in step.group.members}
    loads = {m: len(held.get(m, ())) for m in rack_of}
    arcs = set()
    for m, load in loads.items():
        if load + 1 in loads.values():
            arcs.add(Handing(m, load, 0, 0))
        if load - 1 in loads.values():
            arcs.add(Handing(load - 1, m, 0, 0))
    for holder, tps in held.items():
        for tp in tps:
            before = step.previous.get(tp)
            near = step.cluster.replica_racks.get(tp.topic, {})
            near = near[tp.partition] if near else ()
            for reader in step.group.subscribers[tp.topic]:
                moves = [before not in (None, m) for m in (holder, reader)]
                away = [bool(near) and rack_of[m] not in near for m in (holder, reader)]
                arcs.add(Handing(holder, reader, moves[1] - moves[0], away[1] - away[0]))
    return arcs


def potentials(arcs):
    cheapest = {node: 0 for source, target, _ in arcs for node in (source, target)}
    for _ in cheapest:
        for source, target, cost in arcs:
            cheapest[target] = min(cheapest[target], cheapest[source] + cost)
    return cheapest


def some_circle_costs(arcs):
    potential = potentials(arcs)
    ways = {node: {node} for node in potential}
    for _ in potential:
        for source, target, _ in arcs:
            ways[source] |= ways[target]
    return any(
        cost + potential[source] > potential[target] and source in ways[target]
        for source, target, cost in arcs
    )
