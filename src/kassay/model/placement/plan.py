"""Reassignment plans, one replica at a time, and one call of a planner as a value.

One call of a planner as a value: a placement and the final brokers in, a plan out. Source: Kafka
`kafka-reassign-partitions`, KIP-455.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

from kassay.model.calls import Call, Look, call
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas


class Move(NamedTuple):
    """One replica of the partition moves from the broker `source` to the broker `target`.

    Without a source, a replica is added; without a target, one is removed. The target takes the source's
    position among the replicas unless `order` gives the final order.
    """

    partition: TopicPartition
    source: int | None = None
    target: int | None = None
    order: Replicas | None = None

    @property
    def added(self) -> int:
        """The change in the number of replicas: 1, 0 or -1."""
        return (self.source is None and self.target is not None) - (
            self.target is None and self.source is not None
        )

    def exchanged(self, replicas: Replicas) -> Replicas:
        """The replicas after the move, ignoring `order`.

        A source that holds no replica is ignored and the target is appended: claims report what is wrong with
        such a move.
        """
        if self.target is None:
            return tuple(broker for broker in replicas if broker != self.source)
        if self.source in replicas:
            return tuple(self.target if broker == self.source else broker for broker in replicas)
        return (*replicas, self.target)

    def __str__(self) -> str:
        ends = ["-" if broker is None else str(broker) for broker in (self.source, self.target)]
        return f"{self.partition}: {ends[0]} -> {ends[1]}"


class Moved(NamedTuple):
    """A move, and the replicas of its partition before and after it."""

    move: Move
    before: Replicas
    after: Replicas


@dataclass(frozen=True)
class Plan:
    """A reassignment, one replica at a time, in this order.

    `brokers` are those of the cluster, without decommissioned ones. `before` holds the initial replicas.
    `replication_factor` is the final one of every moved partition, or None to derive it from the moves.
    """

    brokers: tuple[Broker, ...]
    before: tuple[tuple[TopicPartition, Replicas], ...]
    moves: tuple[Move, ...] = ()
    replication_factor: int | None = None

    def states(self) -> Iterator[Moved]:
        """Each move with its effect; raises `InputError` for a partition that is not in `before`."""
        now = dict(self.before)
        for move in self.moves:
            if move.partition not in now:
                raise InputError(f"move {move}: the plan has no initial replicas of {move.partition}")
            held = now[move.partition]
            now[move.partition] = move.exchanged(held) if move.order is None else move.order
            yield Moved(move, held, now[move.partition])

    @cached_property
    def after(self) -> tuple[tuple[TopicPartition, Replicas], ...]:
        """The final replicas."""
        now = dict(self.before)
        for move, _, after in self.states():
            now[move.partition] = after
        return tuple(now.items())


@dataclass(frozen=True)
class PlanRequest:
    """The request for a plan from `before` to a placement on these brokers.

    `brokers` are those that stay or are added; `before` may name others, which are decommissioned.
    """

    brokers: tuple[Broker, ...]
    before: tuple[tuple[TopicPartition, Replicas], ...]
    replication_factor: int

    def __post_init__(self) -> None:
        if not 1 <= self.replication_factor <= len(self.brokers):
            raise InputError(
                f"replication factor {self.replication_factor}: expected one from 1 to {len(self.brokers)}, "
                "the number of brokers"
            )


@runtime_checkable
class Planner(Protocol):
    """Plans a reassignment."""

    def plan(self, request: PlanRequest) -> Plan:
        """The moves, in order."""


class PlanStep(Call[PlanRequest, Plan]):
    """One call of a planner."""


def plan_step(
    new: Callable[[], Planner],
    request: PlanRequest,
    looks: Collection[Look] = (),
    twin: Callable[[], Planner] | None = None,
) -> PlanStep:
    """A step with a new planner."""
    return call(PlanStep, lambda planner, received: planner.plan(received), new, request, looks, twin=twin)
