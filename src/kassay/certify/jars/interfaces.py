"""Kafka's interfaces of what can be put to the test: their kind, and the jar that a user needs for them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Interface(NamedTuple):
    """One interface of Kafka's.

    `kind` and `level` are what `META` calls them, `jar` is the one that holds it. `general` is the interface
    that this one extends, where that stands here too. `known` are Kafka's own classes that implement it and
    that others extend: a user's jar does not hold them. `constructors` are the arguments, by the short names
    of their types, that a class may be constructed with: none, and what Kafka's own classes need.
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
"""All of them; a class of several is put to the test as the first of its own."""
