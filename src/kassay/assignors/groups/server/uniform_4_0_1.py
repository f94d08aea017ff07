"""Uniform since 4.0.1 (KAFKA-18688): where all members read the same topics, an extra partition stays.

Goals, in order: loads within one of each other, then few moves.
The quota is the share of each member rounded down, and one more for as many members as there are partitions
left over. Members in the order given may have an extra partition while one is left. A member that owns more
than the rounded share takes one; any other member does not, unless all members from it to the last are needed
to take the remaining ones. So an extra partition goes to a member that already owns it, and only then to the
last members.
What a member keeps, which partitions are free and the order in which they are assigned are as in
`uniform`, and so is the rule for members that read different topics: neither has changed since 4.0.0.
Source: Kafka `UniformHomogeneousAssignmentBuilder`, branch 4.4 (the same from 4.0.1 on).
Cost: O(M + P) for M members and P partitions, in lists and one set.
"""

from __future__ import annotations

from kassay.assignors.groups.server.topics import described_counts
from kassay.assignors.groups.server.uniform import Uniform, held_by, unowned, with_free
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SERVER


@reference(
    "uniform",
    kind=SERVER,
    claims=("balanced-within-one", "deterministic"),
    source="org.apache.kafka.coordinator.group.assignor.UniformAssignor",
    since="4.0.1",
)
class UniformStickyExtras(Uniform):
    """Spreads all partitions evenly over the members and leaves an extra one where it is."""

    def with_equal_subscriptions(self, cluster: Cluster, group: Group) -> Assignment:
        """The assignment by quota; empty if there is no topic to read.

        Raises `PartitionAssignorException` for an unknown topic, and when partitions that are owned twice or
        do not exist take the room of others.
        """
        topics = tuple(dict.fromkeys(group.members[0].topics))
        if not topics:
            return Assignment({})
        counts = described_counts(cluster, topics)
        size, extras = divmod(sum(map(counts.__getitem__, topics)), len(group.members))
        free = unowned(topics, counts, group)
        kept: dict[str, list[TopicPartition]] = {}
        room: list[tuple[str, int]] = []
        for place, member in enumerate(group.members):
            offered = extras > 0
            quota = size + offered
            held = held_by(member, topics)
            kept[member.member_id] = held[:quota]
            free += held[quota:]
            needed = len(group.members) - place <= extras
            taken = offered and (needed or len(held) >= quota)
            quota -= offered and not taken
            extras -= taken
            if len(held) < quota:
                room.append((member.member_id, quota - len(held)))
        return with_free(free, kept, room)
