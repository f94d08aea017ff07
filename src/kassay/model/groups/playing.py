"""The group and its cluster during a run: current members, crashed members, and owners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, singledispatch
from typing import Final

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata, habits
from kassay.model.groups.group import MEMBER_OF, Group, Member
from kassay.model.groups.history import (
    AddPartitions,
    ChangeRack,
    Config,
    Crash,
    CreateTopic,
    DeleteTopic,
    Event,
    FailedSync,
    Join,
    Leave,
    NewLeader,
    RackBroker,
    Rebalance,
    ReportOwned,
    Resubscribe,
    Return,
    Reweigh,
    StaticReturn,
    Withhold,
)
from kassay.model.groups.metrics import AssignmentFacts

NewObject = Callable[[Mapping[str, str]], Assignor]
"""Makes a configured object; if it has `of_group`, that method returns the factory for one group."""


def of_group(new: NewObject) -> NewObject:
    """The factory for the objects of one group, in the order in which its members join."""
    make_factory: Callable[[], NewObject] | None = getattr(new, "of_group", None)
    return new if make_factory is None else make_factory()


@dataclass(slots=True)
class Seat:
    """A member during a run: its subscription, owned partitions, assignor object and that object's habits."""

    member_id: str
    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...]
    generation: int
    rack: str | None
    instance_id: str | None
    config: Mapping[str, str]
    assignor: Assignor
    sends_user_data: bool
    learns: bool

    def subscription(self) -> Member:
        """The member as it appears in its next JoinGroup request."""
        (member,) = joining((self,), (self.assignor.subscription_user_data(self.topics),))
        return member

    def learn(
        self, owned: tuple[TopicPartition, ...], generation: int, user_data: bytes | None = None
    ) -> None:
        """Take ownership of these partitions and inform the assignor object."""
        if self.learns:
            self.assignor.on_assignment(*self.own(owned, generation, user_data))
        else:
            self.owned = owned
            self.generation = generation

    def own(
        self, owned: tuple[TopicPartition, ...], generation: int, user_data: bytes | None = None
    ) -> tuple[tuple[TopicPartition, ...], bytes | None, GroupMetadata]:
        """Take ownership of these partitions; returns the arguments for the assignor object's callback."""
        self.owned = owned
        self.generation = generation
        return owned, user_data, METADATA_OF((generation, self.member_id, self.instance_id))


METADATA_OF: Final = partial(tuple.__new__, GroupMetadata)
_REPORTED: Final = "reported_generation"
"""The attribute with the generation to report for owned partitions, if a client library sets it."""


def joining(seats: Iterable[Seat], user_data: Iterable[bytes | None]) -> tuple[Member, ...]:
    """The members of these seats as they join, each with its user data."""
    return tuple(
        [
            MEMBER_OF(
                (
                    seat.member_id,
                    seat.topics,
                    seat.owned,
                    seat.generation if (own := getattr(seat.assignor, _REPORTED, None)) is None else int(own),
                    seat.rack,
                    seat.instance_id,
                    data,
                )
            )
            for seat, data in zip(seats, user_data)
        ]
    )


@dataclass
class GroupWorld:
    """The group and the cluster at one point of a run.

    `appointed` leads while it is a member; `facts` are those of the last round's assignment.
    """

    cluster: Cluster
    new: NewObject
    seats: dict[str, Seat] = field(default_factory=dict)
    away: dict[str, Seat] = field(default_factory=dict)
    generation: int = 0
    failed_sync: set[str] = field(default_factory=set)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    withheld: dict[str, frozenset[int]] = field(default_factory=dict)
    appointed: str | None = None
    facts: AssignmentFacts | None = None

    def apply(self, event: Event) -> bool:
        """Apply the event; False if it has no effect."""
        return _handler(event.__class__)(event, self)

    @property
    def assignable(self) -> frozenset[TopicPartition] | None:
        """The partitions that a share group may assign; None for all."""
        withheld = {TopicPartition(topic, p) for topic, numbers in self.withheld.items() for p in numbers}
        return self.cluster.everything - withheld if withheld else None

    def group(self, members: tuple[Member, ...], leader: Seat) -> Group:
        """The group of these members, led by `leader`."""
        return Group(members, leader.member_id, assignable=self.assignable if self.withheld else None)

    @property
    def leader(self) -> Seat:
        """The seat of the leader: the appointed member, else the longest-standing one; needs a member."""
        return self.seats.get(self.appointed or "") or next(iter(self.seats.values()))

    def seat(self, member: Member, config: Config) -> Seat:
        """A new seat whose assignor object receives the partitions that the member owns."""
        settings = dict(config)
        assignor = self.new(settings)
        seat = Seat(*member[:6], settings, assignor, *habits(assignor))
        if member.owned or member.generation >= 0:
            seat.learn(member.owned, member.generation)
            self.generation = max(self.generation, member.generation)
        return seat

    def go(self, member_id: str) -> Seat | None:
        """Remove the member's seat and return it; None if there is none.

        A member that returns does not lead.
        """
        if member_id == self.appointed:
            self.appointed = None
        return self.seats.pop(member_id, None)

    def replace_topic(self, name: str, change: Callable[[Topic], Topic | None]) -> bool:
        """Replace the topic called `name`, or delete it if `change` returns None."""
        if name not in self.cluster.by_name:
            return False
        topics = (change(t) if t.name == name else t for t in self.cluster.topics)
        self.cluster = self.cluster.with_topics(t for t in topics if t is not None)
        return True


