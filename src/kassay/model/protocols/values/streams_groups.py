"""A Streams group and its members as frozen values, and the records that a coordinator writes of them.

The records of a Streams group; their kinds have their own keys in the offsets topic. Source:
`StreamsGroup`, `StreamsGroupMember`, `StreamsGroupState`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Ordered
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams import (
    NO_TOPOLOGY_EPOCH,
    NONE_HELD,
    AssignmentConfigs,
    ClientTags,
    ConfiguredTopology,
    EndpointPartitions,
    HeldTasks,
    StreamsTopology,
    TaskOffsets,
    TaskTarget,
)
from kassay.model.streams.group import GroupTask

STREAMS_EPOCH: Final = "streams_epoch"
STREAMS_MEMBER: Final = "streams_member"
STREAMS_TARGET_EPOCH: Final = "streams_target_epoch"
STREAMS_TARGET: Final = "streams_target"
STREAMS_CURRENT: Final = "streams_current"
STREAMS_TOPOLOGY: Final = "streams_topology"

STREAMS_KINDS: Final = frozenset(
    {STREAMS_EPOCH, STREAMS_MEMBER, STREAMS_TARGET_EPOCH, STREAMS_TARGET, STREAMS_CURRENT, STREAMS_TOPOLOGY}
)


class StreamsEpochValue(NamedTuple):
    """The group epoch (`StreamsGroupMetadataValue`); `topics` replace the hash over them."""

    epoch: Generation
    validated_topology_epoch: int
    topics: Image
    configs: AssignmentConfigs


class StreamsMemberValue(NamedTuple):
    """A member's own metadata (`StreamsGroupMemberMetadataValue`)."""

    group_instance_id: str
    process_id: ClientId
    rebalance_timeout: int
    topology_epoch: int
    rack: str
    endpoint: str
    tags: ClientTags


class StreamsTargetEpochValue(NamedTuple):
    """The epoch of the target, and the time at which it was computed, -1 if unknown."""

    epoch: Generation
    time: int


class StreamsCurrentValue(NamedTuple):
    """The tasks of a member (`StreamsGroupCurrentMemberAssignmentValue`)."""

    epoch: Generation
    prev_epoch: Generation
    state: str
    assigned: HeldTasks
    pending: HeldTasks


NOT_READY: Final = "NotReady"
"""A group state next to Empty, Assigning, Reconciling and Stable: its topology is not validated."""

UNREVOKED_TASKS: Final = "UNREVOKED_TASKS"
UNRELEASED_TASKS: Final = "UNRELEASED_TASKS"
"""States of a member next to STABLE."""

UNKNOWN_TIME: Final = -1
REFRESH_DUE: Final = -1


class StreamsTaskMember(NamedTuple):
    """A member of a Streams group: a stream thread, inside a process.

    In an explored world, a process with a single client has the client's id.
    """

    member_id: MemberId
    group_instance_id: str = ""
    process_id: ClientId = ""
    rebalance_timeout: int = -1
    topology_epoch: int = NO_TOPOLOGY_EPOCH
    rack: str = ""
    endpoint: str = ""
    tags: ClientTags = ()
    epoch: Generation = 0
    prev_epoch: Generation = 0
    state: str = "STABLE"
    assigned: HeldTasks = NONE_HELD
    pending: HeldTasks = NONE_HELD


class RefinedTarget(NamedTuple):
    """The intermediate targets within one target epoch, which Kafka keeps next to the target."""

    epoch: Generation
    target: TaskTarget


class Remembered(NamedTuple):
    """In-memory state of a coordinator that a failed write restores; each () or one value."""

    configured: tuple[ConfiguredTopology, ...] = ()
    refined: tuple[RefinedTarget, ...] = ()


Copies: TypeAlias = tuple[tuple[GroupTask, Ordered[ClientId]], ...]
"""The ids of processes by task, in order."""

Actives: TypeAlias = tuple[tuple[GroupTask, ClientId], ...]
"""The id of the process that counts as having each active task, in the order of the tasks."""


class StreamsTaskGroup(NamedTuple):
    """A Streams group. The fields up to `target_time` come from records; a failover loses the rest.

    `topics` are those in the metadata hash, `configs` the recorded assignment configs, `target_time` is the
    time at which the target was computed. A failed write restores `remembered` from `remembered_at_append`
    and keeps the fields after it: `refreshed`, the group epoch as of which the topics are known, or
    REFRESH_DUE; `delayed`, whether the initial rebalance delay runs; the member that requested a shutdown;
    the count of endpoint changes, and the cached endpoint of each member; offsets by member. `copies` are the
    processes with a standby copy of each task that ever had one, as the coordinator counts them; `counted`,
    () or one value, are those of active tasks, if the count differs from the members' records.
    """

    epoch: Generation = 1
    target_epoch: Generation = 1
    validated_topology_epoch: int = NO_TOPOLOGY_EPOCH
    topics: Image = ()
    configs: AssignmentConfigs = ()
    topology: tuple[StreamsTopology, ...] = ()
    members: Ordered[StreamsTaskMember] = ()
    target: TaskTarget = ()
    target_time: int = UNKNOWN_TIME
    remembered: Remembered = Remembered()
    remembered_at_append: Remembered = Remembered()
    refreshed: Generation = REFRESH_DUE
    delayed: bool = False
    shutdown_by: MemberId = ""
    endpoint_epoch: int = 0
    endpoints: Ordered[tuple[MemberId, EndpointPartitions]] = ()
    task_offsets: Ordered[tuple[MemberId, TaskOffsets]] = ()
    copies: Copies = ()
    counted: tuple[Actives, ...] = ()
