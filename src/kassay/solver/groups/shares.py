"""The optimum of a share group (KIP-932): its problem, the certified best assignment, and its documents.

A share group (KIP-932): its readers, its assignable partitions, and the present assignment.

The values are canonical from construction: members in the order of their ids, topics in the order of their
names. The JSON form is family "D" of the instance format (`docs/instances.md`).

The fewest revoked copies in a share group whose partitions and members have even counts.

Each partition of a part has s = ceil(M / P) members, and each of the M readers q or q + 1 partitions. The
cheapest such assignment is a minimum-cost flow from readers to partitions, where a copy costs 1 that its
reader did not have. Only the kept copies decide its cost: whatever copies are kept, at most s of a partition
and at most q or q + 1 of a reader, the others can be assigned in addition (`_complete`). So the cost is least
where most copies are kept, and that is a maximum flow over the readers' present copies alone. Its least cut
gives the dual prices, each 0 or 1: a cover of readers and partitions that says why no more can be kept.
Source: Ford and Fulkerson 1956; the construction is kassay's own.
Cost: Dinic's on one arc for each copy held, O(E * sqrt(V)) as all these arcs have capacity 1.

The result of a share group as JSON, and its certificate.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Group
from kassay.model.lazy import lazy
from kassay.reading.documents import Bound, Name, Size, within, wrong
from kassay.reading.values import read_as, unique
from kassay.solver.algorithms.flow import Network
from kassay.solver.check.check import require_accepted
from kassay.solver.results import Solved

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


_Held = Mapping[int, Sequence[TopicPartition]]
"""For each reader of a part its partitions that it may keep."""


class Cover(NamedTuple):
    """Readers and partitions with a price: every copy that can be kept is of one of them, or counted."""

    topic: str | None
    members: tuple[int, ...]
    partitions: tuple[TopicPartition, ...]


class ShareOptimum(NamedTuple):
    """An assignment of even counts, by member id, and the proof of its number of revoked copies.

    `taken_back` counts revoked copies that could stay; if the time ran out it may be above the least.
    """

    problem: ShareProblem
    assignment: dict[str, tuple[TopicPartition, ...]]
    taken_back: int
    covers: tuple[Cover, ...]

    @property
    def loads(self) -> list[int]:
        """The copies of each member, ascending."""
        return sorted(map(len, self.assignment.values()))


def best_sharing(problem: ShareProblem, time_limit_s: float | None = None) -> ShareOptimum:
    """The even assignment with the fewest revoked copies; after the limit any even one."""
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    given: list[list[TopicPartition]] = [[] for _ in problem.members]
    covers, taken_back = [], 0
    for part in problem.parts:
        held = held_of(problem, part)
        late = deadline is not None and time.monotonic() >= deadline
        kept, cover = _greedily_kept(part, held) if late else _most_kept(part, held)
        taken_back += sum(map(len, held.values())) - sum(map(len, kept.values()))
        covers.append(cover)
        for reader, tps in _complete(part, kept).items():
            given[reader] += tps
    assignment = {m.member_id: tuple(sorted(tps)) for m, tps in zip(problem.members, given, strict=True)}
    return ShareOptimum(problem, assignment, taken_back, tuple(covers))


def held_of(problem: ShareProblem, part: SharePart) -> dict[int, list[TopicPartition]]:
    """The copies of the part that its readers have, in order."""
    able = frozenset(part.partitions)
    return {reader: sorted(able.intersection(problem.members[reader].owned)) for reader in part.readers}


def _most_kept(part: SharePart, held: _Held) -> tuple[dict[int, list[TopicPartition]], Cover]:
    """As many copies as can stay, and the cover that proves it."""
    network = Network(3)
    source, sink, more = 0, 1, 2
    reader_nodes = dict(zip(part.readers, network.nodes(len(part.readers))))
    tp_nodes = dict(zip(part.partitions, network.nodes(len(part.partitions))))
    network.arc(source, more, part.longer)
    for reader in part.readers:
        network.arc(source, reader_nodes[reader], part.least)
        network.arc(more, reader_nodes[reader], 1)
    for node in tp_nodes.values():
        network.arc(node, sink, part.copies)
    arcs = {
        (reader, tp): network.arc(reader_nodes[reader], tp_nodes[tp], 1)
        for reader in part.readers
        for tp in held[reader]
    }
    network.maximum(source, sink)
    inside = network.reachable([source])
    kept: dict[int, list[TopicPartition]] = {reader: [] for reader in part.readers}
    for (reader, tp), arc in arcs.items():
        if network.flow(arc):
            kept[reader].append(tp)
    return kept, Cover(
        part.topic,
        tuple(reader for reader, node in reader_nodes.items() if not inside[node]),
        tuple(tp for tp, node in tp_nodes.items() if inside[node]),
    )


def _greedily_kept(part: SharePart, held: _Held) -> tuple[dict[int, list[TopicPartition]], Cover]:
    """Copies that can stay together, taken greedily, and a cover of the partitions that too many have."""
    room = dict.fromkeys(part.partitions, part.copies)
    kept: dict[int, list[TopicPartition]] = {reader: [] for reader in part.readers}
    longer = part.longer
    for reader in part.readers:
        for tp in held[reader]:
            beyond = len(kept[reader]) == part.least
            if room[tp] and len(kept[reader]) < part.least + (longer > 0):
                room[tp] -= 1
                longer -= beyond
                kept[reader].append(tp)
    sharing = Counter(tp for tps in held.values() for tp in tps)
    return kept, Cover(part.topic, (), tuple(tp for tp in part.partitions if sharing[tp] > part.copies))


def _complete(part: SharePart, kept: _Held) -> dict[int, list[TopicPartition]]:
    """The kept copies and in addition all others to assign.

    A reader that got a partition twice in the first pass passes one of the two to a reader of one copy that
    lacks the partition. There is one: partitions are shared by two or more only where P < M, then readers
    have one copy or two, and 2 M - s P readers have one, which is more than the s - 2 of them that can have
    the partition already.
    """
    given = {reader: list(kept[reader]) for reader in part.readers}
    wanted = _wanted(part, given)
    holders: defaultdict[TopicPartition, list[int]] = defaultdict(list)
    for reader, tps in given.items():
        for tp in tps:
            holders[tp].append(reader)
    lacking = [tp for tp in part.partitions for _ in range(part.copies - len(holders[tp]))]
    takers = [reader for reader in part.readers for _ in range(wanted[reader] - len(given[reader]))]
    for reader, tp in zip(takers, lacking, strict=True):
        given[reader].append(tp)
        holders[tp].append(reader)
    singles = [reader for reader in part.readers if len(given[reader]) == 1]
    for reader in part.readers:
        if len(given[reader]) > len(set(given[reader])):
            tp = given[reader].pop()
            other = next(each for each in reversed(singles) if each not in holders[tp])
            singles.remove(other)
            singles.append(reader)
            given[other].append(tp)
            holders[tp].remove(reader)
            holders[tp].append(other)
    return given


def _wanted(part: SharePart, kept: _Held) -> dict[int, int]:
    """The target number of copies of each reader: one more for those that keep so many, then in order."""
    full: Final = part.least + 1
    longer = part.longer - sum(len(tps) == full for tps in kept.values())
    wanted = {}
    for reader in part.readers:
        more = len(kept[reader]) == full
        if not more and longer:
            more, longer = True, longer - 1
        wanted[reader] = part.least + more
    return wanted


SCHEMA: Final = "kassay/share-certificate/1"


def solve_sharing(problem: ShareProblem, time_limit_s: float | None = None) -> Solved:
    """The optimum of a share group; an interval if the time ran out.

    `lower` and `upper` are numbers of revoked copies.
    """
    certificate = share_certificate(best_sharing(problem, time_limit_s))
    return Solved(certificate, require_accepted(certificate, problem.name or "a share group"))


def share_certificate(best: ShareOptimum) -> dict[str, Any]:
    """The input of the checker of share groups: the instance, the assignment, and a cover for each part."""
    problem = best.problem
    return {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": problem.by_topic(best.assignment),
        "covers": [
            {
                "topic": cover.topic,
                "members": [problem.members[reader].member_id for reader in cover.members],
                "partitions": [list(tp) for tp in cover.partitions],
            }
            for cover in best.covers
        ],
        "moved": best.taken_back,
    }
