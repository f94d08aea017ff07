"""Kafka's interfaces of assignors of groups; the more general one comes last."""

from __future__ import annotations

from typing import Final

from kassay.kinds.java import Interface
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE

_CLIENTS: Final = "org.apache.kafka.clients"
_GROUPS: Final = "org.apache.kafka.coordinator.group"

CLIENT_INTERFACE: Final = Interface(
    f"{_CLIENTS}.consumer.ConsumerPartitionAssignor",
    CLIENT.meta,
    "kafka-clients",
    known=(
        f"{_CLIENTS}.consumer.internals.AbstractPartitionAssignor",
        f"{_CLIENTS}.consumer.internals.AbstractStickyAssignor",
        f"{_CLIENTS}.consumer.CooperativeStickyAssignor",
        f"{_CLIENTS}.consumer.RangeAssignor",
        f"{_CLIENTS}.consumer.RoundRobinAssignor",
        f"{_CLIENTS}.consumer.StickyAssignor",
    ),
)
SERVER_INTERFACE: Final = Interface(
    f"{_GROUPS}.api.assignor.PartitionAssignor", SERVER.meta, "kafka-group-coordinator-api"
)
CONSUMER_GROUPS_INTERFACE: Final = Interface(
    f"{_GROUPS}.api.assignor.ConsumerGroupPartitionAssignor",
    SERVER.meta,
    "kafka-group-coordinator-api",
    general=SERVER_INTERFACE.name,
    known=(f"{_GROUPS}.assignor.RangeAssignor", f"{_GROUPS}.assignor.UniformAssignor"),
)
SHARE_GROUPS_INTERFACE: Final = Interface(
    f"{_GROUPS}.api.assignor.ShareGroupPartitionAssignor",
    SHARE.meta,
    "kafka-group-coordinator-api",
    general=SERVER_INTERFACE.name,
    known=(f"{_GROUPS}.assignor.SimpleAssignor",),
)

INTERFACES: Final = (CLIENT_INTERFACE, CONSUMER_GROUPS_INTERFACE, SHARE_GROUPS_INTERFACE, SERVER_INTERFACE)
