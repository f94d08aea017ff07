"""Values of the group protocols: requests, replies, timers, and the configuration of a coordinator.

Every value is a named tuple: frozen, hashable, compared in C. Parts of a state are also orderable, so
they contain no None: an absent name is "" and an absent number or request is -1. The existing topics, in
the metadata image that a coordinator or a client receives. Partitions name their topic by id
(`TopicImage.topic_id`), which is the name unless the topic was deleted and created again. Source: the
schemas of the JoinGroup, SyncGroup, Heartbeat, LeaveGroup, OffsetCommit and ConsumerGroupHeartbeat RPCs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Order, Ordered, RequestId
from kassay.model.protocols.values.streams import StreamsConfig, StreamsHeartbeat, StreamsHeartbeatReply


class TopicImage(NamedTuple):
    """One topic of the metadata image."""

    name: str
    topic_id: str
    partitions: int


Image: TypeAlias = tuple[TopicImage, ...]
"""The existing topics, by name."""


def image_of(counts: Iterable[tuple[str, int]]) -> Image:
    """An image of topics that were never re-created.

    >>> image_of({"foo": 2}.items())
    (TopicImage(name='foo', topic_id='foo', partitions=2),)
    """
    return tuple(sorted(TopicImage(name, name, count) for name, count in counts))


Partitions: TypeAlias = tuple[TopicPartition, ...]
"""Partitions in their natural order, without duplicates."""

NO_REQUEST: Final = -1
ANSWERED: Final = -2
"""A parked request that an uncaught exception has answered, though the group still waits with it."""
ZERO_BYTES: Final[Partitions] = (TopicPartition("", -1),)
"""An assignment of zero bytes: nothing was ever assigned. Different from `()`, an encoded empty one."""
NO_PARTITION: Final = -1
"""No partition: marks a topic that is named without any."""
USER_DATA: Final = -2
"""Not a partition: its topic is the user data that a custom assignor added to an assignment."""

UNKNOWN_MEMBER: Final = ""
NO_GENERATION: Final = -1
JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2
CONSUMER_TYPE: Final = "consumer"


def partitions(tps: Iterable[tuple[str, int]]) -> Partitions:
    """The partitions in canonical form.

    >>> partitions([("foo", 1), ("bar", 0), ("foo", 1)])
    (TopicPartition(topic='bar', partition=0), TopicPartition(topic='foo', partition=1))
    """
    return tuple(sorted({TopicPartition(topic, partition) for topic, partition in tps}))


def user_data_of(assignment: Partitions) -> str:
    """The user data in an assignment, "" if there is none.

    >>> user_data_of(partitions([("foo", 0), ("colours", USER_DATA)]))
    'colours'
    """
    return next((tp.topic for tp in assignment if tp.partition == USER_DATA), "")


class UserData(NamedTuple):
    """The memory of a sticky assignor's member: its owned partitions, and their generation."""

    generation: Generation
    owned: Partitions


class Subscription(NamedTuple):
    """The metadata that a consumer sends with one assignor's name; equal exactly if the bytes are.

    `version` 0 has topics and user data, 1 adds `owned`, 2 `generation`, 3 `rack`; fields that a version
    lacks keep their defaults. Here `owned` names topics, not ids: clients know only names.
    """

    topics: tuple[str, ...]
    owned: Partitions = ()
    generation: Generation = NO_GENERATION
    rack: str = ""
    user_data: tuple[UserData, ...] = ()
    version: int = 3


class RawMetadata(NamedTuple):
    """Metadata that is no consumer subscription (Kafka Connect, or invalid)."""

    raw: str


Metadata: TypeAlias = Subscription | RawMetadata
Protocols: TypeAlias = tuple[tuple[str, Metadata], ...]
"""Assignor names with metadata, in the client's order of preference."""


# Requests. An optional string that is sent but empty is written as a blank.


class JoinGroup(NamedTuple):
    """JoinGroup."""

    correlation_id: RequestId
    member_id: MemberId
    protocols: Protocols
    client_id: ClientId = ""
    group_instance_id: str = ""
    session_timeout: int = 45_000
    rebalance_timeout: int = 300_000
    protocol_type: str = CONSUMER_TYPE
    api_version: int = 9


