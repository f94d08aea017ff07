"""Plans that change a placement, one replica at a time.

Source: Kafka `kafka-reassign-partitions`, KIP-455.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement import Replicas


class Move(NamedTuple):
    """One replica of the partition goes from the broker `source` to the broker `target`."""

    partition: TopicPartition
    source: int
    target: int

    def __str__(self) -> str:
        return f"{self.partition}: {self.source} -> {self.target}"


@dataclass(frozen=True)
class Plan:
    """A change of a placement, one replica at a time, in this order.

    `before` is where the replicas are at the start. The target takes the source's place in the list
    of replicas, so that a plan keeps the preferred leader unless that is what moves.
    """

    brokers: tuple[Broker, ...]
    replication_factor: int
    before: tuple[tuple[TopicPartition, Replicas], ...]
    moves: tuple[Move, ...] = ()

    def states(self) -> Iterator[tuple[Move, Replicas, Replicas]]:
        """Each move with the replicas of its partition before and after it.

        A source that holds no replica is dropped and the target comes last: what is wrong with such
        a move is for the claims to say. Raises `InputError` for a partition that is not in `before`.
        """
        now = dict(self.before)
        for move in self.moves:
            if move.partition not in now:
                raise InputError(f"move {move}: the plan does not say where {move.partition} is at the start")
            held = now[move.partition]
            if move.source in held:
                after = tuple(move.target if broker == move.source else broker for broker in held)
            else:
                after = (*held, move.target)
            now[move.partition] = after
            yield move, held, after

    @cached_property
    def after(self) -> tuple[tuple[TopicPartition, Replicas], ...]:
        """Where the replicas are at the end."""
        now = dict(self.before)
        for move, _, after in self.states():
            now[move.partition] = after
        return tuple(now.items())
