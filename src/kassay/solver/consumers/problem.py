"""A consumer assignment problem: who may take what, who had it, and where its replicas are.

The values are canonical from construction: members in the order of their ids, topics in the order
of their names, so nothing downstream can depend on the order of the input. The JSON form is
family "A" of the instance format (`docs/instances.md`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group, previous_owners
from kassay.solver.fields import Field, shown, unique

NOBODY: Final = -1
_NO_RACKS: Final[frozenset[str]] = frozenset()


class Member(NamedTuple):
    """A member that can take partitions of the `topics` it reads."""

    member_id: str
    rack: str | None
    topics: frozenset[str]


class Topic(NamedTuple):
    """A topic. An empty set in `racks` says that nobody knows where that partition's replicas are."""

    name: str
    partitions: int
    racks: tuple[frozenset[str], ...] | None = None
    weights: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Problem:
    """One consumer assignment problem.

    `previous` has, for each topic, the position in `members` of each partition's previous owner,
    or NOBODY. An owner who no longer reads the topic is NOBODY as well. `copartition` names groups
    of topics whose partitions of one number must share an owner.
    """

    members: tuple[Member, ...]
    topics: tuple[Topic, ...]
    previous: Mapping[str, tuple[int, ...]]
    copartition: tuple[tuple[str, ...], ...] = ()
    name: str = ""

    @cached_property
    def subscribers(self) -> dict[str, tuple[int, ...]]:
        """For each topic that somebody reads, the positions of its readers; treat as read-only."""
        alike: dict[frozenset[str], list[int]] = {}
        for position, member in enumerate(self.members):
            alike.setdefault(member.topics, []).append(position)
        readers: dict[str, list[list[int]]] = {topic.name: [] for topic in self.topics}
        for topics, positions in alike.items():
            for topic in topics & readers.keys():
                readers[topic].append(positions)
        merged = {id(positions): tuple(positions) for positions in alike.values()}
        return {
            topic: merged[id(found[0])] if len(found) == 1 else tuple(sorted(chain.from_iterable(found)))
            for topic, found in readers.items()
            if found
        }

    @cached_property
    def bundles(self) -> tuple[tuple[Topic, ...], ...]:
        """The topics that somebody reads, those that are co-partitioned together; none is left out."""
        subscribers = self.subscribers
        if not self.copartition:
            return tuple((topic,) for topic in self.topics if topic.name in subscribers)
        by_name = {topic.name: topic for topic in self.topics}
        bound = {name: names for names in self.copartition for name in names}
        groups = dict.fromkeys(bound.get(topic.name, (topic.name,)) for topic in self.topics)
        return tuple(tuple(by_name[name] for name in names) for names in groups if names[0] in subscribers)

    @cached_property
    def weighted(self) -> bool:
        """Whether partitions count differently; the exact methods need them to count alike."""
        return any(topic.weights is not None and set(topic.weights) != {1} for topic in self.topics)

    @cached_property
    def bundle_sizes(self) -> frozenset[int]:
        """The numbers of topics that go together; the exact methods need a single one."""
        return frozenset(len(bundle) for bundle in self.bundles)

    def unweighted(self) -> Problem:
        """The same problem with partitions that count alike."""
        if not self.weighted:
            return self
        return replace(self, topics=tuple(topic._replace(weights=None) for topic in self.topics))

    @classmethod
    def of(cls, cluster: Cluster, group: Group, name: str = "") -> Problem:
        """The problem that the group poses, its previous owners by the rule of `previous_owners`."""
        replica_racks = cluster.replica_racks
        members = tuple(
            Member(member.member_id, member.rack, frozenset(member.topics))
            for member in sorted(group.members, key=lambda member: member.member_id)
        )
        topics = tuple(
            Topic(known.name, known.partitions, replica_racks.get(known.name), known.weights)
            for known in sorted(cluster.by_name.values(), key=lambda topic: topic.name)
        )
        position = {member.member_id: index for index, member in enumerate(members)}
        owners = {topic.name: [NOBODY] * topic.partitions for topic in topics}
        for (topic_name, partition), owner in previous_owners(cluster, group).items():
            owners[topic_name][partition] = position[owner]
        return cls(members, topics, {topic: tuple(row) for topic, row in owners.items()}, name=name)

    @classmethod
    def parse(cls, document: Any) -> Problem:
        """The problem of a JSON document of family "A"; raises `InputError` naming the field."""
        root = Field(document, "")
        family = root.get("family")
        if family.value != "A":
            raise family.fail('the family "A"')
        topics = _parse_topics(root.get("topics"))
        consumers, claims = _parse_members(root.get("members"), topics)
        problem = cls(consumers, tuple(topics.values()), _previous(claims, consumers, topics))
        name = root.find("name")
        copartition = root.find("copartition")
        return replace(
            problem,
            name="" if name is None else name.text(),
            copartition=() if copartition is None else _parse_copartition(copartition, problem),
        )

    def document(self) -> dict[str, Any]:
        """The JSON form; parsing it gives an equal problem."""
        owned: list[list[list[Any]]] = [[] for _ in self.members]
        for topic, owners in self.previous.items():
            for partition, owner in enumerate(owners):
                if owner != NOBODY:
                    owned[owner].append([topic, partition])
        return {
            "family": "A",
            "name": self.name or "unnamed",
            "members": [
                {
                    "id": member.member_id,
                    "rack": member.rack,
                    "topics": sorted(member.topics & self.previous.keys()),
                    "owned": list_,
                }
                for member, list_ in zip(self.members, owned, strict=True)
            ],
            "topics": [
                {
                    "name": topic.name,
                    "partitions": topic.partitions,
                    "racks": None if topic.racks is None else [sorted(racks) for racks in topic.racks],
                    "weights": None if topic.weights is None else list(topic.weights),
                }
                for topic in self.topics
            ],
            "copartition": [list(names) for names in self.copartition],
        }

    def partitions_of(self, owners: Mapping[str, Iterable[int]]) -> dict[str, tuple[TopicPartition, ...]]:
        """The partitions of each member id, by topic and number, where `owners` has positions by topic."""
        given: list[list[TopicPartition]] = [[] for _ in self.members]
        for topic in sorted(owners):
            for partition, owner in enumerate(owners[topic]):
                given[owner].append(TopicPartition(topic, partition))
        return {member.member_id: tuple(tps) for member, tps in zip(self.members, given, strict=True)}


