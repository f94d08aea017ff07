"""The moves of a partition whose replication factor changes.

Replicas are exchanged, added and removed one at a time, in an order in which the partition never has fewer
replicas than the smaller of the two factors, nor more than the larger, and in which no move loses the rack
rule that holds for the number of replicas before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kassay.engines.replicas.cluster import PlacedCluster
from kassay.engines.replicas.judge import rack_breaks
from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move
from kassay.model.placement.request import Replicas


def resizing_moves(
    target: PlacedCluster, tp: TopicPartition, before: Replicas, after: Replicas
) -> tuple[Move, ...] | None:
    """The moves from one row to the other on `target`, None where every order loses the rack rule."""
    return _path(target, tp, before, after, set())


def _path(
    target: PlacedCluster, tp: TopicPartition, row: Replicas, after: Replicas, dead_ends: set[frozenset[int]]
) -> tuple[Move, ...] | None:
    """The moves from `row` on, None where there are none; brokers without a way on are remembered."""
    if set(row) == set(after):
        return () if row == after else (Move(tp, order=after),)
    holds = _holds(target, tp, row)
    for move in sorted(_possible(tp, row, after), key=lambda move: _across(target, move)):
        moved = move.exchanged(row)
        if frozenset(moved) not in dead_ends and (not holds or _holds(target, tp, moved)):
            rest = _path(target, tp, moved, after, dead_ends)
            if rest is not None:
                return (move, *rest)
    dead_ends.add(frozenset(row))
    return None


def _possible(tp: TopicPartition, row: Replicas, after: Replicas) -> Iterator[Move]:
    """The moves that bring the row nearer, none of which overshoots."""
    leaving = [broker for broker in row if broker not in after]
    coming = [broker for broker in after if broker not in row]
    if len(row) < len(after):
        yield from (Move(tp, None, broker) for broker in coming)
    if len(row) > len(after):
        yield from (Move(tp, broker, None) for broker in leaving)
    yield from (Move(tp, source, broker) for source in leaving for broker in coming)


def _across(target: PlacedCluster, move: Move) -> tuple[bool, bool]:
    """Moves off brokers that leave, then exchanges inside a rack, come first."""
    racks, source, broker = target.racks, move.source, move.target
    inside = source is not None and broker is not None and racks.get(source) == racks.get(broker)
    return source is None or source in racks, not inside


def _holds(target: PlacedCluster, tp: TopicPartition, row: Replicas) -> bool:
    return not rack_breaks(target, {tp: row})
