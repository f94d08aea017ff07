"""What the protocol of Streams groups talks about (KIP-1071).

* Tasks: which member has which, in which role.
* The topology of an application, as its members bring it, and as the existing topics complete it.
* Configuration: the broker's settings, and what a group has of its own.
* StreamsGroupHeartbeat: the request, its answer, and the timers of a Streams group.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Ordered, RequestId
from kassay.model.streams.group import GroupTask

TaskIds: TypeAlias = tuple[GroupTask, ...]
"""Tasks in their order, without duplicates."""


class TaskRoles(NamedTuple):
    """Tasks by role (`TasksTuple`): a member's target, or its report."""

    active: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()


class HeldTasks(NamedTuple):
    """A member's recorded tasks by role; `epochs` are those at which its active ones were assigned.

    Kafka's class is TasksTupleWithEpochs.
    """

    active: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()
    epochs: tuple[Generation, ...] = ()

    @property
    def roles(self) -> TaskRoles:
        """The tasks without the epochs."""
        return TaskRoles(self.active, self.standby, self.warmup)

    def epoch_of(self, task: GroupTask) -> int | None:
        """The epoch at which the member was assigned an active task, or None."""
        return self.epochs[self.active.index(task)] if task in self.active else None


NO_TASKS: Final = TaskRoles()
NONE_HELD: Final = HeldTasks()

TaskTarget: TypeAlias = Ordered[tuple[MemberId, TaskRoles]]
"""The target of each member, by member id."""

OffsetsOfTasks: TypeAlias = tuple[tuple[GroupTask, int], ...]
"""The sum of the offsets of a task's changelogs, by task."""


class TaskOffsets(NamedTuple):
    """The offsets of the state on a member's disk, as it reports them, and the end offsets."""

    offsets: OffsetsOfTasks = ()
    ends: OffsetsOfTasks = ()


NO_TOPOLOGY_EPOCH: Final = -1

# Problems of a topology (`StreamsGroupHeartbeatResponse.Status`).
MISSING_SOURCE_TOPICS: Final = "MISSING_SOURCE_TOPICS"
INCORRECTLY_PARTITIONED_TOPICS: Final = "INCORRECTLY_PARTITIONED_TOPICS"
MISSING_INTERNAL_TOPICS: Final = "MISSING_INTERNAL_TOPICS"


class CopartitionGroup(NamedTuple):
    """Co-partitioned inputs of a subtopology, by their indexes among its sources."""

    sources: tuple[int, ...] = ()
    repartition_sources: tuple[int, ...] = ()


class StreamsSubtopology(NamedTuple):
    """A connected part of a topology; each repartition source has its partition count, 0 if unset.

    `expressions` that name sources may be sent, but no release accepts any.
    """

    subtopology_id: str
    sources: tuple[str, ...] = ()
    changelogs: tuple[str, ...] = ()
    repartition_sinks: tuple[str, ...] = ()
    repartition_sources: tuple[tuple[str, int], ...] = ()
    copartition: tuple[CopartitionGroup, ...] = ()
    expressions: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """All topics that it reads."""
        return (*self.sources, *(name for name, _ in self.repartition_sources))


class StreamsTopology(NamedTuple):
    """A topology; `epoch` is the application's own version of it. Subtopologies by id."""

    epoch: int
    subtopologies: tuple[StreamsSubtopology, ...] = ()

    @property
    def required_topics(self) -> frozenset[str]:
        """All topics that it reads or keeps state in."""
        return frozenset(name for part in self.subtopologies for name in (*part.inputs, *part.changelogs))

    def reader_of(self, topic: str) -> StreamsSubtopology | None:
        """The subtopology that reads a topic; the last one if several do."""
        readers = [part for part in self.subtopologies if topic in part.inputs]
        return readers[-1] if readers else None


class ConfiguredTopology(NamedTuple):
    """A topology configured with the existing topics (`ConfiguredTopology`).

    `status` is "" if it is ready, else its problem. `tasks` has the number of tasks of each subtopology; ()
    if unknown, and then `counted` is False. `create` are the topics that the broker is to create, with their
    partitions.
    """

    status: str = ""
    counted: bool = True
    tasks: tuple[tuple[str, int], ...] = ()
    create: tuple[tuple[str, int], ...] = ()

    @property
    def ready(self) -> bool:
        """Whether tasks can be assigned."""
        return not self.status


NUM_STANDBY_REPLICAS: Final = "num.standby.replicas"
RACK_AWARE_TAGS: Final = "rack.aware.assignment.tags"

AssignmentConfigs: TypeAlias = tuple[tuple[str, str], ...]
"""The settings on which an assignment depends, by name, as recorded with the group epoch."""


class StreamsConfig(NamedTuple):
    """The settings `group.streams.*`; times in ms.

    With `warms_up` warm-up tasks are assigned, as in KIP-1071; no release does that yet.
    """

    session_timeout: int = 45_000
    heartbeat_interval: int = 5_000
    initial_rebalance_delay: int = 3_000
    assignment_interval: int = 1_000
    num_standby_replicas: int = 0
    num_warmup_replicas: int = 2
    max_size: int = 2**31 - 1
    rack_aware_tags: tuple[str, ...] = ()
    warms_up: bool = False

    @property
    def assignment_configs(self) -> AssignmentConfigs:
        """The settings whose change advances the group epoch."""
        standbys = ((NUM_STANDBY_REPLICAS, str(self.num_standby_replicas)),)
        tags = ((RACK_AWARE_TAGS, ",".join(self.rack_aware_tags)),) if self.rack_aware_tags else ()
        return standbys + tags


class StreamsConfigured(NamedTuple):
    """The group's dynamic settings changed: its settings from here on."""

    config: StreamsConfig


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
