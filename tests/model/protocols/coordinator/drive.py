"""A coordinator at hand: a broker with a clock, requests in short form, and what was answered to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.runtime import ClockedRuntime, Happened
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Target, TargetAsk
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.requests import Config, Partitions, Subscription

EAGER = Config(initial_rebalance_delay=0)
SUBSCRIPTION = Subscription(("foo",))


def tps(*numbers: int, topic: str = "foo") -> Partitions:
    return tuple(TopicPartition(topic, number) for number in numbers)


def protocols(*names: str, metadata: requests.Metadata = SUBSCRIPTION) -> requests.Protocols:
    return tuple((name, metadata) for name in names)


class FirstChoices:
    """The first option always; ids are counted; targets are dealt round robin unless told otherwise."""

    def __init__(self) -> None:
        self.count = 0
        self.targets: dict[str, Partitions] | None = None

    def pick(self, kind: str, options: Sequence[str]) -> str:
        return options[0]

    def member_id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}-{self.count}"

    def target(self, ask: TargetAsk) -> Target:
        if self.targets is not None:
            return tuple((member.member_id, self.targets.get(member.member_id, ())) for member in ask.members)
        given: dict[str, list[TopicPartition]] = {member.member_id: [] for member in ask.members}
        for topic in ask.topics:
            readers = [member.member_id for member in ask.members if topic.name in member.subscribed]
            for number in range(topic.partitions):
                given[readers[number % len(readers)]].append(TopicPartition(topic.topic_id, number))
        return tuple((member, tuple(sorted(owned))) for member, owned in given.items())


class Drive:
    """One group, driven by requests; every method that sends one returns its reply, None while parked."""

    def __init__(self, config: Config = EAGER, topics: dict[str, int] | None = None) -> None:
        self.choices = FirstChoices()
        self.runtime = ClockedRuntime(config, self.choices)
        self.host = self.runtime.first(requests.image_of((topics or {"foo": 4}).items()))
        self.now = 0
        self.durable = 0
        self.replies: dict[int, Any] = {}
        self.records: list[LogRecord] = []
        self.sent = 0

    # What there is to see.

    @property
    def group(self) -> ClassicGroup | ConsumerGroup | None:
        return self.host.state.group

    @property
    def classic(self) -> ClassicGroup:
        assert isinstance(self.group, ClassicGroup)
        return self.group

    @property
    def consumer(self) -> ConsumerGroup:
        assert isinstance(self.group, ConsumerGroup)
        return self.group

    def member(self, member_id: str) -> Any:
        assert self.group is not None
        return {member.member_id: member for member in self.group.members}[member_id]

    def due(self, kind: str, member_id: str = "") -> int | None:
        return next(
            (self.now + o.due for o in self.host.armed if o.timer == requests.Timer(kind, member_id)), None
        )

    # What can be done.

    def note(self, happened: Happened) -> Happened:
        self.host = happened.host
        self.now += happened.elapsed
        self.durable += happened.acknowledged
        self.records += happened.records
        for reply in happened.replies:
            assert reply.correlation_id not in self.replies, "answered twice"
            self.replies[reply.correlation_id] = reply.body
        return happened

    def send(self, request: Any, write_fails: str = "") -> Any:
        self.sent += 1
        request = request._replace(correlation_id=self.sent)
        self.note(self.runtime.deliver(self.host, request, write_fails))
        return self.replies.get(self.sent)

    def wait(self, millis: int) -> None:
        """Let time pass, through as many timers as are due on the way."""
        end = self.now + millis
        while True:
            fired = self.note(self.runtime.advance(self.host, end - self.now)).fired
            if self.now == end and not fired:
                return

    def reload(self) -> None:
        self.note(self.runtime.reload(self.host))

    def defer(self) -> None:
        self.host = self.host._replace(deferring=True)

    def flush(self) -> None:
        self.note(self.runtime.flush(self.host))

    def publish(self, **topics: int) -> None:
        image = requests.image_of(topics.items())
        self.note(self.runtime.deliver(self.host, requests.MetadataChanged(image)))

    # Requests in short form.

    def join(
        self, member: str = "", *names: str, metadata: requests.Metadata = SUBSCRIPTION, **more: Any
    ) -> Any:
        offered = protocols(*(names or ("range",)), metadata=metadata)
        settings = {"client_id": "c", "session_timeout": 6_000, "rebalance_timeout": 12_000} | more
        fails = settings.pop("write_fails", "")
        return self.send(requests.JoinGroup(0, member, offered, **settings), fails)

    def sync(self, member: str, given: dict[str, Partitions] | None = None, **more: Any) -> Any:
        more.setdefault("generation_id", getattr(self.group, "generation", 0))
        fails = more.pop("write_fails", "")
        return self.send(
            requests.SyncGroup(0, member, assignments=tuple((given or {}).items()), **more), fails
        )

    def heartbeat(self, member: str, generation: int | None = None, group_instance_id: str = "") -> str:
        current = getattr(self.group, "generation", 0) if generation is None else generation
        return str(self.send(requests.Heartbeat(0, member, current, group_instance_id)).error)

    def leave(self, *members: str, group_instance_id: str = "") -> Any:
        return self.send(requests.LeaveGroup(0, tuple((member, group_instance_id) for member in members)))

    def commit(self, member: str, generation: int, **more: Any) -> str:
        offsets = ((TopicPartition("foo", 0), 7),)
        return str(self.send(requests.OffsetCommit(0, member, generation, offsets, **more)).error)

    def new_member(self, **more: Any) -> str:
        """A dynamic member through its id round trip; its second JoinGroup may be parked."""
        given = self.join(**more)
        assert given.error == errors.MEMBER_ID_REQUIRED
        self.join(given.member_id, **more)
        return str(given.member_id)

    def stable(self, count: int = 2, **more: Any) -> list[str]:
        """A stable group of dynamic members, the first one leading, partition i for the i-th."""
        members = [str(self.join(**more).member_id) for _ in range(count)]
        for member in members:
            self.join(member, **more)
        self.wait(0)
        given = {member: tps(number) for number, member in enumerate(members)}
        leader = self.classic.leader
        for member in members:
            if member != leader:
                self.sync(member)
        self.sync(leader, given)
        assert self.classic.state == "Stable"
        return members

    def modern(self, member: str, epoch: int = 0, **more: Any) -> Any:
        """A heartbeat of the consumer protocol; joining, with everything that a first one needs."""
        if epoch == 0:
            more = {
                "rebalance_timeout": 30_000,
                "subscribed_topic_names": ("foo",),
                "topic_partitions": (),
            } | more
        fails = more.pop("write_fails", "")
        return self.send(requests.ConsumerHeartbeat(0, member, epoch, **more), fails)


def in_state(state: str, config: Config = EAGER) -> tuple[Drive, str, str]:
    """A group in a state, its static leader and its dynamic follower; both gone where it is Empty."""
    drive = Drive(config)
    drive.join(group_instance_id="i")
    drive.wait(0)
    static = drive.classic.leader
    drive.sync(static, group_instance_id="i")
    dynamic = drive.join().member_id
    drive.join(dynamic), drive.join(static, group_instance_id="i")
    if state != COMPLETING:
        drive.sync(dynamic), drive.sync(static, {static: tps(0), dynamic: tps(1)}, group_instance_id="i")
    if state == PREPARING:
        drive.join(static, group_instance_id="i")
    if state == EMPTY:
        drive.leave(dynamic), drive.leave(static)
    assert drive.classic.state == state
    return drive, static, dynamic
