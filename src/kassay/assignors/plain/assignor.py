"""The plain form of an assignor (dicts and lists in and out) and its adapter to the full form.

    assign(partitions_per_topic: dict[str, int], members: list[dict]) -> dict[str, list[tuple[str, int]]]

A member is a dict with `id`, `topics`, `owned`, `generation`, `rack`, `instance_id`. A function with a
parameter `replica_racks` or `partition_weights` gets it as a keyword: by (topic, partition), or None where
the cluster has none. One with a parameter `assignable` gets a list of the partitions that a share group may
assign, or None for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kassay.assignors.plain.answers import changed, check_assignment
from kassay.assignors.plain.target import PlainTarget
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.kinds import RebalanceProtocol

EXTRAS: Final = ("replica_racks", "partition_weights", "assignable")
"""The keywords that are passed only to functions with parameters of these names."""

_INPUTS: Final = ("partitions_per_topic", "members", *EXTRAS)

PlainInput = tuple[
    dict[str, int],
    list[dict[str, Any]],
    dict[tuple[str, int], list[str]] | None,
    dict[tuple[str, int], int] | None,
    list[tuple[str, int]] | None,
]


def plain_input(cluster: Cluster, group: Group, extras: Iterable[str] = EXTRAS) -> PlainInput:
    """Fresh dicts and lists of exact built-in types; extras outside `extras` are None."""
    members = [
        {
            "id": member_id,
            "topics": list(topics),
            "owned": list(map(tuple, owned)),
            "generation": generation,
            "rack": rack,
            "instance_id": instance_id,
        }
        for member_id, topics, owned, generation, rack, instance_id, _ in group.members
    ]
    return (
        dict(cluster.counts),
        members,
        replica_racks(cluster) if "replica_racks" in extras else None,
        partition_weights(cluster) if "partition_weights" in extras else None,
        assignable(group) if "assignable" in extras else None,
    )


def replica_racks(cluster: Cluster) -> dict[tuple[str, int], list[str]] | None:
    """The racks that hold each partition, sorted; None where no rack is known."""
    racks = {
        (topic, partition): sorted(held)
        for topic, partitions in cluster.replica_racks.items()
        for partition, held in enumerate(partitions[: cluster.counts.get(topic, 0)])
    }
    return racks if any(racks.values()) else None


def partition_weights(cluster: Cluster) -> dict[tuple[str, int], int] | None:
    """The weight of each partition; None if all weights are equal."""
    topics = cluster.by_name.values()
    if all(topic.weights is None for topic in topics):
        return None
    return {tuple(tp): cluster.weight(tp) for topic in topics for tp in topic.tps()}  # type: ignore[misc]  # a pair


def assignable(group: Group) -> list[tuple[str, int]] | None:
    """The partitions that a share group may assign, in order; None for all."""
    return None if group.assignable is None else [(topic, p) for topic, p in sorted(group.assignable)]


def changed_input(before: PlainInput, after: PlainInput) -> str | None:
    """What a call changed in its input, or None."""
    if before == after and list(before[0]) == list(after[0]):
        return None
    return changed(_INPUTS, before, after)


class PlainAssignor(PlainTarget, AssignorBase):
    """A plain object of this process in the full form."""

    def __init__(
        self,
        target: Any,
        *,
        name: str,
        protocol: RebalanceProtocol = RebalanceProtocol.EAGER,
        extras: frozenset[str] = frozenset(),
        source: str | None = None,
    ) -> None:
        super().__init__(target, source=source)
        self.name = name
        self.protocols = (protocol,)
        self._extras = extras

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The plain function's answer for a copy of the input."""
        self.mutated = None
        arguments = plain_input(cluster, group, self._extras)
        keywords = {name: value for name, value in zip(EXTRAS, arguments[2:]) if name in self._extras}
        answer = self._call("assign", check_assignment, arguments[0], arguments[1], **keywords)
        self.mutated = changed_input(plain_input(cluster, group, self._extras), arguments)
        return Assignment.of(answer)
