"""The properties that an exploration takes, and the fields of its settings that they set."""

from __future__ import annotations

from typing import Final, NamedTuple

CONSUMER_GROUPS: Final = ("kip848", "migration")
COORDINATED: Final = ("classic", *CONSUMER_GROUPS, "streams")
CLOCKED: Final = ("classic", "kip848")


class Property(NamedTuple):
    """A property that `--config` sets: the field of the settings, the models that have it, its value."""

    field: str
    models: tuple[str, ...]
    value: str


TIMES: Final = {
    "session.timeout.ms": Property("session", CLOCKED, "6"),
    "heartbeat.interval.ms": Property("heartbeat", CLOCKED, "2"),
    "max.poll.interval.ms": Property("max_poll", CLOCKED, "8"),
    "rebalance.timeout.ms": Property("rebalance", CLOCKED, "as max.poll.interval.ms"),
    "group.initial.rebalance.delay.ms": Property("initial_delay", CLOCKED, "0"),
    "group.consumer.assignment.interval.ms": Property("interval", ("kip848",), "0"),
    "heartbeat.delay.ms": Property("delay", CLOCKED, "0"),
    "coordinator.load.ms": Property("load", CLOCKED, "0"),
}
"""Durations in ticks of the integer clock; the last two are the model's own, not Kafka's."""
STATIC: Final = "group.instance.id"
_STATIC: Final = {STATIC: Property("static", COORDINATED, "0")}
COUNTS: Final = {
    "num.standby.replicas": Property("standby", ("streams",), "0"),
    "num.warmup.replicas": Property("warmup", ("streams",), "0"),
    "application.server": Property("endpoints", ("streams",), "0"),
    "process.id": Property("processes", ("streams",), "as many as members"),
}
FLAGS: Final = {
    "group.streams.initial.rebalance.delay.ms": Property("delayed", ("streams",), "0"),
    "group.streams.task.offset.interval.ms": Property("offsets", ("streams",), "0"),
}
TEXTS: Final = {
    "group.protocol": Property("kinds", ("migration",), "classic,consumer"),
    "group.remote.assignor": Property("remote_assignors", CONSUMER_GROUPS, "unset"),
    "group.consumer.migration.policy": Property("policy", ("migration",), "bidirectional"),
}
PROPERTIES: Final = {**_STATIC, **TIMES, **COUNTS, **FLAGS, **TEXTS}
