"""StreamsGroupHeartbeat (KIP-1071): the request, its reply, and the timers of a Streams group."""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, RequestId
from kassay.model.protocols.values.streams.tasks import OffsetsOfTasks, TaskIds, TaskRoles
from kassay.model.protocols.values.streams.topology import StreamsTopology

# Statuses of a reply, in addition to problems of a topology.
STALE_TOPOLOGY: Final = "STALE_TOPOLOGY"
ASSIGNMENT_DELAYED: Final = "ASSIGNMENT_DELAYED"
SHUTDOWN_APPLICATION: Final = "SHUTDOWN_APPLICATION"
MISSING_CLIENT_TAGS: Final = "MISSING_CLIENT_TAGS"

STREAMS_SESSION: Final = "streams_session"
INITIAL_REBALANCE: Final = "initial_rebalance"
"""Runs once a group is no longer empty, so that its first members are assigned together."""

ClientTags = tuple[tuple[str, str], ...]


class StreamsHeartbeat(NamedTuple):
    """StreamsGroupHeartbeat; None, "" and -1 mean that the field was not sent (unchanged).

    A string that is sent but empty is written as a blank. The epoch states the purpose: 0 to join, -1 to
    leave, -2 to leave temporarily (static members). `endpoint` is `host:port`; `endpoint_epoch` is that of
    the last endpoints the client received; `shutdown` requests the whole application to stop.
    """

    correlation_id: RequestId
    member_id: MemberId
    member_epoch: Generation
    group_instance_id: str = ""
    rack: str = ""
    rebalance_timeout: int = -1
    topology: StreamsTopology | None = None
    active: TaskIds | None = None
    standby: TaskIds | None = None
    warmup: TaskIds | None = None
    process_id: ClientId = ""
    endpoint: str = ""
    tags: ClientTags | None = None
    task_offsets: OffsetsOfTasks | None = None
    task_end_offsets: OffsetsOfTasks | None = None
    shutdown: bool = False
    endpoint_epoch: int = 0
    api_version: int = 1

    @property
    def owned(self) -> TaskRoles | None:
        """The tasks that the client reports; None unless it reports all three roles."""
        if self.active is None or self.standby is None or self.warmup is None:
            return None
        return TaskRoles(self.active, self.standby, self.warmup)


class EndpointPartitions(NamedTuple):
    """The partitions that an endpoint serves: those of active tasks, and those of copies."""

    endpoint: str
    active: tuple[TopicPartition, ...] = ()
    standby: tuple[TopicPartition, ...] = ()


class StreamsHeartbeatReply(NamedTuple):
    """StreamsGroupHeartbeat's reply; `tasks` and `endpoints` are None if they were not sent.

    `create` names topics that the broker creates now, with their partitions. With an error, the rest holds
    Kafka's defaults.
    """

    error: str
    member_id: MemberId = ""
    member_epoch: Generation = 0
    heartbeat_interval: int = 0
    status: tuple[str, ...] = ()
    tasks: TaskRoles | None = None
    endpoint_epoch: int = 0
    endpoints: tuple[EndpointPartitions, ...] | None = None
    create: tuple[tuple[str, int], ...] = ()
