"""Calls for a whole round: lets a host serve all members in one exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from kassay.model.calls import Failure
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import Assignor, GroupMetadata
from kassay.model.groups.group import Assignment, Group


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