@singledispatch
def happen(event: Event, world: GroupWorld) -> bool:  # noqa: ARG001  # the signature of a handler
    """Apply the event to the world; False if it has no effect."""
    raise TypeError(f"{type(event).__name__} is not an event of a history")


@happen.register
def _(event: Join, world: GroupWorld) -> bool:
    if event.member.member_id in world.seats:
        return False
    static = event.member.instance_id
    if static is not None and any(seat.instance_id == static for seat in world.seats.values()):
        return False
    world.seats[event.member.member_id] = world.seat(event.member, event.config)
    return True


@happen.register
def _(event: Leave, world: GroupWorld) -> bool:
    return world.go(event.member_id) is not None


@happen.register
def _(event: Crash, world: GroupWorld) -> bool:
    seat = world.go(event.member_id)
    if seat is None:
        return False
    world.away[event.member_id] = seat
    return True


@happen.register
def _(event: Return, world: GroupWorld) -> bool:
    if event.member_id in world.seats or event.member_id not in world.away:
        return False
    world.seats[event.member_id] = world.away.pop(event.member_id)
    return True


@happen.register
def _(event: StaticReturn, world: GroupWorld) -> bool:
    old = world.seats.get(event.member_id) or world.away.get(event.member_id)
    if old is None or old.instance_id is None or event.new_member_id in world.seats:
        return False
    if any(s.instance_id == old.instance_id and s is not old for s in world.seats.values()):
        return False
    member = old.subscription()._replace(member_id=event.new_member_id, user_data=None)
    seat = world.seat(member, tuple(old.config.items()))
    if event.member_id == world.appointed:
        world.appointed = event.new_member_id
    if event.member_id in world.seats:
        world.seats = {s.member_id: s for s in (seat if s is old else s for s in world.seats.values())}
    else:
        del world.away[event.member_id]
        world.seats[event.new_member_id] = seat
    world.renamed.append((event.member_id, event.new_member_id))
    return True


@happen.register
def _(event: FailedSync, world: GroupWorld) -> bool:
    if event.member_id not in world.seats:
        return False
    world.failed_sync.add(event.member_id)
    return True


@happen.register
def _(event: NewLeader, world: GroupWorld) -> bool:
    if event.member_id not in world.seats or world.leader.member_id == event.member_id:
        return False
    world.appointed = event.member_id
    return True


@happen.register
def _(event: Resubscribe, world: GroupWorld) -> bool:
    seat = world.seats.get(event.member_id)
    if seat is None:
        return False
    seat.topics = event.topics
    return True


@happen.register
def _(event: AddPartitions, world: GroupWorld) -> bool:
    def grow(topic: Topic) -> Topic:
        return topic if topic.partitions >= event.partitions else topic.with_partitions(event.partitions)

    return world.replace_topic(event.topic, grow)


@happen.register
def _(event: CreateTopic, world: GroupWorld) -> bool:
    if event.topic.name in world.cluster.by_name:
        return False
    world.cluster = world.cluster.with_topics((*world.cluster.topics, event.topic))
    return True


@happen.register
def _(event: DeleteTopic, world: GroupWorld) -> bool:
    world.withheld.pop(event.topic, None)
    return world.replace_topic(event.topic, lambda _: None)


@happen.register
def _(event: ChangeRack, world: GroupWorld) -> bool:
    seat = world.seats.get(event.member_id)
    if seat is None:
        return False
    seat.rack = event.rack
    return True


@happen.register
def _(event: RackBroker, world: GroupWorld) -> bool:
    if event.broker_id not in world.cluster.broker_racks:
        return False
    world.cluster = Cluster(
        world.cluster.topics,
        tuple(
            b._replace(rack=event.rack) if b.broker_id == event.broker_id else b
            for b in world.cluster.brokers
        ),
    )
    return True


@happen.register
def _(event: Reweigh, world: GroupWorld) -> bool:
    topic = world.cluster.by_name.get(event.topic)
    if topic is None or len(event.weights) != topic.partitions:
        return False
    return world.replace_topic(event.topic, lambda t: t._replace(weights=event.weights))


@happen.register
def _(event: Withhold, world: GroupWorld) -> bool:
    topic = world.cluster.by_name.get(event.topic)
    if topic is None:
        return False
    numbers = frozenset(p for p in event.numbers if p < topic.partitions)
    before = world.withheld.pop(event.topic, frozenset())
    if numbers:
        world.withheld[event.topic] = numbers
    return numbers != before


@happen.register
def _(event: ReportOwned, world: GroupWorld) -> bool:
    seat = world.seats.get(event.member_id)
    if seat is None:
        return False
    seat.learn(tuple(dict.fromkeys(event.owned)), event.generation)
    world.generation = max(world.generation, event.generation)
    return True


@happen.register
def _(event: Rebalance, world: GroupWorld) -> bool:  # noqa: ARG001  # the signature of a handler
    return False


_handler: Final[Callable[[type], Callable[[Event, GroupWorld], bool]]] = cache(happen.dispatch)
"""The handler of an event class, looked up once per class instead of once per event."""
