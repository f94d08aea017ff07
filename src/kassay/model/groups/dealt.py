"""What one answer gives to whom: facts that several claims ask for, each of them found once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group, Member
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
        dealt.__dict__["repeats"] = (
            cluster is self.cluster
            and self.group.ids == group.ids
            and self.group.listed == group.listed
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
    def by_number(self) -> dict[str, tuple[str | None, ...]]:
        """Of each known topic that is read, the owners of its partitions by number; treat as read-only."""
        return self._in_full or {topic: tuple(map(self.owners.get, tps)) for topic, tps in self._read.items()}

    @lazy
    def _read(self) -> dict[str, tuple[TopicPartition, ...]]:
        """The partitions of each known topic that is read."""
        readers = self.group.subscribers
        return {topic: tps for topic, tps in self.cluster.partitions.items() if topic in readers}

    @lazy
    def _in_full(self) -> dict[str, tuple[str | None, ...]] | None:
        """The owners by topic and number where each has one, as most answers have it; else None."""
        owners = self.owners
        try:
            # Of one key `itemgetter` gives the bare value.
            return {
                topic: itemgetter(*tps)(owners) if len(tps) > 1 else (owners[tps[0]],)
                for topic, tps in self._read.items()
            }
        except KeyError:
            return None

    @lazy
    def is_given_once(self) -> bool:
        """Whether no partition is given out twice."""
        return len(self.owners) == sum(map(len, self.given.values()))

    @lazy
    def left(self) -> int:
        """How many partitions that somebody reads nobody was given."""
        return 0 if self._in_full is not None else sum([row.count(None) for row in self.by_number.values()])

    @lazy
    def is_of_read_topics(self) -> bool:
        """Whether every partition that is given out is there, and somebody reads its topic."""
        return len(self.owners) + self.left == sum(map(len, self._read.values()))

    @lazy
    def is_sound(self) -> bool:
        """Whether what is given out is there, goes to members that read it, and none of it to two."""
        if not (self.is_given_once and self.is_of_read_topics):
            return False
        readers, owners, known = self.group.subscribers, self.by_number, self.group.by_id
        if known.keys() >= self.given.keys():
            # Who is given something reads what all read.
            owners = {topic: row for topic, row in owners.items() if len(readers[topic]) < len(known)}
        return all({*readers[topic], None}.issuperset(row) for topic, row in owners.items())

    @lazy
    def is_whole(self) -> bool:
        """Whether it is sound, and nothing that somebody reads is left."""
        return self.is_sound and not self.left

    @lazy
    def loads(self) -> dict[str, int]:
        """Partitions a member of the group; treat as read-only."""
        ids = self.group.ids
        return dict(zip(ids, map(len, self.given.each(ids))))

    def claimed_anew(self, cluster: Cluster, claiming: Sequence[Member]) -> Sequence[Member]:
        """Those of the members that claim anything else than what they were given here and may still have.

        All of them where the answer is not sound, or part of what is read is not there any more.
        """
        if not self.is_sound or not (cluster is self.cluster or self._is_there_in(cluster)):
            return claiming
        by_id, given = self.group.by_id, self.given.each([member[0] for member in claiming])
        return [
            member
            for member, had in zip(claiming, given)
            if member[2] is not had or member[1] is not by_id[member[0]][1]
        ]

    def is_claimed_by_two(self, claiming: Iterable[Member], anew: Collection[Member]) -> bool:
        """Whether a partition is claimed twice, if the others than these claim what they were given here."""
        others = {member[0] for member in claiming}.difference([member[0] for member in anew])
        owner, claims = self.owners.get, [tp for member in anew for tp in member[2]]
        return len(set(claims)) < len(claims) or any(owner(tp) in others for tp in claims)

    def _is_there_in(self, cluster: Cluster) -> bool:
        """Whether all that is read here is there as well."""
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
"""Facts that are the same whatever the order of what is given."""
