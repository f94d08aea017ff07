"""A Streams group and its members as frozen values.

Source: `StreamsGroup`, `StreamsGroupMember`, `StreamsGroupState`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.images import Image
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Ordered
from kassay.model.protocols.values.streams.config import AssignmentConfigs
from kassay.model.protocols.values.streams.requests import ClientTags, EndpointPartitions
from kassay.model.protocols.values.streams.tasks import NONE_HELD, HeldTasks, TaskOffsets, TaskTarget
from kassay.model.protocols.values.streams.topology import (
    NO_TOPOLOGY_EPOCH,
    ConfiguredTopology,
    StreamsTopology,
)
from kassay.model.streams.group import GroupTask

NOT_READY: Final = "NotReady"
"""A group state beside Empty, Assigning, Reconciling and Stable: its topology is not validated."""

UNREVOKED_TASKS: Final = "UNREVOKED_TASKS"
UNRELEASED_TASKS: Final = "UNRELEASED_TASKS"
"""States of a member beside STABLE."""

UNKNOWN_TIME: Final = -1
REFRESH_DUE: Final = -1


class StreamsTaskMember(NamedTuple):
    """A member of a Streams group: a stream thread, inside a process.

    In an explored world a process of one client alone has the client's id.
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
    """What members are led towards within one target epoch: Kafka keeps it beside the target."""

    epoch: Generation
    target: TaskTarget


class Remembered(NamedTuple):
    """What a coordinator keeps in memory alone, and takes back with a failed write; each () or one value."""

    configured: tuple[ConfiguredTopology, ...] = ()
    refined: tuple[RefinedTarget, ...] = ()


Copies: TypeAlias = tuple[tuple[GroupTask, Ordered[ClientId]], ...]
"""The ids of processes by task, in order."""

Actives: TypeAlias = tuple[tuple[GroupTask, ClientId], ...]
"""The id of the process that each active task counts as being in, in the order of the tasks."""


class StreamsTaskGroup(NamedTuple):
    """A Streams group. Up to `target_time` it is what the records say; the rest is lost at a failover.

    `topics` are those behind the metadata hash, `configs` the assignment configs on record, `target_time` is
    when the target was computed. A failed write takes `remembered` back to `remembered_at_append`, and leaves
    what follows it: `refreshed`, the group epoch as of which the topics are known, or REFRESH_DUE; `delayed`,
    whether the initial rebalance delay runs; who asked for a shutdown; the count of changes of endpoints, and
    what was computed of each member's; offsets by member. `copies` are the processes with a standby copy of
    each task that ever had one, as the coordinator keeps count of them; `counted`, () or one value, are those
    of active tasks, where the count is another than what the members have on record.
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