class SyncGroup(NamedTuple):
    """SyncGroup; a leader sends `assignments`. An absent protocol type or name is not checked."""

    correlation_id: RequestId
    member_id: MemberId
    generation_id: Generation
    assignments: Ordered[tuple[MemberId, Partitions]] = ()
    group_instance_id: str = ""
    protocol_type: str = ""
    protocol: str = ""


class Heartbeat(NamedTuple):
    """Heartbeat of the classic protocol."""

    correlation_id: RequestId
    member_id: MemberId
    generation_id: Generation
    group_instance_id: str = ""


class LeaveGroup(NamedTuple):
    """LeaveGroup: (member, instance) pairs; a static member may be named by its instance alone."""

    correlation_id: RequestId
    members: tuple[tuple[MemberId, str], ...]


class OffsetCommit(NamedTuple):
    """OffsetCommit; `generation_id` is the member epoch in a consumer group."""

    correlation_id: RequestId
    member_id: MemberId
    generation_id: Generation
    offsets: tuple[tuple[TopicPartition, int], ...] = ()
    group_instance_id: str = ""
    api_version: int = 9


class ConsumerHeartbeat(NamedTuple):
    """ConsumerGroupHeartbeat; None and -1 mean that the field was not sent (unchanged).

    The epoch states the purpose: 0 to join, -1 to leave, -2 to leave temporarily (static members).
    """

    correlation_id: RequestId
    member_id: MemberId
    member_epoch: Generation
    group_instance_id: str = ""
    rebalance_timeout: int = -1
    subscribed_topic_names: tuple[str, ...] | None = None
    server_assignor: str = ""
    topic_partitions: Partitions | None = None
    subscribed_topic_regex: str | None = None

    @property
    def full(self) -> bool:
        """Whether all fields were sent, so that the reply must contain the assignment."""
        subscribes = self.subscribed_topic_names is not None or self.subscribed_topic_regex is not None
        sent = self.rebalance_timeout != -1 and subscribes and self.topic_partitions is not None
        return self.member_epoch == JOIN_EPOCH or sent


Request: TypeAlias = (
    JoinGroup | SyncGroup | Heartbeat | LeaveGroup | OffsetCommit | ConsumerHeartbeat | StreamsHeartbeat
)


# Replies.


class JoinGroupReply(NamedTuple):
    """JoinGroup's reply; `members` only for the leader. With an error, the rest holds Kafka's defaults."""

    error: str
    member_id: MemberId
    generation_id: Generation = NO_GENERATION
    protocol_type: str = ""
    protocol: str = ""
    leader: MemberId = ""
    skip_assignment: bool = False
    members: Ordered[tuple[MemberId, str, Metadata]] = ()


class SyncGroupReply(NamedTuple):
    """SyncGroup's reply."""

    error: str
    protocol_type: str = ""
    protocol: str = ""
    assignment: Partitions = ZERO_BYTES


class HeartbeatReply(NamedTuple):
    """Heartbeat's reply."""

    error: str


class LeaveGroupReply(NamedTuple):
    """LeaveGroup's reply: one (member, instance, error) for each member to remove."""

    error: str
    members: tuple[tuple[MemberId, str, str], ...] = ()


class OffsetCommitReply(NamedTuple):
    """OffsetCommit's reply, the same for every partition."""

    error: str


class ConsumerHeartbeatReply(NamedTuple):
    """ConsumerGroupHeartbeat's reply; `assignment` is None if it was not sent."""

    error: str
    member_id: MemberId = ""
    member_epoch: Generation = 0
    heartbeat_interval: int = 0
    assignment: Partitions | None = None


ReplyBody: TypeAlias = (
    JoinGroupReply
    | SyncGroupReply
    | HeartbeatReply
    | LeaveGroupReply
    | OffsetCommitReply
    | ConsumerHeartbeatReply
    | StreamsHeartbeatReply
)


