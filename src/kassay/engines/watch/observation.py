"""All groups of a cluster at one moment, by few requests that only read.

A list from each broker, a description of a hundred groups at a time from their coordinator, and the topics of
all of them at once: no request for each group. Offsets are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kassay.engines.clusters.live import resolved, topic_names
from kassay.engines.clusters.stability import STABLE
from kassay.model.cluster import TopicPartition, numbers_by_topic
from kassay.model.errors import InputError
from kassay.reading.kafka.other_groups import ACTIVE, SHARE, STREAMS
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.groups import ListedGroup, LiveGroup, describe_listed, list_groups
from kassay.reading.live.other_groups import LiveOther, describe_listed_others

GROUPS_MAX: Final = 2_000
"""The most groups that are described: the first by name; the others are counted."""
CLASSIC: Final = "classic"
CONSUMER: Final = "consumer"
OTHER: Final = "other"
"""The type of a group of other clients, such as Kafka Connect's workers."""
Counts = Mapping[str, int]


@dataclass(frozen=True)
class MemberSight:
    """A member by its instance id if it is static, else by its member id; what it subscribes to and owns."""

    name: str
    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...]


@dataclass(frozen=True)
class GroupSight:
    """A group as it was seen; `kind` is its type, `partitions` the count of each topic that it reads.

    In a Streams group members are threads, and topics are subtopologies, with a task for each partition.
    """

    name: str
    kind: str
    state: str
    assignor: str | None
    members: tuple[MemberSight, ...] = ()
    partitions: tuple[tuple[str, int], ...] = ()

    @property
    def is_stable(self) -> bool:
        """Whether the coordinator says that nothing changes."""
        return self.state in STABLE


@dataclass(frozen=True)
class ClusterSight:
    """The groups by name, and how many there are of each type.

    `dropped` are above the limit, `unreadable` could not be described; `brokers` answered.
    """

    groups: tuple[GroupSight, ...]
    kinds: Counts
    dropped: int
    unreadable: int
    brokers: frozenset[int]


def see(cluster: LiveCluster, only: str | None = None, most: int = GROUPS_MAX) -> ClusterSight:
    """All groups that we may describe, or `only` one; raises `InputError` if the cluster does not answer."""
    listed = [each for each in list_groups(cluster) if only is None or each.name == only]
    kinds = dict.fromkeys((CLASSIC, CONSUMER, SHARE, STREAMS, OTHER), 0)
    for each in listed:
        kinds[kind_of(each)] += 1
    known = [each for each in listed if kind_of(each) != OTHER]
    kept = known[:most]
    consumers = [each for each in kept if each.is_of_consumers]
    described: dict[str, LiveGroup | LiveOther | InputError] = {**describe_listed(cluster, consumers)}
    described |= describe_listed_others(cluster, [each for each in kept if not each.is_of_consumers])
    groups = {name: each for name, each in described.items() if not isinstance(each, InputError)}
    subscribed, counts, brokers = _topics(cluster, groups.values())
    return ClusterSight(
        tuple(
            _consumers(each, subscribed[name], counts)
            if isinstance(each, LiveGroup)
            else _other(each, counts)
            for name, each in sorted(groups.items())
        ),
        kinds,
        len(known) - len(kept),
        len(kept) - len(groups),
        brokers,
    )


def kind_of(listed: ListedGroup) -> str:
    """The type of a listed group; one without a type is classic or of other clients."""
    kind = (listed.group_type or listed.protocol_type or CLASSIC).lower()
    if listed.is_of_consumers:
        return CONSUMER if listed.group_type.lower() == CONSUMER else CLASSIC
    return kind if kind in (SHARE, STREAMS) else OTHER


def _topics(
    cluster: LiveCluster, groups: Iterable[LiveGroup | LiveOther]
) -> tuple[dict[str, dict[str, tuple[str, ...]]], Counts, frozenset[int]]:
    """The topics of each member of each group of consumers, all topics' partitions, and the brokers."""
    groups = tuple(groups)
    consumers = [each for each in groups if isinstance(each, LiveGroup)]
    wants_all = any(member.regex for group in consumers for member in group.members)
    answer: Any = cluster.metadata(None if wants_all else sorted(set(_named(groups))))
    names = topic_names(answer) if wants_all else ()
    subscribed = {each.name: resolved(each, lambda: names) for each in consumers}
    counts = {str(each.name): len(each.partitions) for each in answer.topics if not each.error_code}
    return subscribed, counts, frozenset(each.node_id for each in answer.brokers)


def _named(groups: Iterable[LiveGroup | LiveOther]) -> Iterable[str]:
    """The topics that the groups' members name or own."""
    for group in groups:
        if isinstance(group, LiveOther):
            yield from (topic for topics in group.subscriptions.values() for topic in topics)
        else:
            for member in group.members:
                yield from (*(member.topics or ()), *(tp.topic for tp in member.owned))


def _consumers(group: LiveGroup, subscribed: Mapping[str, tuple[str, ...]], counts: Counts) -> GroupSight:
    """A group of consumers; a member whose subscription is not known reads what the group owns."""
    everything = tuple(sorted({tp.topic for member in group.members for tp in member.owned}))
    members = tuple(
        MemberSight(
            each.instance_id or each.member_id,
            tuple(name for name in topics if name in counts)
            if (topics := subscribed.get(each.member_id)) is not None
            else everything,
            tuple(sorted(each.owned)),
        )
        for each in group.members
    )
    kind = CONSUMER if group.is_consumer else CLASSIC
    return GroupSight(group.name, kind, group.state, group.strategy, *_sorted(members, counts))


def _other(other: LiveOther, counts: Counts) -> GroupSight:
    """A share group or a Streams group."""
    group = other.group
    owned = {row.member: tuple(sorted(TopicPartition(*tp) for tp in row.of(ACTIVE))) for row in group.members}
    if group.kind != SHARE:
        ahead = {TopicPartition(*tp) for row in group.members for tp in row.of(f"TARGET-{ACTIVE}")}
        tasks = numbers_by_topic(ahead.union(*owned.values()))
        counts = {name: max(numbers) + 1 for name, numbers in tasks.items()}
    every = tuple(counts)
    members = tuple(
        MemberSight(
            member,
            tuple(name for name in other.subscriptions[member] if name in counts)
            if group.kind == SHARE
            else every,
            tps,
        )
        for member, tps in owned.items()
    )
    return GroupSight(group.name, group.kind, group.state or "", group.assignor, *_sorted(members, counts))


def _sorted(
    members: Iterable[MemberSight], counts: Counts
) -> tuple[tuple[MemberSight, ...], tuple[tuple[str, int], ...]]:
    """The members by name, and the partitions of what they read or own."""
    members = tuple(sorted(members, key=lambda each: each.name))
    last = {tp.topic: tp.partition + 1 for tp in sorted(tp for each in members for tp in each.owned)}
    read = {topic for each in members for topic in each.topics} | last.keys()
    return members, tuple((name, max(counts.get(name, 0), last.get(name, 0))) for name in sorted(read))
