"""Groups, their members, and assignments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import repeat
from typing import Final, NamedTuple, TypeVar, overload

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.lazy import lazy

NO_GENERATION = -1

T = TypeVar("T")


class Member(NamedTuple):
    """One member, as the leader sees it in the subscription.

    `owned` is what the member reports it owns and `generation` the effective generation of that report
    (KIP-792: from its subscription, else from its user data, else -1). The report may be stale and may name
    partitions that no longer exist, but never repeats a partition. `instance_id` makes the member static
    (KIP-345). `user_data` is what the member's assignor object returned.
    """

    member_id: str
    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION
    rack: str | None = None
    instance_id: str | None = None
    user_data: bytes | None = None


MEMBER_OF: Final = partial(tuple.__new__, Member)
"""`Member` from all its values in order, without a Python-level call per member."""


class SubscriptionType(StrEnum):
    """What a coordinator reports to a server-side assignor about the group's subscriptions (KIP-848)."""

    HOMOGENEOUS = "HOMOGENEOUS"
    HETEROGENEOUS = "HETEROGENEOUS"


@dataclass(frozen=True)
class Group:
    """The members in the order in which the leader's map iterates them, and the leader.

    The last three fields are for server-side assignors (KIP-848). `assigned`: partitions that the coordinator
    reports as assigned although no listed member owns them. `subscription_type`: what the coordinator reports
    about the subscriptions, or None to derive it from the members. `assignable`: the partitions that a share
    group may assign (KIP-932), or None for all.
    """

    members: tuple[Member, ...]
    leader: str | None = None
    assigned: frozenset[TopicPartition] = frozenset()
    subscription_type: SubscriptionType | None = None
    assignable: frozenset[TopicPartition] | None = None

    @lazy
    def ids(self) -> tuple[str, ...]:
        """The members' ids, in member order."""
        return tuple([member[0] for member in self.members])

    @lazy
    def listed(self) -> tuple[tuple[str, ...], ...]:
        """The topics that each member subscribes to, in member order."""
        return tuple([member[1] for member in self.members])

    @lazy
    def by_id(self) -> dict[str, Member]:
        """Members by id; treat as read-only."""
        return dict(zip(self.ids, self.members))

    @lazy
    def lists_alike(self) -> bool:
        """Whether the group has members and all of them list the same topics in the same order."""
        listed = self.listed
        return bool(listed) and listed.count(listed[0]) == len(listed)

    @lazy
    def subscribers(self) -> dict[str, tuple[str, ...]]:
        """For each subscribed topic, its subscribers' ids in member order; treat as read-only."""
        members = self.members
        if self.lists_alike:
            return dict.fromkeys(members[0].topics, self.ids)
        by_topic = defaultdict[str, list[str]](list)
        for member_id, topics, *_ in members:
            for topic in topics if len(set(topics)) == len(topics) else dict.fromkeys(topics):
                by_topic[topic].append(member_id)
        return {topic: tuple(ids) for topic, ids in by_topic.items()}

    @lazy
    def equal_subscriptions(self) -> bool:
        """Whether all members subscribe to the same set of topics."""
        if self.lists_alike:
            return True
        return len(set(map(frozenset, set(self.listed)))) <= 1

    @lazy
    def reported_owners(self) -> dict[TopicPartition, tuple[int, str | None]]:
        """For each reported partition, the highest generation reported for it and the member that reports it.

        The member is None if several report that generation; treat as read-only.
        """
        best: dict[TopicPartition, tuple[int, str | None]] = {}
        for member_id, _, owned, generation, *_ in self.members:
            for tp in owned:
                seen = best.get(tp)
                if seen is None or generation > seen[0]:
                    best[tp] = (generation, member_id)
                elif generation == seen[0]:
                    best[tp] = (generation, None)
        return best

    @lazy
    def homogeneous(self) -> bool:
        """Whether the coordinator reports that all members subscribe to the same topics."""
        if self.subscription_type is None:
            return self.equal_subscriptions
        return self.subscription_type is SubscriptionType.HOMOGENEOUS


