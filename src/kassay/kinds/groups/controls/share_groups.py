"""Faulty assignors of share groups: the simple or the optimal rule with one fault."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from itertools import pairwise, permutations

from kassay.assignors.groups.server.optimal_share import OptimalShare
from kassay.assignors.groups.server.share_simple import ShareSimple
from kassay.kinds import controls
from kassay.kinds.groups.controls.consumers import PartitionsByMember, Spoilt
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import Assignor
from kassay.model.groups.group import Group
from kassay.model.groups.kinds import SHARE

control = partial(controls.control, kinds=SHARE, like="share-simple@4.0")


class _SpoiltShares(Spoilt):
    """The simple assignor, whose answer is then changed."""

    def sound(self) -> Assignor:
        """Kafka's rule."""
        return ShareSimple()


def _without_one(answer: PartitionsByMember, ids: Iterable[str]) -> PartitionsByMember:
    """The answer without the first of these members' partitions, where other members have them too."""
    for member_id in ids:
        others = {tp for other, tps in answer.items() if other != member_id for tp in tps}
        if answer.get(member_id) and others.issuperset(answer[member_id]):
            return {**answer, member_id: ()}
    return answer


@control("names-a-stranger", breaks="members")
class NamesAStrangerToo(_SpoiltShares):
    """The answer has an entry for a name that is no member."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One entry too many."""
        return {**answer, "stranger": ()}


@control("repeats-itself", breaks="single-owner")
class RepeatsItself(_SpoiltShares):
    """The last partition of each member is listed twice."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One partition too many for every member."""
        return {m: (*tps, max(tps)) if tps else () for m, tps in answer.items()}


@control("counts-to-the-end", breaks="exists")
class SharesToTheEnd(_SpoiltShares):
    """Partition numbers run to the count itself."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One partition too many of each member's last topic."""
        beyond = {t: TopicPartition(t, count) for t, count in cluster.counts.items()}
        return {m: (*tps, beyond[max(tps).topic]) if tps else () for m, tps in answer.items()}


@control("shares-with-all", breaks="subscribed")
class SharesWithAll(_SpoiltShares):
    """Everybody gets what anybody reads."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """All partitions to all members."""
        everything = tuple(sorted({tp for tps in answer.values() for tp in tps}))
        return dict.fromkeys(answer, everything)


@control("loses-last", breaks="complete")
class SharesAllButLast(_SpoiltShares):
    """The last partition of all is forgotten."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer without that partition, for every member."""
        last = max((tp for tps in answer.values() for tp in tps), default=None)
        return {m: tuple(tp for tp in tps if tp != last) for m, tps in answer.items()}


class _SpoiltOptimum(Spoilt):
    """The optimal share assignor, whose answer is sometimes changed."""

    def sound(self) -> Assignor:
        """The optimum."""
        return OptimalShare()


def _compared(cluster: Cluster, group: Group) -> list[tuple[list[TopicPartition], list[str]]]:
    """Partitions and their subscribers: all together where all subscribe to the same, else topic by topic."""
    parts = [
        (
            [tp for tp in cluster.partitions[t] if group.assignable is None or tp in group.assignable],
            sorted(ids),
        )
        for t, ids in sorted(group.subscribers.items())
        if t in cluster.partitions
    ]
    if group.equal_subscriptions and parts:
        parts = [([tp for tps, _ in parts for tp in tps], parts[0][1])]
    return [(tps, readers) for tps, readers in parts if tps]