_REPLIES: Final[dict[type[Request], Callable[[str], ReplyBody]]] = {
    SyncGroup: SyncGroupReply,
    Heartbeat: HeartbeatReply,
    LeaveGroup: LeaveGroupReply,
    OffsetCommit: OffsetCommitReply,
    ConsumerHeartbeat: ConsumerHeartbeatReply,
    StreamsHeartbeat: StreamsHeartbeatReply,
}


def error_reply(request: Request, error: str) -> ReplyBody:
    """The reply to a request that fails as a whole."""
    if isinstance(request, JoinGroup):
        return JoinGroupReply(error, UNKNOWN_MEMBER)
    return _REPLIES[type(request)](error)


# Timers. The coordinator has no clock: it arms timers as outputs and gets the fired ones as events.

SESSION: Final = "session"
JOIN: Final = "join"
SYNC: Final = "sync"
CONSUMER_SESSION: Final = "consumer_session"
REVOCATION: Final = "revocation"
CLASSIC_JOIN: Final = "classic_join_of_member"
CLASSIC_SYNC: Final = "classic_sync_of_member"

OF_CLASSIC_GROUPS: Final = frozenset({SESSION, JOIN, SYNC})
"""The timers of classic groups. The groups of KIP-848 and KIP-1071 share no key with them."""
RETRY_BACKOFF: Final = 500
"""The delay in ms until a timer whose write failed fires again."""


class Timer(NamedTuple):
    """The key of a timer: arming it again replaces the armed one."""

    kind: str
    member_id: MemberId = ""


class InitialDelay(NamedTuple):
    """The payload of the join timer of a group that was empty: its delay, and the remaining time after it."""

    delay: int
    remaining: int


Payload: TypeAlias = tuple[Generation, ...] | InitialDelay
"""The payload of a timer: the generation that it concerns, if any."""


class TimerFired(NamedTuple):
    """A timer is due; `payload` is the one with which it was armed."""

    timer: Timer
    payload: Payload = ()


class MetadataChanged(NamedTuple):
    """A new image was published to the coordinator; its `number` is 0 if images are not numbered."""

    image: Image
    number: int = 0


# Outputs.


class Reply(NamedTuple):
    """Answer a request; with `when_durable`, only once everything appended so far is acknowledged.

    If the write of the same step fails, a `when_durable` reply turns into `error_reply`.
    """

    correlation_id: RequestId
    body: ReplyBody
    when_durable: bool = False


class SetTimer(NamedTuple):
    """Arm a timer with a delay in ms or ticks; with `if_absent`, only if it is not armed already.

    An armed one is `outlived` once the group has been converted since: it keeps running, whatever the group
    is now.
    """

    timer: Timer
    due: int
    payload: Payload = ()
    if_absent: bool = False
    outlived: bool = False


def _due(order: SetTimer) -> tuple[int, Timer]:
    return order.due, order.timer


Armed: TypeAlias = Annotated[tuple[SetTimer, ...], Order(_due)]
"""The armed timers by due time; at one instant by name, or in the order of arming."""


class CancelTimer(NamedTuple):
    """Disarm a timer, if armed."""

    timer: Timer


class Config(NamedTuple):
    """The configuration of a group coordinator; times in ms.

    A group's regular expressions are not resolved again before `regex_min_interval` is over, which is no
    setting in Kafka; below 0 there is no such limit. With `offload`, which no release has, targets are
    computed in the background (KIP-1263). With `writes_fail` what a failed write takes back is tracked where
    there is no clock, too. `switches` names deliberate bugs (see `coordinator.SWITCHES`);
    empty for a correct one.
    """

    initial_rebalance_delay: int = 3_000
    new_member_join_timeout: int = 300_000
    classic_max_size: int = 2**31 - 1
    consumer_session_timeout: int = 45_000
    consumer_heartbeat_interval: int = 5_000
    consumer_max_size: int = 2**31 - 1
    assignors: tuple[str, ...] = ("uniform", "range")
    assignment_interval: int = 0
    regex_refresh_interval: int = 600_000
    regex_min_interval: int = 10_000
    offload: bool = False
    upgrade: bool = False
    downgrade: bool = False
    switches: frozenset[str] = frozenset()
    streams: StreamsConfig = StreamsConfig()
    writes_fail: bool = False
