"""Faulty assignors of share groups: everything to everybody, and then something done to the answer."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from kassay.assignors.server.share_simple import ShareSimple
from kassay.assignors.server.share_simple_4_2 import ShareEvenly
from kassay.certify.faulty import registry
from kassay.certify.faulty.groups import PartitionsByMember, Spoilt
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Group
from kassay.model.kinds import Kind

control = partial(registry.control, kinds=Kind.SHARE, like="share-simple@4.0")


class _SpoiltShares(Spoilt):
    """The simple assignor, and then something done to the answer."""

    sound = ShareSimple


def _sparing(answer: PartitionsByMember, ids: Iterable[str]) -> PartitionsByMember:
    """The answer in which the first of these members whose partitions others have too gets nothing."""
    for member_id in ids:
        others = {tp for other, tps in answer.items() if other != member_id for tp in tps}
        if answer.get(member_id) and others.issuperset(answer[member_id]):
            return {**answer, member_id: ()}
    return answer


@control("names-a-stranger", breaks="members")
class NamesAStrangerToo(_SpoiltShares):
    """There is an entry for somebody who is no member."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One entry too many."""
        return {**answer, "nobody": ()}


@control("repeats-itself", breaks="single-owner")
class RepeatsItself(_SpoiltShares):
    """The last partition of each member is listed twice."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """One partition too many for everybody."""
        return {m: (*tps, max(tps)) if tps else () for m, tps in answer.items()}


@control("counts-to-the-end", breaks="exists")
class SharesToTheEnd(_SpoiltShares):
    """Partition numbers run to the count itself."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """With a partition too many of each member's last topic."""
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
        """Without it, for everybody."""
        last = max((tp for tps in answer.values() for tp in tps), default=None)
        return {m: tuple(tp for tp in tps if tp != last) for m, tps in answer.items()}


class _SpoiltSharing(Spoilt):
    """The simple assignor since 4.2, and then something done to the answer."""

    sound = ShareEvenly


def _compared(cluster: Cluster, group: Group) -> list[tuple[list[TopicPartition], list[str]]]:
    """Partitions and their readers: all that is read where all read the same, else topic by topic."""
    read = {t: ids for t, ids in group.subscribers.items() if t in cluster.partitions}
    parts = [(list(cluster.partitions[t]), sorted(ids)) for t, ids in sorted(read.items())]
    if not group.equal_subscriptions or not parts:
        return parts
    return [([tp for tps, _ in parts for tp in tps], parts[0][1])]


@control("prefers-a-partition", breaks="shared-evenly", like="share-simple@4.2")
class PrefersAPartition(_SpoiltSharing):
    """Somebody has one partition in place of another, which then has two members fewer."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """With one copy of a partition exchanged for one of another that has as many."""
        for tps, readers in _compared(cluster, group):
            copies = {tp: [m for m in readers if tp in answer.get(m, ())] for tp in tps}
            for worse, better in pairwise(tps):
                movers = [m for m in copies[worse] if m not in copies[better]]
                if movers and 1 < len(copies[worse]) <= len(copies[better]):
                    kept = tuple(tp for tp in answer[movers[0]] if tp != worse)
                    return {**answer, movers[0]: (*kept, better)}
        return answer


@control("prefers-a-member", breaks="balanced-within-one", like="share-simple@4.2")
class PrefersAMember(_SpoiltSharing):
    """Who has most of all gets one more of who has least."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """With one copy of a partition in other hands."""
        for tps, readers in _compared(cluster, group):
            counts = {m: len(set(tps).intersection(answer.get(m, ()))) for m in readers}
            poor, rich = min(readers, key=counts.__getitem__), max(reversed(readers), key=counts.__getitem__)
            moved = [tp for tp in tps if tp in answer.get(poor, ()) and tp not in answer.get(rich, ())]
            if moved:
                kept = tuple(tp for tp in answer[poor] if tp != moved[0])
                return {**answer, poor: kept, rich: (*answer.get(rich, ()), moved[0])}
        return answer


@control("chokes-on-one", breaks="total")
class ChokesOnOne(_SpoiltShares):
    """A group of one makes it fail."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, if somebody shares."""
        if len(group.members) == 1:
            raise ValueError("nobody to share with")
        return answer


@control("waits-for-ever", breaks="terminates")
class SharesNever(_SpoiltShares):
    """It waits for a partition for everybody where a topic has fewer of them than readers."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """The answer, where everybody could have a partition of each topic."""
        while any(len(readers) > cluster.counts.get(t, 1) > 0 for t, readers in group.subscribers.items()):
            time.sleep(1)
        return answer


@control("remembers", breaks="pure")
class RemembersShares(_SpoiltShares):
    """Asked the same twice, it says something else."""

    def __init__(self) -> None:
        self._last: tuple[Cluster, Group] | None = None

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Somebody gets nothing where the question was the last one."""
        again, self._last = self._last == (cluster, group), (cluster, group)
        return _sparing(answer, sorted(answer)) if again else answer


@control("follows-hashes", breaks="deterministic")
class SharesByHashes(_SpoiltShares):
    """Who gets nothing is said by a hash set, another one in each process."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without the first in hash order."""
        return _sparing(answer, sorted(answer, key=hash))


@control("spares-first-listed", breaks="order-independent")
class SparesFirstListed(_SpoiltShares):
    """Whoever is listed first gets nothing that others have too."""

    def spoil(self, cluster: Cluster, group: Group, answer: PartitionsByMember) -> PartitionsByMember:
        """Without the first listed."""
        return _sparing(answer, [member.member_id for member in group.members])
