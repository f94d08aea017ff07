"""A consumer assignment problem: members, their topics, previous owners, and racks of replicas.

The values are canonical from construction: members in the order of their ids, topics in the order
of their names, so nothing downstream can depend on the order of the input. The JSON form is
family "A" of the instance format (`docs/instances.md`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from operator import attrgetter
from typing import Annotated, Any, Final, Literal

from kassay.model.cluster import Cluster, TopicPartition, first_of
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, previous_owners
from kassay.model.lazy import lazy
from kassay.reading.documents import Bound, Count, Name, Size, shown, within, wrong
from kassay.reading.values import read_as, unique
from kassay.solver.check.balance import ConsumerInstance, Member, Topic
from kassay.solver.results import NO_OWNER

_NO_RACKS: Final[frozenset[str]] = frozenset()
_KNOWN: Final = "the name of a topic under `topics`"


@dataclass(frozen=True)
class Problem(ConsumerInstance):
    """One consumer assignment problem; an owner that no longer reads the topic counts as NO_OWNER."""

    name: str = ""

    @lazy
    def subscribers(self) -> dict[str, tuple[int, ...]]:
        """For each topic with readers, the positions of its readers; treat as read-only."""
        by_topics: dict[frozenset[str], list[int]] = {}
        for position, member in enumerate(self.members):
            by_topics.setdefault(member.topics, []).append(position)
        readers: dict[str, list[list[int]]] = {topic.name: [] for topic in self.topics}
        for topics, positions in by_topics.items():
            for topic in topics & readers.keys():
                readers[topic].append(positions)
        merged = {id(positions): tuple(positions) for positions in by_topics.values()}
        return {
            topic: merged[id(groups[0])] if len(groups) == 1 else tuple(sorted(chain.from_iterable(groups)))
            for topic, groups in readers.items()
            if groups
        }

    @lazy
    def bundles(self) -> tuple[tuple[Topic, ...], ...]:
        """The topics with readers, co-partitioned ones together; none is left out."""
        subscribers = self.subscribers
        if not self.copartition:
            return tuple((topic,) for topic in self.topics if topic.name in subscribers)
        by_name = {topic.name: topic for topic in self.topics}
        bound = {name: names for names in self.copartition for name in names}
        groups = dict.fromkeys(bound.get(topic.name, (topic.name,)) for topic in self.topics)
        return tuple(tuple(by_name[name] for name in names) for names in groups if names[0] in subscribers)

    @lazy
    def weighted(self) -> bool:
        """Whether partitions with readers have different weights; the exact methods need equal ones."""
        weighed = [topic for topic in self.topics if topic.weights is not None]
        return any(
            not set(topic.weights or ()) <= {1} and topic.name in self.subscribers for topic in weighed
        )

    @lazy
    def costed(self) -> bool:
        """Whether moving a partition that has readers may cost other than 1."""
        priced = [topic for topic in self.topics if topic.move_costs is not None]
        return any(
            not set(topic.move_costs or ()) <= {1} and topic.name in self.subscribers for topic in priced
        )

    @lazy
    def bundle_sizes(self) -> frozenset[int]:
        """The sizes of the bundles that have partitions; the exact methods need a single one."""
        return frozenset(len(bundle) for bundle in self.bundles if bundle[0].partitions)

    @property
    def exact(self) -> bool:
        """Whether levels and prices prove the optimum; otherwise the problem is a packing."""
        return not self.weighted and not self.costed and len(self.bundle_sizes) <= 1

    def unweighted(self) -> Problem:
        """The same problem with partitions of equal weight that cost 1 to move."""
        if not self.weighted and not self.costed:
            return self
        topics = (topic._replace(weights=None, move_costs=None) for topic in self.topics)
        return replace(self, topics=tuple(topics))

    @classmethod
    def of(cls, cluster: Cluster, group: Group, name: str = "") -> Problem:
        """The group's problem; `previous_owners` determines its previous owners."""
        replica_racks, by_name = cluster.replica_racks, cluster.by_name
        read = {topics: frozenset(topics) for topics in {member.topics for member in group.members}}
        members = tuple(
            [
                Member(member.member_id, member.rack, read[member.topics])
                for member in sorted(group.members, key=attrgetter("member_id"))
            ]
        )
        topics = tuple(
            [
                Topic(name, by_name[name].partitions, replica_racks.get(name), by_name[name].weights)
                for name in sorted(by_name)
            ]
        )
        position = {member.member_id: index for index, member in enumerate(members)}
        owners = {topic.name: [NO_OWNER] * topic.partitions for topic in topics}
        for (topic_name, partition), owner in previous_owners(cluster, group).items():
            owners[topic_name][partition] = position[owner]
        return cls(members, topics, {topic: tuple(row) for topic, row in owners.items()}, name=name)

    @classmethod
    def parse(cls, document: Any) -> Problem:
        """The problem of a JSON document of family "A"; raises `InputError` naming the field."""
        instance = read_as(_Instance, document)
        partitions = {topic.name: topic.partitions for topic in instance.topics}
        entries = [
            (Member(entry.id, entry.rack, topics), entry)
            for entry, topics in zip(instance.members, _subscriptions(instance.members), strict=True)
        ]
        _refuse_impossible(instance.topics, entries)
        ordered = sorted(entries, key=lambda pair: pair[0].member_id)
        owners = _owners(ordered, partitions)
        _refuse_unknown(entries, partitions, owned=owners is None)
        if owners is None:
            raise _owned_twice(ordered)
        interned: dict[frozenset[str], frozenset[str]] = {}
        problem = cls(
            tuple(member for member, _ in ordered),
            tuple(entry.topic(interned) for entry in sorted(instance.topics, key=lambda entry: entry.name)),
            _previous(ordered, owners),
            tuple(sorted(tuple(sorted(names)) for names in instance.copartition if names)),
            instance.name,
        )
        _refuse_uneven(instance.copartition, partitions, problem.subscribers)
        return problem

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        names = [*self.previous]
        by_topics = {member.topics for member in self.members}
        read = {topics: sorted(topics & self.previous.keys()) for topics in by_topics}
        return {
            "family": "A",
            "name": self.name or "unnamed",
            "members": [
                {
                    "id": member.member_id,
                    "rack": member.rack,
                    "topics": read[member.topics],
                    "owned": [[names[index], partition] for index, partition in owned],
                }
                for member, owned in zip(self.members, self._held(self.previous), strict=True)
            ],
            "topics": [
                {
                    "name": topic.name,
                    "partitions": topic.partitions,
                    "racks": None if topic.racks is None else [sorted(racks) for racks in topic.racks],
                    "weights": None if topic.weights is None else list(topic.weights),
                    **({} if topic.move_costs is None else {"move_costs": list(topic.move_costs)}),
                }
                for topic in self.topics
            ],
            "copartition": [list(names) for names in self.copartition],
        }

    def owners_by_topic(self, owner: Sequence[int]) -> dict[str, tuple[int, ...]]:
        """Each topic's owners, where `owner` has the owner of each bundle's partitions, bundle by bundle."""
        rows: dict[str, tuple[int, ...]] = {}
        first = 0
        for bundle in self.bundles:
            row = tuple(owner[first : first + bundle[0].partitions])
            first += len(row)
            rows.update((topic.name, row) for topic in bundle)
        return dict(sorted(rows.items())) if self.copartition else rows

    def partitions_by_member(self, owners: Mapping[str, Sequence[int]]) -> dict[str, dict[str, list[int]]]:
        """The partitions of each member id by topic, where `owners` has positions by topic."""
        by_member: dict[str, dict[str, list[int]]] = {}
        names = sorted(owners)
        held = self._held({topic: owners[topic] for topic in names})
        for member, entries in zip(self.members, held, strict=True):
            topics = by_member[member.member_id] = {}
            last, row = NO_OWNER, list[int]()
            for index, partition in entries:
                if index != last:
                    last, row = index, []
                    topics[names[index]] = row
                row.append(partition)
        return by_member

    def _held(self, owners: Mapping[str, Sequence[int]]) -> Iterator[Iterator[tuple[int, int]]]:
        """For each member its partitions, as positions in `owners`, which has members by topic, and numbers.

        Values built member by member are adjacent in memory, and are written several times as fast; until
        then a partition is a number in an array, since so many separate values would be scattered.
        """
        most = max(map(len, owners.values()), default=0) or 1
        held = [array("Q") for _ in self.members]
        for index, row in enumerate(owners.values()):
            for number, owner in enumerate(row, index * most):
                if owner != NO_OWNER:
                    held[owner].append(number)
        for numbers in held:
            yield map(divmod, numbers, repeat(most))

    def partitions_of(self, owners: Mapping[str, Iterable[int]]) -> dict[str, tuple[TopicPartition, ...]]:
        """The partitions of each member id, by topic and number, where `owners` has positions by topic."""
        by_member: list[list[TopicPartition]] = [[] for _ in self.members]
        for topic in sorted(owners):
            row = tuple(owners[topic])
            for owner, tp in zip(row, first_of(topic, len(row))):
                by_member[owner].append(tp)
        return {member[0]: tuple(tps) for member, tps in zip(self.members, by_member, strict=True)}


