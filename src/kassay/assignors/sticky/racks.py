"""The racks that the sticky assignors use.

Racks are matched if a member has a rack, some replica is in such a rack, and the partitions do not all
have the same racks. A member without a rack mismatches nothing.
Source: Kafka client `AbstractStickyAssignor.RackInfo` 3.9.1; KIP-881.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from kassay.assignors.client.range_racks import worth_matching
from kassay.assignors.sticky.claims import Partitions
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Member

_NOWHERE: Final[frozenset[str]] = frozenset()


class RackInfo:
    """The racks of members and partitions; both empty where racks are not matched."""

    def __init__(
        self, members: Mapping[str, str], partitions: Mapping[TopicPartition, frozenset[str]]
    ) -> None:
        self.members = members
        self._partitions = partitions
        self._readers = Counter(members.values())

    @classmethod
    def of(
        cls, cluster: Cluster, partitions: Partitions, members: Iterable[Member], *, prefer: bool
    ) -> RackInfo:
        """The racks to match for these members and topics; `prefer` matches even where it has no effect."""
        racks = {member.member_id: member.rack for member in members if member.rack}
        if not racks:
            return NO_RACKS
        known = cluster.replica_racks
        by_partition = {
            tp: known[topic][tp.partition] if topic in known else _NOWHERE
            for topic, tps in partitions.items()
            for tp in tps
        }
        if not worth_matching(racks.values(), by_partition.values(), prefer=prefer):
            return NO_RACKS
        return cls(racks, by_partition)

    def of_partition(self, tp: TopicPartition) -> frozenset[str]:
        """The racks with a replica of the partition."""
        return self._partitions.get(tp, _NOWHERE)

    def mismatch(self, member_id: str, tp: TopicPartition) -> bool:
        """Whether the member has a rack and the partition no replica in it."""
        rack = self.members.get(member_id)
        return rack is not None and rack not in self.of_partition(tp)

    def rarest_first(self, tps: list[TopicPartition]) -> list[TopicPartition]:
        """The partitions by the number of members in one of their racks; equal ones keep their order."""
        return sorted(tps, key=lambda tp: sum(self._readers[rack] for rack in self.of_partition(tp)))

    def next_member(self, tp: TopicPartition, member_ids: Sequence[str], first: int) -> int | None:
        """The place of the next member in a rack of the partition, going round from `first`."""
        racks = self.of_partition(tp)
        size = len(member_ids)
        if not racks:
            return None
        places = chain(range(first, size), range(min(first, size)))
        return next((place for place in places if self.members.get(member_ids[place]) in racks), None)


NO_RACKS: Final = RackInfo({}, {})
