"""Whoever takes the group id next: each protocol's first request, and whether the log loads after it.

A group without members gives way to a group of another type. What it leaves in the log must fit the
records that follow, or no coordinator can load that partition of `__consumer_offsets`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.protocols.coordinator.loading import Unreadable, read
from kassay.model.protocols.coordinator.step import step
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.choices import Scripted, Target, TargetAsk
from kassay.model.protocols.values.groups import CoordinatorState, Persist
from kassay.model.protocols.values.records import Log, LogRecord
from kassay.model.protocols.values.streams import NO_TASKS, StreamsHeartbeat, StreamsTopology, TaskTarget
from kassay.model.streams.group import StreamsGroup

_NEW: Final = "next"
"""The member id of whoever comes next; an id that a coordinator makes gets it as well."""
_TOPIC: Final = "next-topic"
_TOPOLOGY: Final = StreamsTopology(1, ())
FIRST_REQUESTS: Final[tuple[tuple[str, requests.Request], ...]] = (
    ("classic", requests.JoinGroup(0, "", (("range", requests.Subscription((_TOPIC,))),), _NEW)),
    ("consumer", requests.ConsumerHeartbeat(0, _NEW, 0, "", 1, (_TOPIC,), "", ())),
    (
        "Streams",
        StreamsHeartbeat(
            0,
            _NEW,
            0,
            rebalance_timeout=1,
            topology=_TOPOLOGY,
            active=(),
            standby=(),
            warmup=(),
            process_id=_NEW,
        ),
    ),
)
"""The first request of a member of each protocol."""


def refused_takeovers(
    config: requests.Config, state: CoordinatorState, log: Log
) -> Iterator[tuple[str, str]]:
    """The protocols whose first request leaves a log that does not load, and which record is refused."""
    for name, request in FIRST_REQUESTS:
        after = step(config, state, request, Scripted(_nothing, lambda prefix: f"{prefix}-{_NEW}", (), _none))
        written: list[LogRecord] = []
        for output in after.outputs:
            if isinstance(output, Persist):
                written += output.records
        try:
            read((*log, *written), config.switches.__contains__)
        except Unreadable as why:
            yield name, str(why)


def _nothing(ask: TargetAsk) -> tuple[Target, ...]:
    return (tuple((member.member_id, ()) for member in ask.members),)


def _none(ask: StreamsGroup) -> tuple[TaskTarget, ...]:
    return (tuple((member.member_id, NO_TASKS) for member in ask.members),)