@dataclass(frozen=True)
class _MemberEntry:
    """A member in the document."""

    id: Name
    topics: tuple[str, ...]
    rack: Name | None = None
    owned: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _TopicEntry:
    """A topic in the document; a partition without replica racks has an empty set, or null."""

    name: Name
    partitions: Size
    racks: tuple[frozenset[Name] | None, ...] | None = None
    weights: tuple[Count, ...] | None = None
    move_costs: tuple[Count, ...] | None = None

    def topic(self, interned: dict[frozenset[str], frozenset[str]]) -> Topic:
        """The topic; equal racks become one value."""
        racks = None
        if self.racks is not None:
            sets = (known or _NO_RACKS for known in self.racks)
            racks = tuple(interned.setdefault(known, known) for known in sets)
        return Topic(self.name, self.partitions, racks, self.weights, self.move_costs)


@dataclass(frozen=True)
class _Instance:
    """A document of family "A"."""

    family: Literal["A"]
    members: Annotated[tuple[_MemberEntry, ...], Bound("at least one member", bool)]
    topics: tuple[_TopicEntry, ...]
    name: Name = ""
    copartition: tuple[tuple[str, ...], ...] = ()


_Entries = list[tuple[Member, _MemberEntry]]


def _subscriptions(entries: Iterable[_MemberEntry]) -> Iterator[frozenset[str]]:
    """The topics of each entry; equal consecutive subscriptions share the value."""
    written: tuple[str, ...] = ()
    topics = frozenset[str]()
    for entry in entries:
        if entry.topics != written:
            written, topics = entry.topics, frozenset(entry.topics)
        yield topics


