"""The kinds of group as frozen values, what is still to be done after a write, and a coordinator's state.

A coordinator model serves one group. Members are kept in the order of their ids: Kafka's map has
another order, which decides who leads when a leader goes; here that is a choice (`choices.LEADER`).
Source: `ClassicGroup`, `ClassicGroupMember`, `ConsumerGroup`, `ConsumerGroupMember`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.background import NOTHING_BEGUN, Background, RegexMatches, Resolved
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Ordered, RequestId
from kassay.model.protocols.values.records import UNKNOWN_TIME, ClassicMetadata, LogRecord
from kassay.model.protocols.values.requests import (
    NO_REQUEST,
    ZERO_BYTES,
    Image,
    JoinGroupReply,
    Partitions,
    Protocols,
)
from kassay.model.protocols.values.streams.config import StreamsConfig
from kassay.model.protocols.values.streams.group import StreamsTaskGroup

NO_CLOCK: Final = -1
"""No time: nothing is dated, and what falls due at a time is due always."""

# States of a classic group. DEAD is Kafka's for a group that was unloaded; a model drops the group.
EMPTY: Final = "Empty"
PREPARING: Final = "PreparingRebalance"
COMPLETING: Final = "CompletingRebalance"
STABLE: Final = "Stable"
# States of a consumer group; Empty and Stable are shared.
ASSIGNING: Final = "Assigning"
RECONCILING: Final = "Reconciling"
# States of a consumer group's member.
MEMBER_STABLE: Final = "STABLE"
UNREVOKED: Final = "UNREVOKED_PARTITIONS"
UNRELEASED: Final = "UNRELEASED_PARTITIONS"


class ClassicMember(NamedTuple):
    """A member of a classic group; the two requests are NO_REQUEST unless parked."""

    member_id: MemberId
    group_instance_id: str
    client_id: ClientId
    session_timeout: int
    rebalance_timeout: int
    protocols: Protocols
    awaiting_join: RequestId = NO_REQUEST
    awaiting_sync: RequestId = NO_REQUEST
    is_new: bool = False
    assignment: Partitions = ZERO_BYTES


class ClassicGroup(NamedTuple):
    """A classic group.

    `initial` says, in Preparing, that the group was Empty before, so that the rebalance waits for
    more members; `new_member_added` that one came, which extends the wait. `subscribed_topics` is
    () when unknown, else holds one tuple.
    """

    state: str = EMPTY
    generation: Generation = 0
    protocol_type: str = ""
    protocol: str = ""
    leader: MemberId = ""
    members: Ordered[ClassicMember] = ()
    pending_join: Ordered[MemberId] = ()
    pending_sync: Ordered[MemberId] = ()
    initial: bool = False
    new_member_added: bool = False
    subscribed_topics: tuple[tuple[str, ...], ...] = ()


class ConsumerMember(NamedTuple):
    """A member of a consumer group; `classic` is () or holds one value.

    The epochs stand in the order of the partitions: that of the target by which each was given, 0 after a
    static member went for a while. They are () where none are recorded.
    """

    member_id: MemberId
    group_instance_id: str = ""
    client_id: ClientId = ""
    rebalance_timeout: int = -1
    subscribed: tuple[str, ...] = ()
    assignor: str = ""
    classic: tuple[ClassicMetadata, ...] = ()
    epoch: Generation = 0
    prev_epoch: Generation = -1
    state: str = MEMBER_STABLE
    assigned: Partitions = ()
    pending: Partitions = ()
    assigned_epochs: tuple[Generation, ...] = ()
    pending_epochs: tuple[Generation, ...] = ()
    regex: str = ""

    @property
    def assignment_epochs(self) -> dict[TopicPartition, Generation]:
        """Since which epoch the member has each partition that it holds, where that is recorded."""
        kept = zip(self.assigned, self.assigned_epochs)
        return dict([*kept, *zip(self.pending, self.pending_epochs)])

    def reads(self, resolved: Resolved) -> tuple[str, ...]:
        """The names that the member subscribes to; an expression that is not resolved matches nothing."""
        if not self.regex:
            return self.subscribed
        matches = dict(resolved).get(self.regex, RegexMatches()).topics
        return tuple(sorted({*self.subscribed, *matches}))


class ConsumerGroup(NamedTuple):
    """A consumer group; `topics` is what its members subscribe to, as last looked up; `target` by member id.

    `target_time` says in ms when the target was computed. `refreshed` is () or holds the epoch that the group
    has since the topics were looked up last, where a clock runs; a group at a lower epoch looks again.
    """

    epoch: Generation = 1
    target_epoch: Generation = 1
    topics: Image = ()
    members: Ordered[ConsumerMember] = ()
    target: Ordered[tuple[MemberId, Partitions]] = ()
    target_time: int = UNKNOWN_TIME
    refreshed: tuple[Generation, ...] = ()
    resolved: Resolved = ()


Group: TypeAlias = ClassicGroup | ConsumerGroup | StreamsTaskGroup | None


class Role(StrEnum):
    """Whether a broker coordinates the group, which the layer above the group checks first."""

    ACTIVE = "active"
    LOADING = "loading"
    NOT_COORDINATOR = "not coordinator"


class CoordinatorState(NamedTuple):
    """All that a coordinator knows; `now` is the time in ms, where a clock tells it.

    `streams` are the settings that the group has of its own as a Streams group, () or one value.
    """

    group: Group = None
    image: Image = ()
    role: Role = Role.ACTIVE
    now: int = NO_CLOCK
    streams: tuple[StreamsConfig, ...] = ()
    background: Background = NOTHING_BEGUN


# What is left to do once the records of a step are acknowledged, or their write has failed.


class CreatedGroup(NamedTuple):
    """A group was created for this JoinGroup: nothing more, or tell it that the write failed."""

    correlation_id: RequestId


class StoredAssignment(NamedTuple):
    """The leader's SyncGroup: adopt the assignment and answer everybody, or start over."""

    generation: Generation
    assignment: Ordered[tuple[MemberId, Partitions]]


