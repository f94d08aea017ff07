"""All kinds of group as frozen values, the continuations of writes, and a coordinator's state.

A coordinator model serves one group. Members are ordered by id. The order of Kafka's map differs and
determines the next leader when a leader leaves; here that is a choice (`choices.LEADER`). Source:
`ClassicGroup`, `ClassicGroupMember`, `ConsumerGroup`, `ConsumerGroupMember`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Ordered, RequestId
from kassay.model.protocols.values.records import (
    NOTHING_BEGUN,
    UNKNOWN_TIME,
    Background,
    ClassicMetadata,
    LogRecord,
    RegexMatches,
    Resolved,
)
from kassay.model.protocols.values.requests import (
    NO_REQUEST,
    ZERO_BYTES,
    Image,
    JoinGroupReply,
    Partitions,
    Protocols,
)
from kassay.model.protocols.values.streams import StreamsConfig
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup

NO_CLOCK: Final = -1
"""No time: nothing is dated, and anything with a due time is always due."""

# States of a classic group. DEAD is Kafka's for an unloaded group; a model drops the group.
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

    `initial`: in Preparing, the group was Empty before, so the rebalance waits for more members;
    `new_member_added`: one joined, which extends the wait. `subscribed_topics` is () if unknown, else holds
    one tuple.
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

    The epochs are in the order of the partitions: that of the target that assigned each one, 0 after a static
    member left temporarily. They are () if none are recorded.
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
        """The epoch since which the member has each of its partitions, if recorded."""
        kept = zip(self.assigned, self.assigned_epochs)
        return dict([*kept, *zip(self.pending, self.pending_epochs)])

    def reads(self, resolved: Resolved) -> tuple[str, ...]:
        """The topics that the member subscribes to; an expression that is not resolved matches nothing."""
        if not self.regex:
            return self.subscribed
        matches = dict(resolved).get(self.regex, RegexMatches()).topics
        return tuple(sorted({*self.subscribed, *matches}))


class ConsumerGroup(NamedTuple):
    """A consumer group; `topics`: its subscribed topics, as last looked up; `target`: by member id.

    `target_time` is the time in ms at which the target was computed. With a clock, `refreshed` is () or holds
    the epoch that the group has had since its topics were last looked up; a group at a lower epoch looks them
    up again. `statics` is () or holds Kafka's map of instance ids to member ids; with () it follows from the
    members.
    """

    epoch: Generation = 1
    target_epoch: Generation = 1
    topics: Image = ()
    members: Ordered[ConsumerMember] = ()
    target: Ordered[tuple[MemberId, Partitions]] = ()
    target_time: int = UNKNOWN_TIME
    refreshed: tuple[Generation, ...] = ()
    resolved: Resolved = ()
    statics: tuple[Ordered[tuple[str, MemberId]], ...] = ()


Group: TypeAlias = ClassicGroup | ConsumerGroup | StreamsTaskGroup | None


class Role(StrEnum):
    """Whether a broker coordinates the group, which the layer above the group checks first."""

    ACTIVE = "active"
    LOADING = "loading"
    NOT_COORDINATOR = "not coordinator"


class CoordinatorState(NamedTuple):
    """The state of a coordinator; `now` is the time in ms, if there is a clock.

    `streams` are the group's own settings as a Streams group, () or one value. `removed` is a group that was
    removed from memory without a record since the last append, () or one value: a failed write restores it.
    `left_topics` are the names of topics that removed groups have left among those watched.
    """

    group: Group = None
    image: Image = ()
    role: Role = Role.ACTIVE
    now: int = NO_CLOCK
    streams: tuple[StreamsConfig, ...] = ()
    background: Background = NOTHING_BEGUN
    removed: tuple[Group, ...] = ()
    left_topics: tuple[str, ...] = ()


# Continuations after the records of a step are acknowledged, or their write has failed.


class CreatedGroup(NamedTuple):
    """A group was created for this JoinGroup: do nothing, or report that the write failed."""

    correlation_id: RequestId


class StoredAssignment(NamedTuple):
    """The leader's SyncGroup: adopt the assignment and answer every member, or start over."""

    generation: Generation
    assignment: Ordered[tuple[MemberId, Partitions]]


class ReplacedStatic(NamedTuple):
    """A static member returned under a new id in Stable: answer it, or restore the old id."""

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
    """A classic JoinGroup to a consumer group: answer it and arm the member's timers."""

    correlation_id: RequestId
    reply: JoinGroupReply
    session_timeout: int
    rebalance_timeout: int
    downgraded: bool


class SyncedConsumerGroup(NamedTuple):
    """A classic SyncGroup to a consumer group: send the assignment and arm the member's timers."""

    correlation_id: RequestId
    member_id: MemberId
    session_timeout: int
    protocol_type: str
    protocol: str
    assigned: Partitions


Continuation: TypeAlias = (
    CreatedGroup | StoredAssignment | ReplacedStatic | JoinedConsumerGroup | SyncedConsumerGroup
)


class Persist(NamedTuple):
    """Append records, possibly none; after their acknowledgement, `Persisted` must follow if `then` is set.

    `undo` is the group after a failed write: () keeps the step's result (a classic group changes at once,
    whatever becomes of its records), otherwise it holds the previous group. `left_topics` are those before.
    """

    records: tuple[LogRecord, ...]
    then: Continuation | None = None
    undo: tuple[Group, ...] = ()
    left_topics: tuple[str, ...] = ()


class Persisted(NamedTuple):
    """Records were acknowledged, or not written because of `error`; the rest is that of the `Persist`."""

    then: Continuation | None
    error: str = ""
    undo: tuple[Group, ...] = ()
    left_topics: tuple[str, ...] = ()
