"""Kafka's interfaces of task assignors, by process and by member."""

from __future__ import annotations

from typing import Final

from kassay.kinds.java import Interface
from kassay.model.streams.kinds import STREAMS

_STREAMS: Final = "org.apache.kafka.streams.processor.assignment"
_GROUPS: Final = "org.apache.kafka.coordinator.group"

PROCESSES_INTERFACE: Final = Interface(
    f"{_STREAMS}.TaskAssignor",
    STREAMS.meta,
    "kafka-streams",
    "process",
    known=(f"{_STREAMS}.assignors.StickyTaskAssignor",),
)
MEMBERS_INTERFACE: Final = Interface(
    f"{_GROUPS}.api.streams.assignor.TaskAssignor",
    STREAMS.meta,
    "kafka-group-coordinator-api",
    "member",
    known=(f"{_GROUPS}.streams.assignor.StickyTaskAssignor",),
)

INTERFACES: Final = (
    PROCESSES_INTERFACE,
    MEMBERS_INTERFACE,
)
