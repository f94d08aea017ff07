"""What one answer gives to whom: facts that several claims ask for, each of them found once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.lazy import lazy


@dataclass(frozen=True, eq=False)
class Dealt:
    """An answer, with the cluster and the group to which it was given."""

    cluster: Cluster
    group: Group
    given: Assignment

    def then(self, cluster: Cluster, group: Group, given: Assignment) -> Dealt:
        """The next answer: one that gives everybody the same again is known as this one is."""
        dealt = Dealt(cluster, group, given)
        mine, theirs = self.group.members, group.members
        dealt.__dict__["repeats"] = (
            cluster is self.cluster
            and [member[0] for member in mine] == [member[0] for member in theirs]
            and [member[1] for member in mine] == [member[1] for member in theirs]
            and (given == self.given or self._is_reordered(dealt))
        )
        if dealt.repeats:
            dealt.__dict__.update({name: self.__dict__[name] for name in _ORDERLESS if name in self.__dict__})
        return dealt

    def _is_reordered(self, then: Dealt) -> bool:
        """Whether both give the same to the same, in another order."""
        return (
            self.given.keys() == then.given.keys()
            and self.is_given_once
            and then.is_given_once
            and self.owners == then.owners
        )

    @lazy
    def repeats(self) -> bool:
        """Whether it follows an answer that gave everybody the same."""
        return False

    @lazy
    def owners(self) -> dict[TopicPartition, str]:
        """The owner of each partition that is given out, the last listed; treat as read-only."""
        return self.given.owners()

    @lazy
    def by_number(self) -> dict[str, list[str | None]]:
        """Of each known topic that is read, the owners of its partitions by number; treat as read-only."""
        readers, owner = self.group.subscribers, self.owners.get
        return {
            topic: list(map(owner, tps)) for topic, tps in self.cluster.partitions.items() if topic in readers
        }

    @lazy
    def is_given_once(self) -> bool:
        """Whether no partition is given out twice."""
        return len(self.owners) == sum(map(len, self.given.values()))

    @lazy
    def left(self) -> int:
        """How many partitions that somebody reads nobody was given."""
        return sum([owners.count(None) for owners in self.by_number.values()])

    @lazy
    def is_of_read_topics(self) -> bool:
        """Whether every partition that is given out is there, and somebody reads its topic."""
        return len(self.owners) + self.left == sum(map(len, self.by_number.values()))

    @lazy
    def is_sound(self) -> bool:
        """Whether what is given out is there, goes to members that read it, and none of it to two."""
        if not (self.is_given_once and self.is_of_read_topics):
            return False
        readers = self.group.subscribers
        if self.group.equal_subscriptions and self.group.by_id.keys() >= self.given.keys():
            return True
        return all({*readers[topic], None}.issuperset(owners) for topic, owners in self.by_number.items())

    @lazy
    def is_whole(self) -> bool:
        """Whether it is sound, and nothing that somebody reads is left."""
        return self.is_sound and not self.left

    @lazy
    def loads(self) -> dict[str, int]:
        """Partitions a member of the group; treat as read-only."""
        sizes = dict(zip(self.given, map(len, self.given.values())))
        return {member[0]: sizes.get(member[0], 0) for member in self.group.members}

    def is_held_by(self, cluster: Cluster, group: Group) -> bool:
        """Whether each member of the group claims nothing, or all that it was given here, and may.

        False says nothing where members claim something else.
        """
        if not self.is_sound or not (cluster is self.cluster or self._is_there_in(cluster)):
            return False
        by_id, given, latest = self.group.by_id, self.given.get, max([m[3] for m in group.members], default=0)
        for member_id, topics, owned, generation, *_ in group.members:
            if owned and (
                generation != latest or owned is not given(member_id) or topics is not by_id[member_id].topics
            ):
                return False
        return True

    def _is_there_in(self, cluster: Cluster) -> bool:
        """Whether all that is read here is there as well."""
        counts = cluster.counts
        return all(counts.get(topic, 0) >= len(owners) for topic, owners in self.by_number.items())


_ORDERLESS: Final = ("owners", "by_number", "is_given_once", "left", "is_of_read_topics", "is_sound", "loads")
"""Facts that are the same whatever the order of what is given."""
