"""Kafka's interfaces that kassay can test: their kind, and the jar that defines them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Interface(NamedTuple):
    """One interface of Kafka's.

    `kind` and `level` are as in `META`; `jar` contains the interface. `general`: the interface that this one
    extends, if listed here too. `known`: Kafka's own classes that implement it and that users extend, which a
    user's jar does not contain. `constructors`: the argument types, by short names, of usable constructors:
    none, and those of Kafka's own classes.
    """

    name: str
    kind: str
    jar: str
    level: str = ""
    general: str = ""
    known: tuple[str, ...] = ()
    constructors: tuple[tuple[str, ...], ...] = ((),)


_CLIENTS: Final = "org.apache.kafka.clients"
_GROUPS: Final = "org.apache.kafka.coordinator.group"
_STREAMS: Final = "org.apache.kafka.streams.processor.assignment"
_CONNECT: Final = "org.apache.kafka.connect.runtime.distributed"
_PLACEMENT: Final = "org.apache.kafka.metadata.placement"

CLIENT: Final = Interface(
    f"{_CLIENTS}.consumer.ConsumerPartitionAssignor",
    "assignor",
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
SERVER: Final = Interface(
    f"{_GROUPS}.api.assignor.PartitionAssignor", "server-assignor", "kafka-group-coordinator-api"
)
CONSUMER_GROUPS: Final = Interface(
    f"{_GROUPS}.api.assignor.ConsumerGroupPartitionAssignor",
    "server-assignor",
    "kafka-group-coordinator-api",
    general=SERVER.name,
    known=(f"{_GROUPS}.assignor.RangeAssignor", f"{_GROUPS}.assignor.UniformAssignor"),
)
SHARE_GROUPS: Final = Interface(
    f"{_GROUPS}.api.assignor.ShareGroupPartitionAssignor",
    "share-assignor",
    "kafka-group-coordinator-api",
    general=SERVER.name,
    known=(f"{_GROUPS}.assignor.SimpleAssignor",),
)
PLACER: Final = Interface(
    f"{_PLACEMENT}.ReplicaPlacer",
    "placer",
    "kafka-metadata",
    known=(f"{_PLACEMENT}.StripedReplicaPlacer",),
    constructors=((), ("Random",)),
)
PARTITIONER: Final = Interface(
    f"{_CLIENTS}.producer.Partitioner",
    "partitioner",
    "kafka-clients",
    known=(
        f"{_CLIENTS}.producer.RoundRobinPartitioner",
        f"{_CLIENTS}.producer.UniformStickyPartitioner",
        f"{_CLIENTS}.producer.internals.DefaultPartitioner",
    ),
)
PROCESSES: Final = Interface(
    f"{_STREAMS}.TaskAssignor",
    "task-assignor",
    "kafka-streams",
    "process",
    known=(f"{_STREAMS}.assignors.StickyTaskAssignor",),
)
MEMBERS: Final = Interface(
    f"{_GROUPS}.api.streams.assignor.TaskAssignor",
    "task-assignor",
    "kafka-group-coordinator-api",
    "member",
    known=(f"{_GROUPS}.streams.assignor.StickyTaskAssignor",),
)
CONNECT: Final = Interface(
    f"{_CONNECT}.ConnectAssignor",
    "connect-assignor",
    "connect-runtime",
    known=(f"{_CONNECT}.EagerAssignor", f"{_CONNECT}.IncrementalCooperativeAssignor"),
    constructors=((), ("LogContext",), ("LogContext", "Time", "int")),
)

INTERFACES: Final = (
    CLIENT,
    CONSUMER_GROUPS,
    SHARE_GROUPS,
    SERVER,
    PARTITIONER,
    PLACER,
    PROCESSES,
    MEMBERS,
    CONNECT,
)
"""All interfaces; a class that implements several is tested as the first one."""
