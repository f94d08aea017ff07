"""Facts derived from one assignment, computed once and shared by several claims, and its costs.

Costs of an assignment: moved partitions and rack mismatches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.lazy import lazy


@dataclass(frozen=True, eq=False)
class AssignmentFacts:
    """An assignment with the cluster and the group that the target received."""

    cluster: Cluster
    group: Group
    given: Assignment

    def then(self, cluster: Cluster, group: Group, given: Assignment) -> AssignmentFacts:
        """The next assignment; reuses these facts if every member gets the same partitions again."""
        following = AssignmentFacts(cluster, group, given)
        following.__dict__["repeats"] = (
            cluster is self.cluster
            and self.group.ids == group.ids
            and self.group.listed == group.listed
            and (given == self.given or self._is_reordered(following))
        )
        if following.repeats:
            following.__dict__.update(
                {name: self.__dict__[name] for name in _ORDERLESS if name in self.__dict__}
            )
        return following

    def _is_reordered(self, then: AssignmentFacts) -> bool:
        """Whether both assign the same partitions to the same members, in a different order."""
        return (
            self.given.keys() == then.given.keys()
            and self.is_given_once
            and then.is_given_once
            and self.owners == then.owners
        )

    @lazy
    def repeats(self) -> bool:
        """Whether the previous assignment gave every member the same partitions."""
        return False

    @lazy
    def owners(self) -> dict[TopicPartition, str]:
        """The owner of each assigned partition; with several, the last listed. Treat as read-only."""
        return self.given.owners()

    @lazy
    def by_number(self) -> dict[str, tuple[str | None, ...]]:
        """The owners of each existing subscribed topic, by partition number; treat as read-only."""
        return self._in_full or {topic: tuple(map(self.owners.get, tps)) for topic, tps in self._read.items()}

    @lazy
    def _read(self) -> dict[str, tuple[TopicPartition, ...]]:
        """The partitions of each existing subscribed topic."""
        readers = self.group.subscribers
        return {topic: tps for topic, tps in self.cluster.partitions.items() if topic in readers}

    @lazy
    def _in_full(self) -> dict[str, tuple[str | None, ...]] | None:
        """The owners by topic and number if every partition has one (the usual case), else None."""
        owners = self.owners
        try:
            # With a single key, `itemgetter` returns the bare value instead of a tuple.
            return {
                topic: itemgetter(*tps)(owners) if len(tps) > 1 else (owners[tps[0]],)
                for topic, tps in self._read.items()
            }
        except KeyError:
            return None

    @lazy
    def is_given_once(self) -> bool:
        """Whether no partition is assigned twice."""
        return len(self.owners) == sum(map(len, self.given.values()))

    @lazy
    def left(self) -> int:
        """The number of unassigned partitions of subscribed topics."""
        return 0 if self._in_full is not None else sum([row.count(None) for row in self.by_number.values()])

    @lazy
    def is_of_read_topics(self) -> bool:
        """Whether every assigned partition exists and its topic has a subscriber."""
        return len(self.owners) + self.left == sum(map(len, self._read.values()))

    @lazy
    def is_sound(self) -> bool:
        """Whether each assigned partition exists and goes to exactly one member, which subscribes to it."""
        if not (self.is_given_once and self.is_of_read_topics):
            return False
        readers, owners, known = self.group.subscribers, self.by_number, self.group.by_id
        if known.keys() >= self.given.keys():
            # All owners are members of the group, so topics that all members subscribe to need no check.
            owners = {topic: row for topic, row in owners.items() if len(readers[topic]) < len(known)}
        return all({*readers[topic], None}.issuperset(row) for topic, row in owners.items())

    @lazy
    def is_whole(self) -> bool:
        """Whether the assignment is sound and covers every partition of every subscribed topic."""
        return self.is_sound and not self.left

    @lazy
    def loads(self) -> dict[str, int]:
        """The number of partitions of each member of the group; treat as read-only."""
        ids = self.group.ids
        return dict(zip(ids, map(len, self.given.each(ids))))

    def with_other_ownership(self, cluster: Cluster, owning: Sequence[Member]) -> Sequence[Member]:
        """The members that report other partitions than this assignment gave them, or changed subscription.

        Returns all members if this assignment is not sound, or if some subscribed partitions no longer exist.
        """
        if not self.is_sound or not (cluster is self.cluster or self._is_there_in(cluster)):
            return owning
        by_id, given = self.group.by_id, self.given.each([member[0] for member in owning])
        return [
            member
            for member, had in zip(owning, given)
            if member[2] is not had or member[1] is not by_id[member[0]][1]
        ]

    def is_owned_by_two(self, owning: Iterable[Member], changed: Collection[Member]) -> bool:
        """Whether two members report one partition, if all others own what they got here.

        The others are the members of `owning` that are not in `changed`.
        """
        others = {member[0] for member in owning}.difference([member[0] for member in changed])
        owner, owned = self.owners.get, [tp for member in changed for tp in member[2]]
        return len(set(owned)) < len(owned) or any(owner(tp) in others for tp in owned)

    def _is_there_in(self, cluster: Cluster) -> bool:
        """Whether every partition of the subscribed topics exists in `cluster` too."""
        counts = cluster.counts
        return all(counts.get(topic, 0) >= len(owners) for topic, owners in self.by_number.items())


_ORDERLESS: Final = (
    "owners",
    "by_number",
    "counted",
    "is_given_once",
    "left",
    "is_of_read_topics",
    "is_sound",
    "loads",
)
"""Facts that do not depend on the order of the assignment."""


def moved(assignment: Assignment, previous: Mapping[TopicPartition, str]) -> list[TopicPartition]:
    """The partitions that left their previous owner, in order."""
    held = {member_id: frozenset(tps) for member_id, tps in assignment.items()}
    return sorted(tp for tp, owner in previous.items() if tp not in held.get(owner, ()))


def rack_mismatches(cluster: Cluster, group: Group, assignment: Assignment) -> list[TopicPartition]:
    """Partitions with known replica racks whose owner is in none of those racks, in order.

    An owner without a rack counts as a mismatch; a partition without replica racks never does.
    """
    racks = cluster.replica_racks
    if not racks:
        return []
    by_id = group.by_id
    mismatched = []
    for member_id, tps in assignment.items():
        rack = by_id[member_id].rack if member_id in by_id else None
        for tp in tps:
            of_topic = racks.get(tp[0], ())
            if 0 <= tp[1] < len(of_topic) and of_topic[tp[1]] and rack not in of_topic[tp[1]]:
                mismatched.append(tp)
    return sorted(mismatched)
