"""What an assignor is: Kafka's `ConsumerPartitionAssignor` in Python.

Each member of a group has an assignor object of its own. Before a rebalance every object is asked
for its user data, the leader's object assigns, and every object is told what its member got.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple, Protocol, runtime_checkable

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group


class RebalanceProtocol(StrEnum):
    """How members give partitions up: all before each round, or only those that move (KIP-429)."""

    EAGER = "eager"
    COOPERATIVE = "cooperative"


class GroupMetadata(NamedTuple):
    """What a member knows of its group when it is told its assignment."""

    generation: int
    member_id: str
    instance_id: str | None = None


@runtime_checkable
class Assignor(Protocol):
    """The full form of a target; the plain form is in `kassay.assignors.plain.assignor`."""

    name: str
    protocols: tuple[RebalanceProtocol, ...]

    def configure(self, config: Mapping[str, str]) -> None:
        """Take the member's configuration; called once, before anything else."""

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """What this member adds to its subscription."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The assignment of the whole group; called on the leader's object."""

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Learn what this member was given."""


class AssignorBase:
    """The parts of an assignor that most rules leave empty."""

    name: str
    protocols: tuple[RebalanceProtocol, ...] = (RebalanceProtocol.EAGER,)

    def configure(self, config: Mapping[str, str]) -> None:
        """Nothing to configure."""

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """No user data."""
        return None

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Nothing to remember."""


def overrides(assignor: Assignor, method: str) -> bool:
    """Whether the object has a method of its own in place of the empty one of `AssignorBase`."""
    return _overridden(type(assignor), method) or method in getattr(assignor, "__dict__", ())


@cache
def _overridden(of: type, method: str) -> bool:
    return getattr(of, method, None) is not getattr(AssignorBase, method)