def _parse_topics(field: Field) -> dict[str, Topic]:
    entries = list(field.items())
    unique([_named(entry, "name") for entry in entries], "topic")
    interned: dict[tuple[str, ...], frozenset[str]] = {}
    topics = []
    for entry in entries:
        count = entry.get("partitions").integer(0)
        racks, weights = entry.find("racks"), entry.find("weights")
        topics.append(
            Topic(
                entry.get("name").text(),
                count,
                None if racks is None else _parse_racks(racks, count, interned),
                None if weights is None else _parse_weights(weights, count),
            )
        )
    return {topic.name: topic for topic in sorted(topics, key=lambda topic: topic.name)}


def _parse_racks(
    field: Field, count: int, interned: dict[tuple[str, ...], frozenset[str]]
) -> tuple[frozenset[str], ...]:
    found = []
    for index, names in enumerate(field.list(count)):
        try:
            known = interned.get(tuple(names))
        except TypeError:
            known = None
        if known is None:
            inner = Field(names, f"{field.path}[{index}]")
            known = frozenset(rack.text() for rack in inner.items()) if names is not None else _NO_RACKS
            interned[tuple(names or ())] = known
        found.append(known)
    return tuple(found)


def _parse_weights(field: Field, count: int) -> tuple[int, ...]:
    field.list(count)
    return tuple(weight.integer(0) for weight in field.items())


def _named(entry: Field, key: str) -> Field:
    named = entry.get(key)
    named.text()
    return named


_Claims = list[list[tuple[str, int]]]


def _parse_members(field: Field, topics: Mapping[str, Topic]) -> tuple[tuple[Member, ...], _Claims]:
    """The members in the order of their ids, and what each says it owned."""
    entries = list(field.items())
    if not entries:
        raise field.fail("at least one member")
    unique([_named(entry, "id") for entry in entries], "member id")
    parsed = []
    for entry in entries:
        rack = entry.find("rack")
        reads = entry.get("topics")
        if not all(isinstance(name, str) and name in topics for name in reads.list()):
            bad = next(
                item for item in reads.items() if not isinstance(item.value, str) or item.value not in topics
            )
            raise bad.fail("the name of a topic under `topics`")
        member = Member(entry.get("id").text(), None if rack is None else rack.text(), frozenset(reads.value))
        owned = entry.find("owned")
        parsed.append((member, [] if owned is None else _parse_owned(owned, topics)))
    parsed.sort(key=lambda pair: pair[0].member_id)
    return tuple(member for member, _ in parsed), [claims for _, claims in parsed]


def _parse_owned(field: Field, topics: Mapping[str, Topic]) -> list[tuple[str, int]]:
    claims: list[tuple[str, int]] = []
    for index, item in enumerate(field.list()):
        match item:
            case [str(name), int(partition)] if not isinstance(partition, bool):
                topic = topics.get(name)
                if topic is None:
                    raise Field(name, f"{field.path}[{index}][0]").fail("the name of a topic under `topics`")
                if not 0 <= partition < topic.partitions:
                    where = Field(partition, f"{field.path}[{index}][1]")
                    raise where.fail(f"a partition of {name} from 0 to {topic.partitions - 1}")
                claims.append((name, partition))
            case _:
                raise Field(item, f"{field.path}[{index}]").fail("a pair of topic and partition")
    return claims


def _previous(
    claims: _Claims, members: tuple[Member, ...], topics: Mapping[str, Topic]
) -> dict[str, tuple[int, ...]]:
    owners = {topic.name: [NOBODY] * topic.partitions for topic in topics.values()}
    for position, claimed in enumerate(claims):
        for topic, partition in claimed:
            row = owners[topic]
            if row[partition] != NOBODY:
                holder = members[row[partition]].member_id
                raise InputError(
                    f"members.owned: {topic}-{partition} is owned by {shown(members[position].member_id)} "
                    f"and {shown(holder)}, expected one owner"
                )
            row[partition] = position
    for position, claimed in enumerate(claims):
        reads = members[position].topics
        for topic, partition in claimed:
            if topic not in reads:
                owners[topic][partition] = NOBODY
    return {topic: tuple(row) for topic, row in owners.items()}


def _parse_copartition(field: Field, problem: Problem) -> tuple[tuple[str, ...], ...]:
    by_name = {topic.name: topic for topic in problem.topics}
    groups, every = [], []
    for group in field.items():
        names = list(group.items())
        for name in names:
            if not isinstance(name.value, str) or name.value not in by_name:
                raise name.fail("the name of a topic under `topics`")
        every += names
        counts = {by_name[name.value].partitions for name in names}
        readers = {problem.subscribers.get(name.value) for name in names}
        if len(counts) > 1 or len(readers) > 1:
            what = "partition counts" if len(counts) > 1 else "subscribers"
            raise InputError(f"{group.path}: the topics differ in {what}, expected equal ones")
        if names:
            groups.append(tuple(sorted(name.value for name in names)))
    unique(every, "topic")
    return tuple(sorted(groups))