def previous_owners(cluster: Cluster, group: Group) -> dict[TopicPartition, str]:
    """The previous owner of each partition that has a valid one.

    That is the only member that reports the partition at its highest reported generation, if that member
    still subscribes to the topic and the partition exists. A tie means that there is no previous owner
    (KIP-341, KIP-792).
    """
    by_id, counts = group.by_id, cluster.counts
    return {
        tp: owner
        for tp, (_, owner) in group.reported_owners.items()
        if owner is not None and tp[0] in by_id[owner].topics and 0 <= tp[1] < counts.get(tp[0], 0)
    }


_PARTITION_OF: Final = partial(tuple.__new__, TopicPartition)
"""`TopicPartition._make` without a Python-level call per partition."""


class Assignment(Mapping[str, tuple[TopicPartition, ...]]):
    """The partitions assigned to each member, in the order in which the assignor listed them.

    Equality respects the order inside each list but ignores the order of members; `same_sets` ignores both.
    `user_data` is what the assignor returns to individual members.
    """

    __slots__ = ("_given", "user_data")

    def __init__(
        self,
        given: Mapping[str, Iterable[TopicPartition]],
        user_data: Mapping[str, bytes] | None = None,
    ) -> None:
        self._given: dict[str, tuple[TopicPartition, ...]] = {
            member_id: tuple(tps) for member_id, tps in given.items()
        }
        self.user_data: dict[str, bytes] = dict(user_data or {})

    @classmethod
    def of(
        cls, pairs: Mapping[str, Iterable[tuple[str, int]]], user_data: Mapping[str, bytes] | None = None
    ) -> Assignment:
        """The assignment from pairs that are known to be (topic, partition)."""
        return cls({member_id: map(_PARTITION_OF, tps) for member_id, tps in pairs.items()}, user_data)

    def __getitem__(self, member_id: str) -> tuple[TopicPartition, ...]:
        return self._given[member_id]

    @overload
    def get(self, member_id: str, /) -> tuple[TopicPartition, ...] | None: ...
    @overload
    def get(
        self, member_id: str, /, default: tuple[TopicPartition, ...] | T
    ) -> tuple[TopicPartition, ...] | T: ...
    def get(self, member_id: str, /, default: object = None) -> object:
        """The partitions of the member, or the default if the answer has no entry for it."""
        return self._given.get(member_id, default)

    def each(self, member_ids: Iterable[str]) -> list[tuple[TopicPartition, ...]]:
        """The partitions of each of these members, in their order; empty for a member without an entry."""
        return list(map(self._given.get, member_ids, repeat(())))

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def items(self) -> ItemsView[str, tuple[TopicPartition, ...]]:
        """Member ids with their partitions, in the order of the answer."""
        return self._given.items()

    def keys(self) -> KeysView[str]:
        """The member ids, in the order of the answer."""
        return self._given.keys()

    def values(self) -> ValuesView[tuple[TopicPartition, ...]]:
        """The members' partitions, in the order of the answer."""
        return self._given.values()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Assignment):
            return NotImplemented
        return self._given == other._given

    def __hash__(self) -> int:
        return hash(frozenset(self._given.items()))

    def __repr__(self) -> str:
        inner = ", ".join(f"{member_id}: {' '.join(map(str, tps)) or '-'}" for member_id, tps in self.items())
        return f"Assignment({inner})"

    def same_sets(self, other: Assignment) -> bool:
        """Whether every member gets the same partitions, in any order."""
        mine, theirs = self._given, other._given
        if mine == theirs:
            return True
        if mine.keys() != theirs.keys():
            return False
        for member_id, tps in mine.items():
            others = theirs[member_id]
            if tps != others and (len(tps) != len(others) or not _is_reordered(tps, others)):
                return False
        return True

    def owners(self) -> dict[TopicPartition, str]:
        """The owner of each partition; with several, the last listed."""
        return {tp: member_id for member_id, tps in self._given.items() for tp in tps}


def _is_reordered(tps: tuple[TopicPartition, ...], others: tuple[TopicPartition, ...]) -> bool:
    """Whether these equally long lists hold the same partitions, each equally often."""
    if tps == others[::-1]:
        return True
    once = frozenset(tps)
    return once == frozenset(others) if len(once) == len(tps) else sorted(tps) == sorted(others)
