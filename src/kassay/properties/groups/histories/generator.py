"""What a generated history may hold: production shapes, limits, and the state while it is written.

Sizes and subscription graphs seen in production, each with its source.

A shape is a skeleton: the number of members, the sizes of the topics, the subscriptions. The generator of the
large profile fills it with ownership and events.

The content limits of a generated history, and the generator's state while it writes one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from kassay.model.cluster import Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import Join
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Kind
from kassay.properties.profile import Profile
from kassay.properties.sources import Source, subset


@dataclass(frozen=True)
class ClusterShape:
    """`graph` gives the subscriptions: all, own (a topic each), two (overlapping windows), some (random)."""

    id: str
    members: int
    topics: tuple[int, ...]
    graph: str
    source: str


SHAPES: Final[tuple[ClusterShape, ...]] = (
    ClusterShape("topic-each", 84, (3,) * 84, "own", "aiokafka issue 1176: 12 processes of 7 consumers"),
    ClusterShape("wide-topic", 450, (3000,), "all", "librdkafka issue 4629"),
    ClusterShape("two-by-eighteen", 9, (18, 18), "all", "librdkafka issue 4044"),
    ClusterShape("ten-over-three", 3, (10,), "all", "confluent-kafka-go issue 622"),
    ClusterShape("four-over-144", 4, (144,), "all", "librdkafka issue 603"),
    ClusterShape(
        "active-ring", 100, (200, 40), "all", "grafana/tempo issue 7665: 200 active partitions and a tail"
    ),
    ClusterShape("forty-each", 10, (40,) * 12, "some", "alpakka-kafka issue 304: 12 topics of 40 partitions"),
    ClusterShape("tasks-450", 20, (450,), "all", "KAFKA-20198: 450 tasks over 20 threads"),
    ClusterShape("tasks-500", 12, (500,), "all", "KAFKA-20198: 500 tasks over 12 threads"),
    ClusterShape("range-idle", 10, (5, 3), "all", "nocture.dk 2019: 8 partitions, 10 consumers"),
    ClusterShape("many-added", 10, (900,), "all", "Karafka documentation: 10 consumers, 900 partitions"),
    ClusterShape("single-partition-topics", 20, (1,) * 60, "all", "CAIDA libbgpstream issue 209"),
    ClusterShape(
        "realistic-large", 100, (50,) * 20, "two", "KAFKA-15106, a committer's idea of large, at a fifth"
    ),
)


RACKS: Final = ("r0", "r1", "r2")
GENERATION: Final = 3
"""The generation of the ownership that a history starts with, so that older ones exist."""


@dataclass(frozen=True)
class GroupProfile(Profile):
    """The sizes and features of histories.

    `small` covers logical corners, `large` takes the shapes of production. `assume` narrows the inputs.
    `member_configs` are keys with the values that members have: drawn for each member, or, where the profile
    `deals` them, distributed so that each value has equally many members. `shape` is the id of the one shape
    that large histories take; all of them where it is empty. `racked`, `weighted` and `static` are the
    probabilities that a small history has racks, weights and static members, `quiet` that an aimed one ends
    in a rebalance without a reason, `gradual` that five members join one by one. `leads` says whether members
    are made leaders, and every aimed history ends with that.
    """

    kind: Kind = CLIENT
    members_max: int = 6
    topics_max: int = 4
    partitions_max: int = 7
    changes_max: int = 4
    member_configs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    deals: bool = False
    racked: float = 0.2
    weighted: float = 0.12
    static: float = 0.3
    quiet: float = 0.0
    gradual: float = 0.06
    leads: bool = False

    @property
    def contradicts(self) -> bool:
        """Whether members may report conflicting ownership."""
        return self.kind == CLIENT and self.allows("no-conflicting-claims")

    @property
    def drops(self) -> bool:
        """Whether members may stop reading what they have: a coordinator's last target still has it."""
        return self.contradicts or self.kind != CLIENT