class ReplacedStatic(NamedTuple):
    """A static member came back under a new id in Stable: answer it, or put the old id back."""

    correlation_id: RequestId
    group_instance_id: str
    old_member: MemberId
    new_member: MemberId
    old_protocols: Protocols
    old_session_timeout: int
    old_rebalance_timeout: int
    old_leader: MemberId
    api_version: int


class JoinedConsumerGroup(NamedTuple):
    """A classic JoinGroup to a consumer group: answer it and watch the member."""

    correlation_id: RequestId
    reply: JoinGroupReply
    session_timeout: int
    rebalance_timeout: int
    downgraded: bool


class SyncedConsumerGroup(NamedTuple):
    """A classic SyncGroup to a consumer group: hand out the assignment and watch the member."""

    correlation_id: RequestId
    member_id: MemberId
    session_timeout: int
    protocol_type: str
    protocol: str
    assignment: Partitions


Continuation: TypeAlias = (
    CreatedGroup | StoredAssignment | ReplacedStatic | JoinedConsumerGroup | SyncedConsumerGroup
)


class Persist(NamedTuple):
    """Append records, perhaps none; once they are acknowledged, `Persisted` must follow if `then` is set.

    `undo` is what a failed write makes of the group: () to leave it as the step left it (a classic
    group changes at once, whatever becomes of its records), else it holds the former group.
    """

    records: tuple[LogRecord, ...]
    then: Continuation | None = None
    undo: tuple[Group, ...] = ()


class Persisted(NamedTuple):
    """Records were acknowledged, or with an `error` not written; `undo` is that of the `Persist`."""

    then: Continuation | None
    error: str = ""
    undo: tuple[Group, ...] = ()
