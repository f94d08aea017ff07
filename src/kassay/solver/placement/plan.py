"""From the present placement to the target, one valid replica exchange at a time.

Within a partition the racks' counts go from their present to their target values without turning back. So
where both ends obey the rack rule every state between does, and where the start breaks it no state is worse
than the one before. Replicas are exchanged inside their rack first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from kassay.model.cluster import TopicPartition
from kassay.model.placement.plan import Move
from kassay.model.placement.request import Replicas

Rows = Mapping[TopicPartition, Replicas]


def plan(before: Rows, after: Rows, racks: Mapping[int, str | None]) -> tuple[Move, ...]:
    """The moves that turn one placement into the other, partition by partition.

    `before` may lack partitions, which are then created at once, without a move. Brokers that are not in
    `racks` are being removed: their replicas move first. Where only the order of the same brokers changes (a
    change of preferred leader), a move contains the order alone.
    """
    return tuple(
        move for tp in sorted(after) if before.get(tp) for move in _moves(tp, before[tp], after[tp], racks)
    )


def _moves(
    tp: TopicPartition, before: Replicas, after: Replicas, racks: Mapping[int, str | None]
) -> Iterator[Move]:
    state = before
    for source, target in _exchanges(before, after, racks):
        move = Move(tp, source, target)
        state = move.exchanged(state)
        yield move
    if state != after:
        yield Move(tp, order=after)


def _exchanges(
    before: Sequence[int], after: Sequence[int], racks: Mapping[int, str | None]
) -> list[tuple[int | None, int | None]]:
    """Pairs of old and new brokers: removed brokers and pairs in one rack first, then across racks."""
    leaving = [broker for broker in before if broker not in after]
    coming = [broker for broker in after if broker not in before]
    pairs: list[tuple[int | None, int | None]] = []
    for source in list(leaving):
        near = next((b for b in coming if source in racks and racks[b] == racks[source]), None)
        if near is not None:
            pairs.append((source, near))
            leaving.remove(source)
            coming.remove(near)
    leaving.sort(key=lambda broker: broker in racks)
    return [*pairs, *zip_longest(leaving, coming)]
