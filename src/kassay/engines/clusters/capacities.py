"""Members of different capacity: partitions per unit of capacity, today, by each rule, and at best.

Kafka's rules count every member the same. With capacities the load of a member is its number of partitions
divided by its capacity, and the group is as fast as the member with the highest load. The least possible
highest load is found by maximum flows over the loads that can occur; the cut of the last flow that does not
fit is its proof: these partitions have only these readers, and they hold no more at a lower load.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from kassay.engines.clusters.observed import ObservedGroup
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import Assignment
from kassay.reading.documents import difference, suggestion
from kassay.solver.algorithms.flow import Network

_NUMBER: Final = re.compile(r"(?:[0-9]{1,6})(?:\.[0-9]{1,3})?")
EXPECTED: Final = "MEMBER=NUMBER such as app-1=2, of a member's id, instance id, client id or host"


class Strain(NamedTuple):
    """The highest load of a member, in partitions per unit of capacity, and the member."""

    load: Fraction
    member: str

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the load."""
        return {"load": float(self.load), "member": self.member}


class CapacityBound(NamedTuple):
    """Why no assignment has a lower highest load: these partitions have only these readers."""

    partitions: int
    readers: tuple[str, ...]


class CapacityOptimum(NamedTuple):
    """The least highest load, the fewest moves for it, the partitions of each member, and the proof."""

    load: Fraction
    moved: int
    counts: Mapping[str, int]
    bound: CapacityBound | None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the optimum."""
        bound = None
        if self.bound is not None:
            bound = {"partitions": self.bound.partitions, "readers": list(self.bound.readers)}
        return {"load": float(self.load), "moved": self.moved, "counts": dict(self.counts), "bound": bound}


@dataclass(frozen=True)
class CapacityAnswer:
    """The group with capacities: today, by each candidate that answered, and at best."""

    capacities: Mapping[str, Fraction]
    today: Strain
    candidates: tuple[tuple[str, Strain], ...]
    best: CapacityOptimum

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the answer."""
        return {
            "members": {member: float(capacity) for member, capacity in self.capacities.items()},
            "today": self.today.to_json(),
            "candidates": [{"target": spec, **strain.to_json()} for spec, strain in self.candidates],
            "optimum": self.best.to_json(),
        }


def capacities_of(texts: Iterable[str], observed: ObservedGroup) -> dict[str, Fraction]:
    """The capacity of each member, 1 where no text says otherwise; raises `InputError`."""
    names: dict[str, set[str]] = {}
    for each in observed.consumers:
        host, instance = each.host or "", observed.group.by_id[each.member_id].instance_id or ""
        called = {each.member_id, instance, each.client_id or "", host, host.removeprefix("/")} - {""}
        for name in called | {observed.labels[each.member_id]}:
            names.setdefault(name, set()).add(each.member_id)
    capacities = {member.member_id: Fraction(1) for member in observed.group.members}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals or not _NUMBER.fullmatch(number) or not Fraction(number):
            raise InputError(f"--capacity: {difference(text, EXPECTED)}")
        if name not in names:
            raise InputError(
                f"--capacity: {difference(name, f'a member of the group{suggestion(name, names)}')}"
            )
        capacities |= {member: Fraction(number) for member in names[name]}
    return capacities


def strain_of(assignment: Assignment, capacities: Mapping[str, Fraction]) -> Strain:
    """The highest load of the assignment; of equal ones the first by member id."""
    loads = ((len(assignment.get(member, ())) / capacity, member) for member, capacity in capacities.items())
    load, member = min(loads, key=lambda pair: (-pair[0], pair[1]))
    return Strain(load, member)


class _Classes(NamedTuple):
    """Partitions that are equal to the optimum: of a topic, with the same owner today or none."""

    counts: Mapping[tuple[str, str | None], int]
    readers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, observed: ObservedGroup) -> _Classes:
        """The classes of a group."""
        owners = observed.assignment.owners()
        readers = observed.group.subscribers
        tps = (tp for topic in observed.cluster.topics if topic.name in readers for tp in topic.tps())
        counts = Counter((tp.topic, _owner(owners, tp, readers)) for tp in tps)
        return cls(counts, readers)

    @property
    def total(self) -> int:
        """The number of partitions."""
        return sum(self.counts.values())


def _owner(
    owners: Mapping[TopicPartition, str], tp: TopicPartition, readers: Mapping[str, tuple[str, ...]]
) -> str | None:
    """The owner of a partition, None if it has none that reads the topic."""
    owner = owners.get(tp)
    return owner if owner in readers[tp.topic] else None


def best_with(observed: ObservedGroup, capacities: Mapping[str, Fraction]) -> CapacityOptimum:
    """The least highest load, then the fewest moves."""
    classes = _Classes.of(observed)
    loads = sorted(
        {Fraction(count) / capacity for capacity in capacities.values() for count in range(classes.total + 1)}
    )
    at = bisect_left(loads, True, key=lambda load: _Flow(classes, capacities, load).fits())
    flow = _Flow(classes, capacities, loads[at])
    moved, counts = flow.cheapest()
    bound = None if at == 0 else _Flow(classes, capacities, loads[at - 1]).cut()
    return CapacityOptimum(loads[at], moved, counts, bound)


def is_proven(optimum: CapacityOptimum, capacities: Mapping[str, Fraction]) -> bool:
    """Whether the bound excludes every lower load: below it its readers hold fewer partitions."""
    if optimum.bound is None:
        return optimum.load == 0
    room = sum(_most_below(optimum.load * capacities[reader]) for reader in optimum.bound.readers)
    return room < optimum.bound.partitions


def _most_below(share: Fraction) -> int:
    """The largest whole number below the share."""
    return -(-share.numerator // share.denominator) - 1


class _Flow:
    """Partitions to readers, each with room for its capacity times a load."""

    def __init__(self, classes: _Classes, capacities: Mapping[str, Fraction], load: Fraction) -> None:
        self.classes = classes
        self.net = Network(2)
        ids = list(capacities)
        self.members = dict(zip(ids, self.net.nodes(len(ids))))
        self.room = {
            member: self.net.arc(node, 1, int(load * capacities[member]))
            for member, node in self.members.items()
        }
        self.nodes = dict(zip(classes.counts, self.net.nodes(len(classes.counts))))
        self.arcs: list[tuple[int, int]] = []
        for (topic, owner), node in self.nodes.items():
            self.net.arc(0, node, classes.counts[topic, owner])
            for reader in classes.readers[topic]:
                cost = int(owner is not None and reader != owner)
                self.arcs.append((self.net.arc(node, self.members[reader], cost=cost), cost))

    def fits(self) -> bool:
        """Whether all partitions have a reader with room."""
        return self.net.maximum(0, 1) == self.classes.total

    def cheapest(self) -> tuple[int, dict[str, int]]:
        """The fewest moves of partitions whose owner stays, and the partitions of each member."""
        self.net.cheapest(0, 1)
        moved = sum(cost * self.net.flow(arc) for arc, cost in self.arcs)
        return moved, {member: self.net.flow(arc) for member, arc in self.room.items()}

    def cut(self) -> CapacityBound:
        """The partitions on the source's side of a least cut, and all their readers."""
        self.net.maximum(0, 1)
        seen = self.net.reachable([0])
        inside = [key for key, node in self.nodes.items() if seen[node]]
        readers = tuple(member for member, node in self.members.items() if seen[node])
        return CapacityBound(sum(self.classes.counts[key] for key in inside), readers)
