"""Replica placement: what is asked of a placer, what it answers, and plans that change a placement.

Words: the first replica of a partition is its *preferred leader*, the others are *followers*.
Sources: Kafka `AdminUtils`, `AdminZkClient`, `ReplicaPlacer` (KRaft).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol, TypeAlias, runtime_checkable

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError, KafkaError
from kassay.model.randomness import RandomSource

Replicas: TypeAlias = tuple[int, ...]
"""The broker ids of one partition, preferred leader first."""

Placement: TypeAlias = tuple[Replicas, ...]
"""The replicas of consecutive partitions."""

NOT_FIXED = -1


class PlacementRefusedError(KafkaError):
    """The placer declines: there is no placement of the kind that was asked for."""


class InvalidPartitionsError(PlacementRefusedError):
    """The number of partitions makes no sense."""

    java_class: ClassVar[str] = "org.apache.kafka.common.errors.InvalidPartitionsException"


class InvalidReplicationFactorError(PlacementRefusedError):
    """The replication factor makes no sense, or the brokers cannot carry it."""

    java_class: ClassVar[str] = "org.apache.kafka.common.errors.InvalidReplicationFactorException"


class AdminOperationError(PlacementRefusedError):
    """The cluster is not in a state in which an administrator may do this."""

    java_class: ClassVar[str] = "org.apache.kafka.server.common.AdminOperationException"


@dataclass(frozen=True)
class PlacementRequest:
    """What is asked: replicas for `partitions` new partitions on these brokers.

    `existing` holds the replicas of the partitions that the topic has already. `start_partition_id`
    is the number of the first new partition, -1 for the one behind the existing ones.
    `fixed_start_index` takes the place of Kafka's random start, -1 to draw. `rack_order` is the
    order in which Java's map of racks iterated where that is on record (None in it: no rack).
    """

    partitions: int
    replication_factor: int
    brokers: tuple[Broker, ...]
    existing: Placement = ()
    start_partition_id: int = NOT_FIXED
    fixed_start_index: int = NOT_FIXED
    rack_order: tuple[str | None, ...] | None = None

    @property
    def first_partition(self) -> int:
        """The number of the first new partition."""
        return self.start_partition_id if self.start_partition_id >= 0 else len(self.existing)

    @cached_property
    def by_id(self) -> dict[int, Broker]:
        """The brokers by id; treat as read-only."""
        return {broker.broker_id: broker for broker in self.brokers}

    @cached_property
    def unfenced(self) -> frozenset[int]:
        """The ids of the brokers that may lead."""
        return frozenset(broker.broker_id for broker in self.brokers if not broker.fenced)

    @cached_property
    def has_partial_racks(self) -> bool:
        """Whether some brokers have a rack and some have none."""
        return len({broker.rack is None for broker in self.brokers}) > 1

    @cached_property
    def has_racks(self) -> bool:
        """Whether there are brokers and every one has a rack."""
        return bool(self.brokers) and all(broker.rack is not None for broker in self.brokers)


@runtime_checkable
class Placer(Protocol):
    """Chooses the brokers of new partitions."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The replicas of each new partition; raises `PlacementRefusedError`."""


class Refusal(NamedTuple):
    """The placer declined; `java_class` is the class of the error that Kafka would raise."""

    java_class: str
    message: str


@dataclass(frozen=True)
class PlacementStep:
    """One call of a placer: what was asked and what it answered."""

    request: PlacementRequest
    answer: Placement | Refusal

    @property
    def placed(self) -> Placement:
        """The placement, empty where the placer declined."""
        return () if isinstance(self.answer, Refusal) else self.answer

    def numbered(self) -> Iterator[tuple[int, Replicas]]:
        """The placed partitions by number."""
        return enumerate(self.placed, start=self.request.first_partition)


def place(placer: Placer, request: PlacementRequest, random: RandomSource) -> PlacementStep:
    """What the placer makes of the request; a refusal is an answer, any other error passes through."""
    try:
        return PlacementStep(request, placer.place(request, random))
    except PlacementRefusedError as refused:
        return PlacementStep(request, Refusal(refused.java_class, str(refused)))


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
