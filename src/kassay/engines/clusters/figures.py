"""Figures of one assignment of a group: loads by partitions, by topic and by lag, and reads within a rack.

A member reads a partition within its rack if the replica that it fetches from is there. That is the leader,
unless the brokers have a rack-aware replica selector and the member a `client.rack` (KIP-392): then it is any
in-sync replica. Both are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, filterfalse, repeat
from operator import itemgetter
from typing import Any, Final, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.metrics import rack_mismatches

FOLLOWER: Final = "follower"
LEADER: Final = "leader"


class TopicLoads(NamedTuple):
    """How many partitions of a topic its least and its most loaded subscriber have."""

    topic: str
    least: int
    most: int

    @property
    def spread(self) -> int:
        """The largest number minus the smallest."""
        return self.most - self.least

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the topic."""
        return {"topic": self.topic, "least": self.least, "most": self.most}


class MemberLags(NamedTuple):
    """The lag of the members, in records.

    `unknown` partitions have no lag in the input, so that each sum is a lower bound.
    """

    least: int
    most: int
    busiest: str
    unknown: int

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the lags."""
        return {
            "least": self.least,
            "most": self.most,
            "busiest": self.busiest,
            "unknown_partitions": self.unknown,
        }


class Loads(NamedTuple):
    """The loads of all members: their spread, and the member with most. `idle` members own nothing.

    `topics` are the topics, the most uneven first; `lag` is None if the input has no lags.
    """

    members: int
    partitions: int
    least: int
    most: int
    busiest: str
    idle: tuple[str, ...]
    topics: tuple[TopicLoads, ...] = ()
    lag: MemberLags | None = None

    @property
    def spread(self) -> int:
        """The largest load minus the smallest."""
        return self.most - self.least

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the loads."""
        return {
            "members": self.members,
            "partitions": self.partitions,
            "least": self.least,
            "most": self.most,
            "spread": self.spread,
            "busiest": self.busiest,
            "idle": list(self.idle),
            "topics": [each.to_json() for each in self.topics],
            "lag": None if self.lag is None else self.lag.to_json(),
        }


@dataclass(frozen=True)
class LagsAndLeaders:
    """By what an assignment is measured next to counts: lags in records, and the rack of each leader.

    `lags` is None if no output has one; `leaders` has the partitions whose leader's rack is known, with ""
    where there is no leader. `readable` are the racks of the replicas that members can fetch from, of the
    partitions where these are fewer than those of all replicas.
    """

    lags: Mapping[TopicPartition, int] | None = None
    leaders: Mapping[TopicPartition, str] = field(default_factory=dict)
    readable: Mapping[TopicPartition, frozenset[str]] = field(default_factory=dict)


PLAIN: Final = LagsAndLeaders()


def loads_of(
    members: Iterable[str],
    assignment: Mapping[str, tuple[TopicPartition, ...]],
    subscribers: Mapping[str, Sequence[str]] | None = None,
    scales: LagsAndLeaders = PLAIN,
) -> Loads:
    """The loads of these members (at least one); by topic if the `subscribers` of each are given."""
    loads = {member_id: len(assignment.get(member_id, ())) for member_id in sorted(members)}
    busiest = max(loads, key=lambda member_id: loads[member_id])
    return Loads(
        len(loads),
        sum(loads.values()),
        min(loads.values()),
        loads[busiest],
        busiest,
        tuple(member_id for member_id, load in loads.items() if not load),
        () if subscribers is None else _by_topic(subscribers, assignment),
        None if scales.lags is None else _lags(loads, assignment, scales.lags),
    )


def _by_topic(
    subscribers: Mapping[str, Sequence[str]], assignment: Mapping[str, tuple[TopicPartition, ...]]
) -> tuple[TopicLoads, ...]:
    counts = {topic: dict.fromkeys(ids, 0) for topic, ids in subscribers.items()}
    for member_id, tps in assignment.items():
        for topic, number in Counter(map(itemgetter(0), tps)).items():
            if topic in counts:
                counts[topic][member_id] = number
    topics = [TopicLoads(topic, min(own.values()), max(own.values())) for topic, own in counts.items() if own]
    return tuple(sorted(topics, key=lambda each: (-each.spread, each.topic)))


def _lags(
    members: Iterable[str],
    assignment: Mapping[str, tuple[TopicPartition, ...]],
    lags: Mapping[TopicPartition, int],
) -> MemberLags:
    lag_of, none = lags.get, repeat(0)
    sums = {member_id: sum(map(lag_of, assignment.get(member_id, ()), none)) for member_id in members}
    busiest = max(sums, key=sums.__getitem__)
    every = chain.from_iterable(assignment.values())
    unknown = sum(1 for _ in filterfalse(lags.__contains__, every))
    return MemberLags(min(sums.values()), sums[busiest], busiest, unknown)


class Racks(NamedTuple):
    """Partitions with a replica in their owner's rack, of those for which that is known.

    `led` counts those whose leader is there, None if no output says where the leaders are.
    """

    matched: int
    of: int
    led: int | None = None

    def to_json(self) -> dict[str, int | None]:
        """JSON fields of the rack matches."""
        return {"matched": self.matched, "of": self.of, "led": self.led}


def racks_of(
    cluster: Cluster, group: Group, assignment: Assignment, scales: LagsAndLeaders = PLAIN
) -> Racks | None:
    """The rack matches; None if the racks of replicas or of members are unknown."""
    racks = cluster.replica_racks
    if not any(member.rack for member in group.members):
        return None
    known = [
        tp
        for tps in assignment.values()
        for tp in tps
        if tp.topic in racks and tp.partition < len(racks[tp.topic]) and racks[tp.topic][tp.partition]
    ]
    if not known:
        return None
    apart = {*rack_mismatches(cluster, group, assignment), *_unreadable(group, assignment, scales.readable)}
    return Racks(
        len(known) - len(apart.intersection(known)), len(known), _led(group, assignment, scales.leaders)
    )


def _unreadable(
    group: Group, assignment: Assignment, readable: Mapping[TopicPartition, frozenset[str]]
) -> Iterator[TopicPartition]:
    """The partitions of which no replica in the owner's rack can be fetched from."""
    rack_of = {member.member_id: member.rack for member in group.members}
    for member_id, tps in assignment.items() if readable else ():
        yield from (tp for tp in tps if tp in readable and rack_of.get(member_id) not in readable[tp])


def _led(group: Group, assignment: Assignment, leaders: Mapping[TopicPartition, str]) -> int | None:
    """How many partitions have their leader in the owner's rack."""
    if not leaders:
        return None
    rack_of = {member.member_id: member.rack for member in group.members}
    owned = ((tp, rack_of.get(member_id)) for member_id, tps in assignment.items() for tp in tps)
    return sum(rack is not None and leaders.get(tp) == rack for tp, rack in owned)