def _refuse_impossible(topics: tuple[_TopicEntry, ...], entries: _Entries) -> None:
    """Raise for repeated names, for too many partitions, and for rows of the wrong length."""
    unique(((f"topics[{i}].name", topic.name) for i, topic in enumerate(topics)), "topic")
    within((topic.partitions for topic in topics), "topics")
    unique(((f"members[{i}].id", member.member_id) for i, (member, _) in enumerate(entries)), "member id")
    for i, topic in enumerate(topics):
        for field in ("racks", "weights", "move_costs"):
            row = getattr(topic, field)
            if row is not None and len(row) != topic.partitions:
                raise InputError(
                    f"topics[{i}].{field}: found {len(row)} entries, expected {topic.partitions}"
                )


def _refuse_unknown(entries: _Entries, partitions: Mapping[str, int], *, owned: bool) -> None:
    """Raise where a member names unknown topics or, with `owned`, owns unknown partitions."""
    known: frozenset[str] | None = None
    for i, (member, entry) in enumerate(entries):
        if member.topics is not known and not partitions.keys() >= member.topics:
            j, name = next((j, name) for j, name in enumerate(entry.topics) if name not in partitions)
            raise wrong(f"members[{i}].topics[{j}]", name, _KNOWN)
        known = member.topics
        for j, (name, partition) in enumerate(entry.owned if owned else ()):
            if name not in partitions:
                raise wrong(f"members[{i}].owned[{j}][0]", name, _KNOWN)
            if not 0 <= partition < partitions[name]:
                expected = f"a partition of {name} from 0 to {partitions[name] - 1}"
                raise wrong(f"members[{i}].owned[{j}][1]", partition, expected)


def _owners(entries: _Entries, partitions: Mapping[str, int]) -> dict[str, list[int]] | None:
    """For each topic the owner of each partition; None if a partition is missing or owned twice."""
    owners = {topic: [NO_OWNER] * count for topic, count in sorted(partitions.items())}
    try:
        for position, (_, entry) in enumerate(entries):
            for topic, partition in entry.owned:
                row = owners[topic]
                if partition < 0 or row[partition] != NO_OWNER:
                    return None
                row[partition] = position
    except LookupError:
        return None
    return owners


def _previous(entries: _Entries, owners: dict[str, list[int]]) -> dict[str, tuple[int, ...]]:
    """The owners, without those that no longer read the topic."""
    for member, entry in entries:
        if len(member.topics) < len(owners):
            for topic, partition in entry.owned:
                if topic not in member.topics:
                    owners[topic][partition] = NO_OWNER
    return {topic: tuple(row) for topic, row in owners.items()}


def _owned_twice(entries: _Entries) -> InputError:
    """The error about the first partition that two members own."""
    first: dict[tuple[str, int], str] = {}
    for member, entry in entries:
        for topic, partition in entry.owned:
            if (topic, partition) in first:
                return InputError(
                    f"members.owned: {topic}-{partition} is owned by {shown(member.member_id)} "
                    f"and {shown(first[topic, partition])}, expected one owner"
                )
            first[topic, partition] = member.member_id
    raise AssertionError("no partition stands twice")


def _refuse_uneven(
    copartition: tuple[tuple[str, ...], ...],
    partitions: Mapping[str, int],
    subscribers: Mapping[str, tuple[int, ...]],
) -> None:
    """Raise where co-partitioned topics are unknown, repeated, or differ."""
    every = [
        (f"copartition[{i}][{j}]", n) for i, names in enumerate(copartition) for j, n in enumerate(names)
    ]
    for path, name in every:
        if name not in partitions:
            raise wrong(path, name, _KNOWN)
    for i, names in enumerate(copartition):
        for what, of in (("partition counts", partitions), ("subscribers", subscribers)):
            if len({of.get(name) for name in names}) > 1:
                raise InputError(f"copartition[{i}]: the topics differ in {what}, expected equal ones")
    unique(every, "topic")
