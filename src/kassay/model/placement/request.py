"""Replica placement: the requests to a placer, its answers, and one call of a placer as a value.

Terms: the first replica of a partition is its *preferred leader*, the others are *followers*. One call
of a placer as a value; the only place where a request meets a placer. Sources: Kafka `AdminUtils`,
`AdminZkClient`, `ReplicaPlacer` (KRaft).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

from kassay.model.calls import Call, Failure, Look, Refusal, call
from kassay.model.cluster import Broker
from kassay.model.errors import KafkaError
from kassay.model.java import JavaRandom, RandomSource
from kassay.model.lazy import lazy

Replicas: TypeAlias = tuple[int, ...]
"""The broker ids of one partition, preferred leader first."""

Placement: TypeAlias = tuple[Replicas, ...]
"""The replicas of consecutive partitions."""

NOT_FIXED = -1


class PlacementRefusedError(KafkaError):
    """The placer refuses the request: no placement satisfies it."""


class InvalidPartitionsError(PlacementRefusedError):
    """The number of partitions is invalid."""

    java_class: ClassVar[str] = "org.apache.kafka.common.errors.InvalidPartitionsException"


class InvalidReplicationFactorError(PlacementRefusedError):
    """The replication factor is invalid, or there are too few brokers for it."""

    java_class: ClassVar[str] = "org.apache.kafka.common.errors.InvalidReplicationFactorException"


class AdminOperationError(PlacementRefusedError):
    """The state of the cluster does not allow this administrative operation."""

    java_class: ClassVar[str] = "org.apache.kafka.server.common.AdminOperationException"


@dataclass(frozen=True)
class PlacementRequest:
    """The request for replicas of `partitions` new partitions on these brokers.

    `existing` holds the replicas of the topic's existing partitions. `start_partition_id` is the number of
    the first new partition, or -1 to follow the existing ones. `fixed_start_index` replaces Kafka's random
    start, or -1 to draw one. `rack_order` is the recorded iteration order of Java's map of racks, if any
    (None in it: no rack).
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
        """The ids of the unfenced brokers, which may lead."""
        return frozenset(broker.broker_id for broker in self.brokers if not broker.fenced)

    @cached_property
    def has_partial_racks(self) -> bool:
        """Whether some brokers have a rack and others do not."""
        return len({broker.rack is None for broker in self.brokers}) > 1

    @cached_property
    def has_racks(self) -> bool:
        """Whether there are brokers and all have a rack."""
        return bool(self.brokers) and all(broker.rack is not None for broker in self.brokers)


@runtime_checkable
class Placer(Protocol):
    """Chooses the brokers of new partitions."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The replicas of each new partition; raises `PlacementRefusedError`."""


class PlacementStep(Call[PlacementRequest, Placement | Refusal]):
    """One call of a placer."""

    @property
    def placed(self) -> Placement | None:
        """The placement, or None if the placer refused or failed."""
        return None if isinstance(self.answer, Refusal | Failure) else self.answer

    def numbered(self) -> Iterator[tuple[int, Replicas]]:
        """The placed partitions with their numbers."""
        return enumerate(self.placed or (), start=self.request.first_partition)

    @lazy
    def topic(self) -> Placement:
        """All partitions of the topic: existing ones, then new ones."""
        return (*self.request.existing, *(self.placed or ()))

    @lazy
    def replica_loads(self) -> Mapping[int, int]:
        """The topic's replicas on each unfenced broker, existing partitions included."""
        return self._on_unfenced(broker for replicas in self.topic for broker in replicas)

    @lazy
    def leader_loads(self) -> Mapping[int, int]:
        """The topic's partitions that each unfenced broker leads, existing ones included."""
        return self._on_unfenced(replicas[0] for replicas in self.topic if replicas)

    def _on_unfenced(self, brokers: Iterable[int]) -> Mapping[int, int]:
        """The number of occurrences of each unfenced broker in `brokers`."""
        counts = Counter(brokers)
        return {broker: counts[broker] for broker in sorted(self.request.unfenced)}


def place(
    new: Callable[[], Placer],
    request: PlacementRequest,
    seed: int = 0,
    looks: Collection[Look] = (),
    twin: Callable[[], Placer] | None = None,
) -> PlacementStep:
    """A step with a new placer; every call draws its own random numbers from the same seed.

    PERMUTED reverses the brokers.
    """

    def ask(placer: Placer, received: PlacementRequest) -> Placement | Refusal:
        try:
            return placer.place(received, JavaRandom(seed))
        except PlacementRefusedError as refused:
            return Refusal(refused.java_class, str(refused))

    return call(PlacementStep, ask, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: PlacementRequest) -> PlacementRequest:
    return replace(request, brokers=request.brokers[::-1])
