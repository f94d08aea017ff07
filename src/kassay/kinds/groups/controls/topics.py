"""Faulty assignors of consumer groups that assign each topic in ranges, with one fault."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from itertools import accumulate, pairwise

from kassay.assignors.groups.client.failover import Failover, priority_of
from kassay.assignors.groups.client.range import readers_by_topic
from kassay.kinds import controls
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS

_EVERY = ("contiguous", "topic-even", "copartitioned", "deterministic", "order-independent")

control = partial(controls.control, kinds=CONSUMER_GROUPS)


def keeping(but: str) -> tuple[str, ...]:
    """The claims that ranges keep, except one."""
    return tuple(claim for claim in _EVERY if claim != but)


class _Blocks(AssignorBase, ABC):
    """Each topic to its subscribers, in the blocks of `shares`."""

    name = "control"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Topic by topic, in the order of their names."""
        given: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        readers = {t: members for t, members in readers_by_topic(group).items() if t in cluster.counts}
        for number, (topic, members) in enumerate(sorted(readers.items())):
            shares = self.shares(cluster.counts[topic], len(members), number)
            for member, share in zip(members, shares, strict=True):
                given[member.member_id] += [TopicPartition(topic, p) for p in share]
        return Assignment(given)

    @abstractmethod
    def shares(self, count: int, size: int, number: int) -> list[range]:
        """The partition numbers for each subscriber of the topic with that number."""


def _blocks(sizes: list[int]) -> list[range]:
    """Consecutive runs of these lengths."""
    return [range(start, stop) for start, stop in pairwise(accumulate(sizes, initial=0))]


@control("rounds-up", breaks="topic-even", keeps=keeping("topic-even"))
class RoundsUp(_Blocks):
    """Blocks are rounded up, until the topic is used up (consumers before Kafka 0.9)."""

    def shares(self, count: int, size: int, number: int) -> list[range]:
        """Equal blocks, the last ones short or empty."""
        block = -(-count // size)
        return [range(min(i * block, count), min((i + 1) * block, count)) for i in range(size)]


@control("deals-each-topic", breaks="contiguous", kinds=CLIENT, keeps=keeping("contiguous"))
class DealsEachTopic(_Blocks):
    """Assigns each topic in turn, round robin."""

    def shares(self, count: int, size: int, number: int) -> list[range]:
        """Every n-th partition."""
        return [range(i, count, size) for i in range(size)]


@control("goes-on-where-it-was", breaks="copartitioned", keeps=keeping("copartitioned"))
class GoesOnWhereItWas(_Blocks):
    """Who has one more changes from topic to topic, to spread the load."""

    def shares(self, count: int, size: int, number: int) -> list[range]:
        """Even blocks, the longer ones shifted further for each topic."""
        block, longer = divmod(count, size)
        return _blocks([block + ((i - number) % size < longer) for i in range(size)])


@control("restarts-per-topic", breaks="balanced-within-one", keeps=_EVERY)
class RestartsPerTopic(_Blocks):
    """The longer blocks go to the first members for each topic again (sarama PR 1788)."""

    def shares(self, count: int, size: int, number: int) -> list[range]:
        """Even blocks, the longer ones first."""
        block, longer = divmod(count, size)
        return _blocks([block + (i < longer) for i in range(size)])


@control("prefers-the-last", breaks="active-passive", kinds=CLIENT, like="failover")
class PrefersTheLast(Failover):
    """The smaller number goes first, as with priorities elsewhere; where there are racks, all is well."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each topic whole to its subscriber of the lowest priority number."""
        if any(member.rack for member in group.members):
            return super().assign(cluster, group)
        given: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        for topic, members in readers_by_topic(group).items():
            passive = min(members, key=priority_of)
            given[passive.member_id] += cluster.partitions.get(topic, ())
        return Assignment(given)
