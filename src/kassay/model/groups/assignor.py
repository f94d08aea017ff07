"""The assignor interface: Kafka's `ConsumerPartitionAssignor` in Python.

Each member of a group has its own assignor object. In every rebalance, each object supplies its user
data, the leader's object assigns, and each object receives its member's assignment. Calls for a whole
round: lets a host serve all members in one exchange.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.kinds import RebalanceProtocol


class GroupMetadata(NamedTuple):
    """The group metadata that a member receives with its assignment."""

    generation: int
    member_id: str
    instance_id: str | None = None


@runtime_checkable
class Assignor(Protocol):
    """The full form of a target; for the plain form see `kassay.assignors.plain`."""

    name: str
    protocols: tuple[RebalanceProtocol, ...]

    def configure(self, config: Mapping[str, str]) -> None:
        """Apply the member's configuration; called once, before any other method."""

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The user data that this member adds to its subscription, or None."""

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Assign the whole group; called on the leader's object."""

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Receive this member's assignment."""


class AssignorBase:
    """Default implementations of the optional methods."""

    name: str
    protocols: tuple[RebalanceProtocol, ...] = (RebalanceProtocol.EAGER,)

    def configure(self, config: Mapping[str, str]) -> None:
        """Ignore the configuration."""

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """Return None: no user data."""
        return None

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Ignore the assignment."""


class Habits(NamedTuple):
    """Which optional methods an object implements; calls to inherited defaults can be skipped.

    `sends_user_data`: it may return user data. `learns`: it uses the assignment that its member receives.
    """

    sends_user_data: bool
    learns: bool


def habits(assignor: Assignor) -> Habits:
    """The habits of the object, from its class and its instance attributes at the time of the call."""
    of_class = _of_class(type(assignor))
    own = getattr(assignor, "__dict__", None)
    if not own or not (_USER_DATA in own or _LEARNS in own):
        return of_class
    return Habits(of_class.sends_user_data or _USER_DATA in own, of_class.learns or _LEARNS in own)


_USER_DATA: Final = "subscription_user_data"
_LEARNS: Final = "on_assignment"


@cache
def _of_class(of: type) -> Habits:
    sends_user_data, learns = (
        getattr(of, name, None) is not getattr(AssignorBase, name) for name in (_USER_DATA, _LEARNS)
    )
    return Habits(sends_user_data, learns)


class AssignCall(NamedTuple):
    """One call of `assign`: the object and its arguments."""

    assignor: Assignor
    cluster: Cluster
    group: Group


class Learned(NamedTuple):
    """One call of `on_assignment`: the object and its arguments."""

    assignor: Assignor
    assignment: tuple[TopicPartition, ...]
    user_data: bytes | None
    metadata: GroupMetadata


class RoundAnswers(NamedTuple):
    """The results of a round: each member's user data, the answer, and one answer per repeat call.

    `mutated` lists what the leader's object changed in its input, if known.
    """

    user_data: tuple[bytes | None, ...]
    answer: Assignment | Failure
    looks: tuple[Assignment | Failure, ...] = ()
    mutated: str | None = None


class Rounds(Protocol):
    """Calls all objects of a group at once, each with the arguments of an individual call."""

    asks: bool
    """Whether `ask` needs fewer exchanges than individual calls."""

    def holds(self, assignors: Sequence[Assignor]) -> bool:
        """Whether this host serves all of these objects."""

    def ask(
        self, first: AssignCall, members: Sequence[Assignor], looks: Sequence[AssignCall]
    ) -> RoundAnswers:
        """Get each member's user data, the leader's answer for them, and the repeat calls for that answer.

        The groups are passed without user data. A failed answer has no repeat calls. Raises `TargetFailure`
        if a member fails to return its user data.
        """

    def tell(self, learned: Sequence[Learned]) -> None:
        """Deliver each member's assignment to its object; raises the first `TargetFailure`."""
