"""A share group (KIP-932): its readers, its assignable partitions, and the present assignment.

The values are canonical from construction: members in the order of their ids, topics in the order of their
names. The JSON form is family "D" of the instance format (`docs/instances.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group
from kassay.model.lazy import lazy
from kassay.reading.fields import Bound, Name, Size, within, wrong
from kassay.reading.values import read_as, unique

_KNOWN: Final = "the name of a topic under `topics`"


class ShareMember(NamedTuple):
    """A member with the topics that it reads and the partitions that it has, even if it may not keep them."""

    member_id: str
    topics: frozenset[str]
    owned: frozenset[TopicPartition] = frozenset()


class ShareTopic(NamedTuple):
    """A topic with its number of partitions, and the assignable ones."""

    name: str
    partitions: int
    assignable: tuple[int, ...]


class SharePart(NamedTuple):
    """A part that is shared by itself: all topics where every member reads the same, else one of them.

    `topic` is that one. `copies` is the number of members of each partition, `least` the least number of
    copies of each reader; `longer` readers get one more.
    """

    topic: str | None
    readers: tuple[int, ...]
    partitions: tuple[TopicPartition, ...]

    @property
    def copies(self) -> int:
        """ceil(readers / partitions), as Kafka's rule shares from 4.2 on."""
        return -(-len(self.readers) // len(self.partitions))

    @property
    def least(self) -> int:
        """The least number of copies of each reader."""
        return self.copies * len(self.partitions) // len(self.readers)

    @property
    def longer(self) -> int:
        """How many readers have one copy more."""
        return self.copies * len(self.partitions) % len(self.readers)

    @property
    def counts(self) -> list[int]:
        """The copies of the readers, the largest first."""
        short = len(self.readers) - self.longer
        return [self.least + 1] * self.longer + [self.least] * short


@dataclass(frozen=True)
class ShareProblem:
    """One share group, its members by position."""

    members: tuple[ShareMember, ...]
    topics: tuple[ShareTopic, ...]
    name: str = ""

    @lazy
    def parts(self) -> tuple[SharePart, ...]:
        """The parts that are shared by themselves, without those that have no partition or no reader."""
        readers: dict[str, list[int]] = {topic.name: [] for topic in self.topics}
        for position, member in enumerate(self.members):
            for topic in member.topics:
                readers[topic].append(position)
        targets = {t.name: tuple(TopicPartition(t.name, p) for p in t.assignable) for t in self.topics}
        if len({member.topics for member in self.members}) == 1:
            everything = tuple(tp for name, tps in targets.items() if readers[name] for tp in tps)
            return (SharePart(None, tuple(range(len(self.members))), everything),) if everything else ()
        return tuple(
            SharePart(name, tuple(readers[name]), tps)
            for name, tps in targets.items()
            if readers[name] and tps
        )

    @classmethod
    def of(cls, cluster: Cluster, group: Group, name: str = "") -> ShareProblem:
        """The group's problem; a subscribed topic that is missing has no partitions."""
        given_out = group.assignable
        counts = {**dict.fromkeys(group.subscribers, 0), **cluster.counts}
        topics = tuple(
            ShareTopic(
                topic,
                counts[topic],
                tuple(p for p in range(counts[topic]) if given_out is None or (topic, p) in given_out),
            )
            for topic in sorted(counts)
        )
        members = (
            ShareMember(m.member_id, frozenset(m.topics), frozenset(filter(cluster.has, m.owned)))
            for m in sorted(group.members, key=lambda member: member.member_id)
        )
        return cls(tuple(members), topics, name)

    @classmethod
    def parse(cls, document: Any) -> ShareProblem:
        """The problem of a JSON document of family "D"; raises `InputError` naming the field."""
        instance = read_as(_Instance, document)
        _refuse_impossible(instance)
        members = (
            ShareMember(m.id, frozenset(m.topics), frozenset(TopicPartition(*tp) for tp in m.owned))
            for m in sorted(instance.members, key=lambda entry: entry.id)
        )
        topics = (
            ShareTopic(
                t.name,
                t.partitions,
                tuple(range(t.partitions) if t.assignable is None else sorted(t.assignable)),
            )
            for t in sorted(instance.topics, key=lambda entry: entry.name)
        )
        return cls(tuple(members), tuple(topics), instance.name)

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        return {
            "family": "D",
            "name": self.name or "unnamed",
            "members": [
                {
                    "id": member.member_id,
                    "topics": sorted(member.topics),
                    "owned": [list(tp) for tp in sorted(member.owned)],
                }
                for member in self.members
            ],
            "topics": [
                {
                    "name": topic.name,
                    "partitions": topic.partitions,
                    "assignable": None
                    if len(topic.assignable) == topic.partitions
                    else list(topic.assignable),
                }
                for topic in self.topics
            ],
        }

    def by_topic(self, given: Mapping[str, Iterable[TopicPartition]]) -> dict[str, dict[str, list[int]]]:
        """Each member's partitions of the problem, by topic, in order."""
        rows: dict[str, dict[str, list[int]]] = {member.member_id: {} for member in self.members}
        for member_id, tps in given.items():
            for topic, partition in sorted(tps):
                rows[member_id].setdefault(topic, []).append(partition)
        return rows


@dataclass(frozen=True)
class _MemberEntry:
    """A member in the document."""

    id: Name
    topics: tuple[str, ...]
    owned: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _TopicEntry:
    """A topic in the document; without `assignable` all its partitions are assignable."""

    name: Name
    partitions: Size
    assignable: tuple[int, ...] | None = None


@dataclass(frozen=True)
class _Instance:
    """A document of family "D"."""

    family: Literal["D"]
    members: Annotated[tuple[_MemberEntry, ...], Bound("at least one member", bool)]
    topics: tuple[_TopicEntry, ...]
    name: Name = ""


def _refuse_impossible(instance: _Instance) -> None:
    """Raise for repeated names, and for fields that name missing topics or partitions."""
    unique(((f"topics[{i}].name", topic.name) for i, topic in enumerate(instance.topics)), "topic")
    within((topic.partitions for topic in instance.topics), "topics")
    unique(((f"members[{i}].id", member.id) for i, member in enumerate(instance.members)), "member id")
    counts = {topic.name: topic.partitions for topic in instance.topics}
    for i, topic in enumerate(instance.topics):
        entries = [(f"topics[{i}].assignable[{j}]", p) for j, p in enumerate(topic.assignable or ())]
        for path, partition in entries:
            _refuse_absent(path, topic.name, partition, topic.partitions)
        unique(entries, "partition")
    for i, member in enumerate(instance.members):
        for j, name in enumerate(member.topics):
            if name not in counts:
                raise wrong(f"members[{i}].topics[{j}]", name, _KNOWN)
        for j, (name, partition) in enumerate(member.owned):
            if name not in counts:
                raise wrong(f"members[{i}].owned[{j}][0]", name, _KNOWN)
            _refuse_absent(f"members[{i}].owned[{j}][1]", name, partition, counts[name])
        if len(set(member.owned)) < len(member.owned):
            raise InputError(f"members[{i}].owned: a partition stands twice, expected it once")


def _refuse_absent(path: str, topic: str, partition: int, count: int) -> None:
    if not 0 <= partition < count:
        raise wrong(path, partition, f"a partition of {topic} from 0 to {count - 1}")
