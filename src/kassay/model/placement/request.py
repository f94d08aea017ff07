"""Replica placement: the requests to a placer and its answers.

Terms: the first replica of a partition is its *preferred leader*, the others are *followers*. Sources: Kafka
`AdminUtils`, `AdminZkClient`, `ReplicaPlacer` (KRaft).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

from kassay.model.cluster import Broker
from kassay.model.errors import KafkaError
from kassay.model.java.randomness import RandomSource

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