@dataclass
class Deal:
    """The values of a configuration key, the `order` in which members get them, and each holder's value.

    A static member is identified by its instance id: its value survives its restarts.
    """

    values: tuple[str, ...]
    order: tuple[int, ...]
    holders: dict[str, int] = field(default_factory=dict)

    def next(self, holder: str, present: Set[str]) -> str:
        """The value for a newcomer: the one that the fewest present members have, the first of those."""
        held = Counter(place for other, place in self.holders.items() if other in present)
        place = min(self.order, key=held.__getitem__)
        self.holders[holder] = place
        return self.values[place]


@dataclass
class GeneratorState:
    """The generator's knowledge of the world while it writes a history."""

    source: Source
    profile: GroupProfile
    topics: dict[str, Topic]
    racked: bool
    weighted: bool
    static: bool
    odd: bool
    backwards: bool
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    instances: dict[str, str] = field(default_factory=dict)
    away: list[str] = field(default_factory=list)
    joins: int = 0
    generation: int = GENERATION
    withholds: bool = False
    withheld: dict[str, tuple[int, ...]] = field(default_factory=dict)
    deals: dict[str, Deal] = field(default_factory=dict)

    def new_id(self) -> str:
        """A member id not used before; ids descend where `backwards`, so that id order is not join order."""
        self.joins += 1
        return f"m{100 - self.joins if self.backwards else self.joins:02d}"

    def tps(self, topics: Sequence[str]) -> list[TopicPartition]:
        """The existing partitions of these topics."""
        return [tp for name in dict.fromkeys(topics) if name in self.topics for tp in self.topics[name].tps()]

    def some_topics(self, chance: float) -> tuple[str, ...]:
        """Some of the topics; at least one where no member may have an empty subscription."""
        chosen = tuple(subset(self.source, list(self.topics), chance))
        if chosen or self.profile.allows("no-empty-subscriptions"):
            return chosen
        return tuple(self.topics)[:1]

    def new_topic(self, name: str, partitions_max: int) -> Topic:
        """A topic of at most that many partitions, with racks and weights if the history has them."""
        return self.with_extras(Topic(name, self.source.integer(1, partitions_max)))

    def with_extras(self, topic: Topic) -> Topic:
        """The topic with replicas and weights, if the history has racks and weights."""
        source = self.source
        if self.racked and source.boolean(0.85):
            first = source.integer(0, len(RACKS) - 1)
            both = source.boolean()
            topic = topic._replace(
                replicas=tuple(
                    tuple((first + p + k) % len(RACKS) for k in range(1 + both))
                    for p in range(topic.partitions)
                )
            )
        if self.weighted and source.boolean(0.8):
            topic = topic._replace(weights=self.new_weights(topic.partitions))
        return topic

    def new_weights(self, partitions: int) -> tuple[int, ...]:
        """A weight a partition, most of them small and a few heavy."""
        source = self.source
        return tuple(source.choice((0, 1, 2, 5, 50)) for _ in range(partitions))

    def new_member(self, topics: tuple[str, ...], static: bool | None = None) -> Member:
        """A new member, recorded as present; static or not as given, else as the history has it."""
        source = self.source
        member_id = self.new_id()
        rack = source.choice((None, *RACKS)) if self.racked else None
        instance_id = None
        if static or (static is None and self.static and source.boolean(0.5)):
            # The digit in front makes the order of instance ids differ from that of member ids.
            instance_id = f"i{source.integer(0, 9)}-{self.joins}"
            self.instances[member_id] = instance_id
        self.members[member_id] = topics
        return Member(member_id, topics, rack=rack, instance_id=instance_id)

    def join(self, member: Member) -> Join:
        """The member joins, with a configuration of the profile's values."""
        return Join(
            member,
            tuple((key, self._value(key, values, member)) for key, values in self.profile.member_configs),
        )

    def _value(self, key: str, values: tuple[str, ...], member: Member) -> str:
        """The member's value from now on."""
        if not self.profile.deals:
            return self.source.choice(values)
        if key not in self.deals:
            first, falls = self.source.integer(0, len(values) - 1), self.source.boolean()
            order = [(first + n) % len(values) for n in range(len(values))]
            self.deals[key] = Deal(values, tuple(reversed(order)) if falls else tuple(order))
        present = {self.instances.get(member_id, member_id) for member_id in (*self.members, *self.away)}
        return self.deals[key].next(member.instance_id or member.member_id, present)
