"""The records of a Streams group; their kinds have their own keys in the offsets topic.

Source: `StreamsCoordinatorRecordHelpers`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.protocols.values.images import Image
from kassay.model.protocols.values.marks import ClientId, Generation
from kassay.model.protocols.values.streams.config import AssignmentConfigs
from kassay.model.protocols.values.streams.requests import ClientTags
from kassay.model.protocols.values.streams.tasks import HeldTasks

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
