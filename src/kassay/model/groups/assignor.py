"""What an assignor is: Kafka's `ConsumerPartitionAssignor` in Python.

Each member of a group has an assignor object of its own. Before a rebalance every object is asked
for its user data, the leader's object assigns, and every object is told what its member got.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.kinds import RebalanceProtocol


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


class Habits(NamedTuple):
    """What an object takes part in: where it leaves a method to its base class, nobody need call it.

    `tells`: it may have user data; `learns`: it makes something of what its member is given.
    """

    tells: bool
    learns: bool


def habits(assignor: Assignor) -> Habits:
    """The object's habits, by its class and by what it has itself at this time."""
    of_class = _of_class(type(assignor))
    own = getattr(assignor, "__dict__", None)
    if not own or not (_TELLS in own or _LEARNS in own):
        return of_class
    return Habits(of_class.tells or _TELLS in own, of_class.learns or _LEARNS in own)


_TELLS: Final = "subscription_user_data"
_LEARNS: Final = "on_assignment"


@cache
def _of_class(of: type) -> Habits:
    tells, learns = (getattr(of, name, None) is not getattr(AssignorBase, name) for name in (_TELLS, _LEARNS))
    return Habits(tells, learns)
