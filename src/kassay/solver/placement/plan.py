"""From the placement that is to the one that shall be, one valid replica exchange at a time.

Within a partition the racks' counts walk from what they are to what they shall be without turning
back. So where both ends obey the rack rule every state between does, and where the start breaks it
no state is worse than the one before. Replicas are exchanged inside their rack first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kassay.model.cluster import TopicPartition

Rows = Mapping[TopicPartition, tuple[int, ...]]


@dataclass(frozen=True)
class ExchangeStep:
    """One partition gets new replicas: `source` hands over to `target`.

    `source` is None where a replica is added, `target` is None where one is dropped; both are None
    where the same brokers are only put in another order (a change of preferred leader).
    """

    tp: TopicPartition
    before: tuple[int, ...]
    after: tuple[int, ...]
    source: int | None = None
    target: int | None = None

    @property
    def copies(self) -> int:
        """How many replicas have to be copied: 1 or 0."""
        return int(self.target is not None)


def plan(before: Rows, after: Rows, racks: Mapping[int, str | None]) -> tuple[ExchangeStep, ...]:
    """The steps that turn one placement into the other, partition by partition.

    `before` may lack partitions, which are then created at once, without a step. Brokers that are
    not in `racks` are going: they hand over first.
    """
    return tuple(
        step for tp in sorted(after) if before.get(tp) for step in _steps(tp, before[tp], after[tp], racks)
    )


def _steps(
    tp: TopicPartition, before: tuple[int, ...], after: tuple[int, ...], racks: Mapping[int, str | None]
) -> Iterator[ExchangeStep]:
    state = before
    for source, target in _exchanges(before, after, racks):
        if source is None:
            assert target is not None
            following = (*state, target)
        elif target is None:
            following = tuple(broker for broker in state if broker != source)
        else:
            following = tuple(target if broker == source else broker for broker in state)
        yield ExchangeStep(tp, state, following, source, target)
        state = following
    if state != after:
        yield ExchangeStep(tp, state, after)


def _exchanges(
    before: Sequence[int], after: Sequence[int], racks: Mapping[int, str | None]
) -> list[tuple[int | None, int | None]]:
    """Who hands over to whom: going brokers and pairs in one rack first, then across racks."""
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
    across: list[tuple[int | None, int | None]] = list(zip(leaving, coming))
    added: list[tuple[int | None, int | None]] = [(None, broker) for broker in coming[len(leaving) :]]
    dropped: list[tuple[int | None, int | None]] = [(broker, None) for broker in leaving[len(coming) :]]
    return pairs + across + added + dropped