def _owned_if_even(cluster: Cluster, group: Group, off_by: int, apart: int) -> PartitionsByMember | None:
    """What all members own, if that is even enough.

    The members of a partition may differ from the even number by `off_by`, the counts of two members by
    `apart`.
    """
    had = {member.member_id: frozenset(member.owned) for member in group.members}
    kept: dict[str, list[TopicPartition]] = {member_id: [] for member_id in had}
    for tps, readers in _compared(cluster, group):
        copies = -(-len(readers) // len(tps))
        sharing = [sum(tp in had[m] for m in readers) for tp in tps]
        counts = [len(had[m].intersection(tps)) for m in readers]
        few, many = max(1, copies - off_by), copies + off_by
        if min(sharing) < few or max(sharing) > many or max(counts) - min(counts) > apart:
            return None
        for m in readers:
            kept[m] += [tp for tp in tps if tp in had[m]]
    return {m: tuple(tps) for m, tps in kept.items()}


@control("prefers-a-partition", breaks="shared-evenly", like="optimal-share")
class PrefersAPartition(_SpoiltOptimum):
    """One member has one partition in place of another, which then has two members fewer; and keeps it."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One copy of a partition exchanged for one of another that has as many."""
        kept = _owned_if_even(cluster, group, off_by=1, apart=1)
        if kept is not None:
            return kept
        for tps, readers in _compared(cluster, group):
            copies = {tp: [m for m in readers if tp in answer.get(m, ())] for tp in tps}
            for worse, better in pairwise(tps):
                movers = [m for m in copies[worse] if m not in copies[better]]
                if movers and 1 < len(copies[worse]) <= len(copies[better]):
                    rest = tuple(tp for tp in answer[movers[0]] if tp != worse)
                    return {**answer, movers[0]: (*rest, better)}
        return answer


@control("prefers-a-member", breaks="balanced-within-one", like="optimal-share")
class PrefersAMember(_SpoiltOptimum):
    """Of two members with as many partitions one gets one of the other's, and so it stays."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One copy of a partition moved to the other member."""
        kept = _owned_if_even(cluster, group, off_by=0, apart=2)
        if kept is not None:
            return kept
        for tps, readers in _compared(cluster, group):
            given = {m: [tp for tp in tps if tp in answer.get(m, ())] for m in readers}
            for rich, poor in permutations(readers, 2):
                moved = [tp for tp in given[poor] if tp not in given[rich]]
                if moved and len(given[rich]) == len(given[poor]):
                    rest = tuple(tp for tp in answer[poor] if tp != moved[0])
                    return {**answer, poor: rest, rich: (*answer[rich], moved[0])}
        return answer


def _is_stable(group: Group, answer: PartitionsByMember) -> bool:
    """Whether every member keeps what it owns, and gets no more."""
    return all(set(answer.get(m.member_id, ())) == set(m.owned) for m in group.members)


def _exchanged(cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
    """The answer with copies of two members exchanged, so that one more copy is taken back."""
    had = {member.member_id: frozenset(member.owned) for member in group.members}
    for tps, readers in _compared(cluster, group):
        given = {m: [tp for tp in tps if tp in answer.get(m, ())] for m in readers}
        for one, other in permutations(readers, 2):
            for lost in sorted(had[one].intersection(given[one]).difference(given[other], had[other])):
                for got in sorted(set(given[other]).difference(given[one], had[one])):
                    return {
                        **answer,
                        one: (*(tp for tp in answer[one] if tp != lost), got),
                        other: (*(tp for tp in answer[other] if tp != got), lost),
                    }
    return answer


@control("shuffles-the-moved", breaks="fewest-taken-back", like="optimal-share")
class ShufflesTheMoved(_SpoiltOptimum):
    """Where something has to change, one copy more than that changes hands."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Two copies exchanged, unless the group is stable."""
        return answer if _is_stable(group, answer) else _exchanged(cluster, group, answer)


@control("never-rests", breaks="stable", like="optimal-share")
class SharesAnew(_SpoiltOptimum):
    """Where nothing has to change, two copies change hands all the same."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Two copies exchanged where the group is stable."""
        return _exchanged(cluster, group, answer) if _is_stable(group, answer) else answer


@control("chokes-on-one", breaks="total")
class ChokesOnOne(_SpoiltShares):
    """A group of one makes it fail."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, if the group has several members."""
        if len(group.members) == 1:
            raise ValueError("no other member to share with")
        return answer


@control("waits-for-ever", breaks="terminates")
class SharesNever(_SpoiltShares):
    """It waits for a partition for everybody where a topic has fewer of them than readers."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, where every subscriber could have a partition of each topic."""
        while any(len(readers) > cluster.counts.get(t, 1) > 0 for t, readers in group.subscribers.items()):
            time.sleep(1)
        return answer


@control("remembers", breaks="pure")
class RemembersShares(_SpoiltShares):
    """A second call with the same input returns another answer."""

    def __init__(self) -> None:
        self._last: tuple[Cluster, Group] | None = None

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One member gets nothing where the last call had the same input."""
        again, self._last = self._last == (cluster, group), (cluster, group)
        return _without_one(answer, sorted(answer)) if again else answer


@control("follows-hashes", breaks="deterministic")
class SharesByHashes(_SpoiltShares):
    """Who gets nothing is said by a hash set, another one in each process."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer without the partitions of the first member in hash order."""
        return _without_one(answer, sorted(answer, key=hash))


@control("spares-first-listed", breaks="order-independent")
class SparesFirstListed(_SpoiltShares):
    """Whoever is listed first gets nothing that others have too."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer without the partitions of the first member listed."""
        return _without_one(answer, [member.member_id for member in group.members])


@control("hands-out-the-withheld", breaks="assignable", like="optimal-share")
class HandsOutTheWithheld(_SpoiltOptimum):
    """What may not be given out is with a reader all the same, and stays there."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Each withheld partition for the subscribers that own it, or for the first one."""
        more: dict[str, list[TopicPartition]] = {m: list(tps) for m, tps in answer.items()}
        for topic, ids in group.subscribers.items() if group.assignable is not None else ():
            for tp in set(cluster.partitions.get(topic, ())).difference(group.assignable or ()):
                for m in [m for m in ids if tp in group.by_id[m].owned] or sorted(ids)[:1]:
                    more.setdefault(m, []).append(tp)
        return {m: tuple(sorted(set(tps))) for m, tps in more.items()}
