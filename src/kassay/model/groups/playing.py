"""The group and its cluster while a history is played: who is there, who is away, who owns what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, singledispatch
from typing import Final

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata, habits
from kassay.model.groups.dealt import Dealt
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
    OwnedClaim,
    RackBroker,
    Rebalance,
    Resubscribe,
    Return,
    Reweigh,
    StaticReturn,
    Withhold,
)

NewObject = Callable[[Mapping[str, str]], Assignor]
"""Makes a configured object; one with an `of_group` makes those of one group by what that returns."""


def of_group(new: NewObject) -> NewObject:
    """What makes the objects of one group, in the order in which its members come."""
    anew: Callable[[], NewObject] | None = getattr(new, "of_group", None)
    return new if anew is None else anew()


@dataclass(slots=True)
class Seat:
    """A member during a play: what it subscribes to, what it owns, its assignor object and what that does."""

    member_id: str
    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...]
    generation: int
    rack: str | None
    instance_id: str | None
    config: Mapping[str, str]
    assignor: Assignor
    tells: bool
    learns: bool

    def subscription(self) -> Member:
        """The member as its next JoinGroup shows it."""
        (member,) = joining((self,), (self.assignor.subscription_user_data(self.topics),))
        return member

    def learn(
        self, owned: tuple[TopicPartition, ...], generation: int, user_data: bytes | None = None
    ) -> None:
        """Own this from now on, and let the assignor object know."""
        if self.learns:
            self.assignor.on_assignment(*self.own(owned, generation, user_data))
        else:
            self.owned = owned
            self.generation = generation

    def own(
        self, owned: tuple[TopicPartition, ...], generation: int, user_data: bytes | None = None
    ) -> tuple[tuple[TopicPartition, ...], bytes | None, GroupMetadata]:
        """Own this from now on: what the assignor object is to know of it."""
        self.owned = owned
        self.generation = generation
        return owned, user_data, METADATA_OF((generation, self.member_id, self.instance_id))


METADATA_OF: Final = partial(tuple.__new__, GroupMetadata)
_REPORTED: Final = "reported_generation"
"""The generation that goes with the claims, where a client library has its own idea of it."""


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
    """The group and the cluster as they are at this point of a play.

    `appointed` leads while it is there; `dealt` is what the last round gave to whom.
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
    dealt: Dealt | None = None

    def apply(self, event: Event) -> bool:
        """Let the event happen; False if it has nothing to happen to."""
        return _handler(event.__class__)(event, self)

    @property
    def assignable(self) -> frozenset[TopicPartition] | None:
        """The partitions that a share group may give out; None for all."""
        withheld = {TopicPartition(topic, p) for topic, numbers in self.withheld.items() for p in numbers}
        return self.cluster.everything - withheld if withheld else None

    def group(self, members: tuple[Member, ...], leader: Seat) -> Group:
        """The group of these members, which this one leads."""
        return Group(members, leader.member_id, assignable=self.assignable if self.withheld else None)

    @property
    def leader(self) -> Seat:
        """The seat of whoever leads: who was appointed, else who is there longest; one of them is there."""
        return self.seats.get(self.appointed or "") or next(iter(self.seats.values()))

    def seat(self, member: Member, config: Config) -> Seat:
        """A new seat whose assignor object knows what the member claims."""
        settings = dict(config)
        assignor = self.new(settings)
        seat = Seat(*member[:6], settings, assignor, *habits(assignor))
        if member.owned or member.generation >= 0:
            seat.learn(member.owned, member.generation)
            self.generation = max(self.generation, member.generation)
        return seat

    def go(self, member_id: str) -> Seat | None:
        """Empty the member's seat, and return it; None if there is none. Whoever comes back leads no more."""
        if member_id == self.appointed:
            self.appointed = None
        return self.seats.pop(member_id, None)

    def replace_topic(self, name: str, change: Callable[[Topic], Topic | None]) -> bool:
        """Put another topic in place of the one called `name`, or nothing where `change` gives None."""
        if name not in self.cluster.by_name:
            return False
        topics = (change(t) if t.name == name else t for t in self.cluster.topics)
        self.cluster = self.cluster.with_topics(t for t in topics if t is not None)
        return True


@singledispatch
def happen(event: Event, world: GroupWorld) -> bool:  # noqa: ARG001  # the signature of a handler
    """Let the event happen in the world; False if it has nothing to happen to."""
    raise TypeError(f"{type(event).__name__} is not an event of a history")


@happen.register
def _(event: Join, world: GroupWorld) -> bool:
    if event.member.member_id in world.seats:
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
        if topic.partitions >= event.partitions:
            return topic
        numbers = [p % topic.partitions for p in range(event.partitions)]
        return topic._replace(
            partitions=event.partitions,
            replicas=None if topic.replicas is None else tuple(topic.replicas[p] for p in numbers),
            weights=None if topic.weights is None else tuple(topic.weights[p] for p in numbers),
        )

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
def _(event: OwnedClaim, world: GroupWorld) -> bool:
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
"""What lets an event of a class happen: looked up once a class, and not once an event."""
