"""The fewest revoked copies in a share group whose partitions and members have even counts.

Each partition of a part has s = ceil(M / P) members, and each of the M readers q or q + 1 partitions. The
cheapest such assignment is a minimum-cost flow from readers to partitions, where a copy costs 1 that its
reader did not have. Only the kept copies decide its cost: whatever copies are kept, at most s of a partition
and at most q or q + 1 of a reader, the others can be assigned in addition (`_complete`). So the cost is least
where most copies are kept, and that is a maximum flow over the readers' present copies alone. Its least cut
gives the dual prices, each 0 or 1: a cover of readers and partitions that says why no more can be kept.
Source: Ford and Fulkerson 1956; the construction is kassay's own.
Cost: Dinic's on one arc for each copy held, O(E * sqrt(V)) as all these arcs have capacity 1.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kassay.model.cluster import TopicPartition
from kassay.solver.algorithms.flow import Network
from kassay.solver.sharing.problem import SharePart, ShareProblem

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
