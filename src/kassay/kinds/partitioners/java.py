"""Kafka's interface of partitioners."""

from __future__ import annotations

from typing import Final

from kassay.kinds.java import Interface
from kassay.model.partitioners.kinds import PARTITIONER

_CLIENTS: Final = "org.apache.kafka.clients"

PARTITIONER_INTERFACE: Final = Interface(
    f"{_CLIENTS}.producer.Partitioner",
    PARTITIONER.meta,
    "kafka-clients",
    known=(
        f"{_CLIENTS}.producer.RoundRobinPartitioner",
        f"{_CLIENTS}.producer.UniformStickyPartitioner",
        f"{_CLIENTS}.producer.internals.DefaultPartitioner",
    ),
)

INTERFACES: Final = (PARTITIONER_INTERFACE,)
